import { type ReactNode, useState } from "react";
import type { ActiveRun, PendingApproval, Situation } from "../../protocol/administration.ts";
import type { BreakerRecord } from "../../protocol/breakers.ts";
import { labelOf } from "../chat/problem-words.ts";
import { toolName } from "../choosing/tool-names.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/administration.ts";
import type { TextKey } from "../text/english.ts";
import { countdown, duration, moment } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { serviceName } from "./error-words.ts";
import { personName } from "./person-name.ts";

/** Runs and approvals with the email address or the id of their person. */
export type Named<Whole> = Omit<Whole, "runs" | "approvals"> & {
  runs: (ActiveRun & { user: string })[];
  approvals: (PendingApproval & { user: string })[];
};

/** Runs, and calls that wait for a decision. Their contents are not shown. */
export function Activity({ now, refresh }: { now: Named<Situation>; refresh(): void }) {
  const { runs, approvals } = now;
  async function stop(id: string): Promise<void> {
    await attempt(() => ask("POST", `/admin/runs/${encodeURIComponent(id)}/cancel`));
    refresh();
  }
  return (
    <div className="halves">
      <FactList
        title={t("runs")}
        empty={t("noRuns")}
        facts={runs.map((run) => ({
          key: run.id,
          state: run.status,
          name: labelOf(run.model),
          text: waitText(run),
          hint: `${asker(run)} · ${ageText(run.startedAt)}`,
          children: <StopButton onStop={() => stop(run.id)} />,
        }))}
      />
      <FactList
        title={t("approvals")}
        empty={t("noApprovals")}
        facts={approvals.map(({ runId, toolName: tool, userId, user, risk, expiresAt }) => ({
          key: `${runId} ${tool}`,
          state: "waiting",
          name: toolName(tool),
          text: t("risk", { risk: t(risk as TextKey) }),
          hint: `${asker({ userId, user })} · ${t("until", { time: moment(new Date(expiresAt)) })}`,
        }))}
      />
    </div>
  );
}

/** Who asked. The server names those without an email address by their id. */
function asker({ userId, user }: { userId: string; user: string }): string {
  return personName(userId, user === userId ? undefined : user);
}

/** Says what a run waits for. */
function waitText({ status, waitsFor }: ActiveRun): string {
  const tool = waitsFor?.tool === undefined ? undefined : toolName(waitsFor.tool);
  if (waitsFor?.for === "answer") return t("waitsForAnswer");
  if (waitsFor?.for === "decision" && tool) return t("waitsForDecision", { tool });
  if (status === "waiting") return t("waitingForPerson");
  if (waitsFor?.for === "tool" && tool) return t("waitsForTool", { tool });
  return t(waitsFor?.for === "model" ? "waitsForModel" : "running");
}

function ageText(startedAt: string): string {
  const seconds = Math.max(1, Math.floor((Date.now() - Date.parse(startedAt)) / 1_000));
  return t("runningFor", { time: ageOf(seconds) });
}

function ageOf(seconds: number): string {
  if (seconds < 3_600) return duration(seconds * 1_000);
  return seconds < 86_400 ? countdown(seconds) : t("dayAge", { count: Math.floor(seconds / 86_400) });
}

/** Asks once, because somebody waits for the answer. */
function StopButton({ onStop }: { onStop(): void }) {
  const [asked, setAsked] = useState(false);
  return (
    <Button
      className={asked ? "danger" : ""}
      onBlur={() => setAsked(false)}
      onClick={() => (asked ? onStop() : setAsked(true))}
    >
      {t(asked ? "stopForSure" : "stopIt")}
    </Button>
  );
}

interface FactProps {
  state: string;
  name: string;
  text: string;
  hint: string;
  children?: ReactNode;
}

function FactList(props: { title: string; empty: string; facts: (FactProps & { key: string })[] }) {
  const { title, empty, facts } = props;
  return (
    <div>
      <h3>{title}</h3>
      {facts.length === 0 && <p className="hint">{empty}</p>}
      <ul className="admin-facts">
        {facts.map(({ key, ...fact }) => (
          <Fact key={key} {...fact} />
        ))}
      </ul>
    </div>
  );
}

function Fact({ state, name, text, hint, children }: FactProps) {
  return (
    <li>
      <span className="dot" data-state={state} aria-hidden="true" />
      <span>
        <strong>{name}</strong> {text}
        <span className="hint">{hint}</span>
      </span>
      {children}
    </li>
  );
}

const STATES = {
  open: "breakerOpen",
  probing: "breakerProbing",
  closed: "breakerClosed",
} as const satisfies Record<BreakerRecord["state"], string>;

/** Services and tools that are paused after failures, each with a button to try it now. */
export function Breakers(props: { breakers: readonly BreakerRecord[]; onClosed(): void }) {
  const { breakers, onClosed } = props;
  async function close(name: string): Promise<void> {
    await attempt(() => ask("POST", `/admin/breakers/${encodeURIComponent(name)}/close`));
    onClosed();
  }
  return (
    <ul className="admin-facts">
      {breakers.map(({ name, state, failures }) => {
        const hint = t(state === "open" ? "pausedAfter" : "breakerFailures", { count: failures });
        return (
          <Fact
            key={name}
            state={state}
            name={serviceName(name)}
            text={state === "open" ? "" : t(STATES[state])}
            hint={hint}
          >
            <Button onClick={() => close(name)}>{t("closeNow")}</Button>
          </Fact>
        );
      })}
    </ul>
  );
}
