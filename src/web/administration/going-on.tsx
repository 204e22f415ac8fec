import type { GoingRun, PendingApproval, Situation } from "../../protocol/administration.ts";
import type { BreakerRecord } from "../../protocol/store.ts";
import { notifyFailure } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import type { TextKey } from "../text/english.ts";
import { moment, t } from "../text/t.ts";

/** The same with the e-mail address of whose it is, or the id. */
export type Named<Whole> = Omit<Whole, "runs" | "approvals"> & {
  runs: (GoingRun & { user: string })[];
  approvals: (PendingApproval & { user: string })[];
};

/** Runs and the calls in them that wait for somebody; not what they are about. */
export function GoingOn({ now: { runs, approvals } }: { now: Named<Situation> }) {
  return (
    <div className="halves">
      <div>
        <h3>{t("runs")}</h3>
        {runs.length === 0 && <p className="hint">{t("noRuns")}</p>}
        <ul className="facts">
          {runs.map(({ id, user, model, status, startedAt }) => (
            <li key={id}>
              <span className="dot" data-state={status} aria-hidden="true" />
              <span>
                <strong>{model}</strong> {t(status === "waiting" ? "waitingForPerson" : "running")}
                <span className="hint">
                  {t("askedBy", { name: user })} · {t("since", { time: moment(new Date(startedAt)) })}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </div>
      <div>
        <h3>{t("approvals")}</h3>
        {approvals.length === 0 && <p className="hint">{t("noApprovals")}</p>}
        <ul className="facts">
          {approvals.map(({ runId, toolName, user, risk, expiresAt }) => (
            <li key={`${runId} ${toolName}`}>
              <span className="dot" data-state="waiting" aria-hidden="true" />
              <span>
                <strong>{toolName}</strong> {t("risk", { risk: t(risk as TextKey) })}
                <span className="hint">
                  {t("askedBy", { name: user })} · {t("until", { time: moment(new Date(expiresAt)) })}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

const STATES: Record<BreakerRecord["state"], TextKey> = {
  open: "breakerOpen",
  probing: "breakerProbing",
  closed: "breakerClosed",
};

/** What is being left alone because it failed, and the way to try it at once. */
export function Breakers(props: { breakers: readonly BreakerRecord[]; onClosed(): void }) {
  const { breakers, onClosed } = props;
  async function close(name: string): Promise<void> {
    try {
      await ask("POST", `/admin/breakers/${encodeURIComponent(name)}/close`);
    } catch (error) {
      notifyFailure(error);
    }
    onClosed();
  }
  if (breakers.length === 0) return <p className="hint">{t("breakersFine")}</p>;
  return (
    <ul className="facts">
      {breakers.map(({ name, state, failures }) => (
        <li key={name}>
          <span className="dot" data-state={state} aria-hidden="true" />
          <span>
            <strong>{name}</strong> {t(STATES[state])}
            <span className="hint">{t("breakerFailures", { count: failures })}</span>
          </span>
          <button type="button" onClick={() => close(name)}>
            {t("closeNow")}
          </button>
        </li>
      ))}
    </ul>
  );
}
