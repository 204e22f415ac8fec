import type { EventOf } from "./events.ts";
import { appendOutput } from "./plain-text.ts";
import type { ToolCallState } from "./reduce.ts";

/** Events that change one call of a run. */
type CallEvent = EventOf<
  | "tool_approval_required"
  | "tool_approval_decided"
  | "question_required"
  | "question_answered"
  | "tool_executing"
  | "tool_progress"
  | "tool_result"
  | "artifact_delta"
  | "artifact_complete"
  | "web_search"
  | "child_run"
>;

/** Returns the state of a call after one more event. Pure, like `reduce`. */
export function reduceCall(call: ToolCallState, event: CallEvent): ToolCallState {
  switch (event.type) {
    case "tool_approval_required": {
      const { arguments: args, argumentsHash, reason, risk, expiresAt } = event;
      const { because, outside, preview, plan, always, from } = event;
      const shown = { because, outside, preview, plan, always, from };
      const approval = { argumentsHash, reason, risk, expiresAt, ...shown };
      return { ...call, arguments: args, status: "waiting", approval };
    }
    case "tool_approval_decided":
      return { ...call, decision: event.decision };
    case "question_required": {
      const { type: _, toolCallId: __, ...question } = event;
      const number = call.question ? { number: (call.question.number ?? 1) + 1 } : {};
      return { ...call, status: "waiting", question: { ...question, ...number } };
    }
    case "question_answered":
      if (!call.question) return call;
      return { ...call, status: "running", question: { ...call.question, answer: event.answer } };
    case "tool_executing":
      return { ...call, status: "running", ...(event.app ? { app: event.app } : {}) };
    case "tool_progress": {
      const { type: _, toolCallId: __, chunk, ...progress } = event;
      const output = appendOutput(call.progress?.output ?? "", chunk ?? "");
      return { ...call, progress: { ...progress, output } };
    }
    case "tool_result": {
      const { type: _, toolCallId: __, toolName: ___, success, ...result } = event;
      return { ...call, ...result, status: success ? "succeeded" : "failed" };
    }
    case "artifact_delta": {
      const code = (call.artifact?.code ?? "") + event.delta;
      const { artifactId } = event;
      return { ...call, artifact: { issues: [], ...call.artifact, artifactId, code, complete: false } };
    }
    case "artifact_complete": {
      const { type: _, toolCallId: __, artifactCode, artifactTitle, ...facts } = event;
      return { ...call, artifact: { ...facts, code: artifactCode, title: artifactTitle, complete: true } };
    }
    case "web_search":
      return { ...call, search: event.data };
    case "child_run":
      return { ...call, childRunId: event.runId };
  }
}
