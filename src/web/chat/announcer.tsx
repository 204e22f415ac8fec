import { useEffect, useRef, useState } from "react";
import { callsOf } from "../../protocol/reduce.ts";
import { conversation } from "../state/conversation.ts";
import { t } from "../text/t.ts";

/** Tells screen readers when an answer begins, ends or needs a decision, but not its text as it streams. */
export function Announcer() {
  const busy = conversation((state) => state.live !== undefined);
  const waiting = conversation(({ live }) =>
    live ? callsOf(live.state).find(({ status }) => status === "waiting")?.toolName : undefined,
  );
  const [text, setText] = useState("");
  const before = useRef(false);
  useEffect(() => {
    if (busy) setText(t("answerStarted"));
    else if (before.current) {
      const reason = conversation.getState().messages.at(-1)?.finishReason;
      setText(
        t(reason === "cancelled" ? "answerStopped" : reason === "error" ? "answerFailed" : "answerEnded"),
      );
    }
    before.current = busy;
  }, [busy]);
  const switched = conversation((state) => state.switched);
  useEffect(() => {
    if (switched) setText(t("versionShown", { version: switched.version, of: switched.of }));
  }, [switched]);
  useEffect(() => {
    if (waiting !== undefined) setText(t("approvalWanted", { tool: waiting }));
  }, [waiting]);
  return (
    <div className="unseen" aria-live="polite">
      {text}
    </div>
  );
}
