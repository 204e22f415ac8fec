import { useState } from "react";
import type { Decision } from "../../protocol/chat.ts";
import type { AlwaysCovers } from "../../protocol/events.ts";
import { callsOf, type RunState, type ToolCallState } from "../../protocol/reduce.ts";
import { visibleLine, visibleText } from "../../protocol/visible-text.ts";
import { conversation } from "../state/conversation.ts";
import { focusDraft } from "../state/draft.ts";
import { decide } from "../state/live-run.ts";
import { attempt } from "../state/notices.ts";
import { countdown, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useClock } from "../ui/clock.ts";
import { Diff, isDiff } from "../ui/diff.tsx";
import { ShortField } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { usePlan } from "./plan-steps.tsx";
import { argumentsText } from "./tool-summary.ts";

interface Props {
  call: ToolCallState;
  approval: NonNullable<ToolCallState["approval"]>;
  /** Takes the decision on a call that is not part of the run. */
  onDecide?(decision: Decision): Promise<unknown>;
}

/** The time before its expiry at which an approval begins to count down. */
const COUNTDOWN_SECONDS = 3_600;

/** Asks the person for a decision and shows exactly what the call would do. */
export function Approval({ call, approval, onDecide }: Props) {
  const [sent, setSent] = useState(false);
  const [note, setNote] = useState("");
  const decided = conversation(({ live }) => live?.decided?.includes(call.toolCallId) === true);
  const now = useClock(true);
  const { always, risk, reason } = approval;
  const plan = usePlan(approval.plan);
  const preview = visibleText(approval.preview ?? argumentsText(call.arguments));
  const left = (new Date(approval.expiresAt).getTime() - now) / 1000;

  async function answer(decision: Decision["decision"]): Promise<void> {
    setSent(true);
    const edited = decision === "once" && plan?.edited ? { steps: plan.edited } : {};
    const given = { decision, note: note.trim() || undefined, ...edited };
    const done = await attempt(() => (onDecide ? onDecide(given) : decide(call.toolCallId, given)));
    if (done) focusNext();
    else setSent(false);
  }

  return (
    <fieldset className="approval" data-part="approval" data-risk={risk} disabled={sent || decided}>
      <legend>
        <Icon name="warning" /> {plan ? t("approvePlan") : t("approve", { tool: visibleLine(call.toolName) })}
        <span className="risk">{t("risk", { risk: t(risk) })}</span>
      </legend>
      {plan ? (
        plan.list
      ) : isDiff(preview) ? (
        <Diff text={preview} />
      ) : (
        <pre className="command" tabIndex={0}>
          {preview}
        </pre>
      )}
      <p className="reason">
        <strong>{t("reasonAsked")}</strong> {visibleText(reason)}
      </p>
      <div className="choices">
        <Button className="primary" disabled={plan?.edited?.length === 0} onClick={() => answer("once")}>
          {t(plan ? "approveSteps" : "once")}
        </Button>
        {always && <Button onClick={() => answer("always")}>{alwaysLabel(always)}</Button>}
        <span className="deny">
          <ShortField
            label={t("denyNote")}
            type="text"
            value={note}
            maxLength={2000}
            onChange={({ target }) => setNote(target.value)}
          />
          <Button className="danger" onClick={() => answer("deny")}>
            {t("deny")}
          </Button>
        </span>
      </div>
      <p className="hint">
        {always?.prefix !== undefined && `${t("alwaysFamily", { prefix: always.prefix })} `}
        {always?.command !== undefined && `${t("alwaysSame")} `}
        {t(plan ? "planHint" : always ? "alwaysHint" : "alwaysNot")}
        {left < COUNTDOWN_SECONDS && (
          <span className="expires"> {t("expiresIn", { time: countdown(left) })}</span>
        )}
      </p>
    </fieldset>
  );
}

/** Decides on all calls that wait, where there are several. */
export function AllApprovals({ state }: { state: RunState }) {
  const [sent, setSent] = useState(false);
  const decided = conversation(({ live }) => live?.decided);
  const open = callsOf(state).filter(
    ({ toolCallId, status, question }) => status === "waiting" && !question && !decided?.includes(toolCallId),
  );
  if (open.length < 2) return null;

  async function answerAll(decision: Decision["decision"]): Promise<void> {
    setSent(true);
    await attempt(() => Promise.all(open.map(({ toolCallId }) => decide(toolCallId, { decision }))));
    setSent(false);
    focusNext();
  }

  return (
    <div className="choices">
      <Button className="primary" disabled={sent} onClick={() => answerAll("once")}>
        {t("onceAll", { count: open.length })}
      </Button>
      <Button className="danger" disabled={sent} onClick={() => answerAll("deny")}>
        {t("denyAll")}
      </Button>
    </div>
  );
}

/** Moves the focus to the next approval or back to the message field: this one is about to disappear. */
function focusNext(): void {
  const next = document.querySelector<HTMLElement>(".approval:not(:disabled) button");
  if (next) next.focus();
  else focusDraft();
}

/** Says what exactly "always" would allow. */
function alwaysLabel({ tool, operation, prefix, command, targets }: AlwaysCovers): string {
  if (command !== undefined) return t("alwaysExactly", { command: visibleLine(command) });
  if (targets?.length) return t("alwaysTargets", { tool, targets: visibleLine(targets.join(", ")) });
  if (prefix !== undefined) return t("alwaysCommand", { prefix });
  return operation === undefined ? t("alwaysTool", { tool }) : t("alwaysOperation", { tool, operation });
}
