import { useState } from "react";
import type { Decision } from "../../protocol/chat.ts";
import type { AlwaysCovers } from "../../protocol/events.ts";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { decide } from "../state/conversation.ts";
import { focusDraft } from "../state/draft.ts";
import { notifyFailure } from "../state/notices.ts";
import { countdown, t } from "../text/t.ts";
import { useClock } from "../ui/clock.ts";
import { Diff, isDiff } from "../ui/diff.tsx";
import { Icon } from "../ui/icons.tsx";
import { writtenOut } from "./tool-words.ts";

interface Props {
  call: ToolCallState;
  approval: NonNullable<ToolCallState["approval"]>;
}

/** How long before its end a question says so. */
const SOON_SECONDS = 3_600;

/** Asks whether a call may be made, and shows exactly what it would do. */
export function Approval({ call, approval }: Props) {
  const [sent, setSent] = useState(false);
  const [note, setNote] = useState("");
  const now = useClock(true);
  const { always, risk, reason } = approval;
  const preview = approval.preview ?? writtenOut(call.arguments);
  const left = (new Date(approval.expiresAt).getTime() - now) / 1000;

  async function answer(decision: Decision["decision"]): Promise<void> {
    setSent(true);
    try {
      const text = note.trim();
      await decide(call.toolCallId, { decision, ...(text === "" ? {} : { note: text }) });
      focusNext();
    } catch (error) {
      setSent(false);
      notifyFailure(error);
    }
  }

  return (
    <fieldset className="approval" data-risk={risk} disabled={sent}>
      <legend>
        <Icon name="warning" /> {t("approve", { tool: call.toolName })}
        <span className="risk">{t("risk", { risk: t(risk) })}</span>
      </legend>
      {isDiff(preview) ? (
        <Diff text={preview} />
      ) : (
        <pre className="command" tabIndex={0}>
          {preview}
        </pre>
      )}
      <p className="reason">
        <strong>{t("reasonAsked")}</strong> {reason}
      </p>
      <div className="choices">
        <button type="button" className="primary" onClick={() => answer("once")}>
          {t("once")}
        </button>
        {always && (
          <button type="button" onClick={() => answer("always")}>
            {alwaysLabel(always)}
          </button>
        )}
        <span className="deny">
          <input
            type="text"
            value={note}
            maxLength={2000}
            onChange={({ target }) => setNote(target.value)}
            placeholder={t("denyNote")}
            aria-label={t("denyNote")}
          />
          <button type="button" className="danger" onClick={() => answer("deny")}>
            {t("deny")}
          </button>
        </span>
      </div>
      <p className="hint">
        {t(always ? "alwaysHint" : "alwaysNot")}
        {left < SOON_SECONDS && <span className="expires"> {t("expiresIn", { time: countdown(left) })}</span>}
      </p>
    </fieldset>
  );
}

/** The question is about to go: who works by keyboard comes to the next one, or back to the message field. */
function focusNext(): void {
  const next = document.querySelector<HTMLElement>(".approval:not(:disabled) button");
  if (next) next.focus();
  else focusDraft();
}

/** What exactly would not be asked about again. */
function alwaysLabel({ tool, operation, prefix }: AlwaysCovers): string {
  if (prefix !== undefined) return t("alwaysCommand", { prefix });
  return operation === undefined ? t("alwaysTool", { tool }) : t("alwaysOperation", { tool, operation });
}
