import { useEffect, useRef, useState } from "react";
import { callsOf } from "../../protocol/reduce.ts";
import { type ConversationState, conversation } from "../state/conversation.ts";
import { t } from "../text/t.ts";
import { titleOf } from "./approval.tsx";
import { isCut, vendorOf } from "./problem-words.ts";

/**
 * Tells screen readers when an answer begins and ends, but not its text as it streams. Only a decision that is needed and an
 * answer that failed interrupt what is being read.
 */
export function Announcer() {
  const [polite, setPolite] = useState("");
  const [urgent, setUrgent] = useState("");
  const busy = conversation((state) => state.live !== undefined);
  const asked = conversation(askedNow);
  const retries = conversation(({ live }) => live?.state.retry?.attempt);
  const switched = conversation((state) => state.switched);
  const before = useRef(false);
  useEffect(() => {
    if (busy) {
      setPolite(t("answerStarted"));
      setUrgent("");
    } else if (before.current) {
      const { messages, refused } = conversation.getState();
      const reason = messages.at(-1)?.finishReason;
      const failed = reason === "error" || refused !== undefined;
      setUrgent(failed ? t("answerFailed") : "");
      setPolite(failed ? "" : t(reason === "cancelled" ? "answerStopped" : "answerEnded"));
    }
    before.current = busy;
  }, [busy]);
  useEffect(() => {
    setUrgent(asked === undefined ? "" : t("approvalWanted", { what: asked }));
  }, [asked]);
  // Once for each wait, not for each second of it.
  useEffect(() => {
    const state = conversation.getState().live?.state;
    if (retries === undefined || !state) return;
    setPolite(t(isCut(state) ? "cutAgainNow" : "busyNow", { vendor: vendorOf(state.model) }));
  }, [retries]);
  useEffect(() => {
    if (switched) setPolite(t("versionShown", { version: switched.version, of: switched.of }));
  }, [switched]);
  return (
    <>
      <div className="unseen" aria-live="polite">
        {polite}
      </div>
      <div className="unseen" aria-live="assertive">
        {urgent}
      </div>
    </>
  );
}

/** Returns what the person is asked now. */
function askedNow({ live }: ConversationState): string | undefined {
  const call = live && callsOf(live.state).find(({ status }) => status === "waiting");
  if (!call) return undefined;
  return call.question?.question ?? (call.approval?.plan ? t("approvePlan") : titleOf(call));
}
