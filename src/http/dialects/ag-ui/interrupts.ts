import type { EventOf } from "../../../protocol/events.ts";

/** What a run waits for. */
export type Asked = EventOf<"tool_approval_required" | "question_required">;

/** The schema of a decision. */
const DECISION = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    note: { type: "string" },
    steps: {
      type: "array",
      description: "For a plan: the steps that hold instead of those in its metadata.",
    },
  },
  required: ["approved"],
};

/** Returns the interrupt for an approval or a question; `id` is the client's id of the call. */
export function toInterrupt(asked: Asked, id: string, runId: string | undefined): object {
  if (asked.type === "question_required") return { id, toolCallId: id, ...toQuestion(asked, runId) };
  const { toolName, reason, risk, preview, plan, expiresAt } = asked;
  const shown = { ...(preview === undefined ? {} : { preview }), ...(plan ? { plan } : {}) };
  return {
    id,
    reason: "tool_call",
    message: reason,
    toolCallId: id,
    responseSchema: DECISION,
    expiresAt,
    metadata: { toolName, risk, ...shown },
  };
}

/** A question, whose answer may come with the next request or at `/runs/:id/answers/:toolCallId`. */
function toQuestion(asked: EventOf<"question_required">, runId: string | undefined) {
  const { question, options, multiple, default: fallback, expiresAt } = asked;
  const one = { type: "string", ...(options ? { examples: options } : {}) };
  const answer = multiple ? { type: "array", items: one, minItems: 1 } : one;
  return {
    reason: "input_required",
    message: question,
    responseSchema: { type: "object", properties: { answer }, required: ["answer"] },
    expiresAt,
    metadata: { runId, options, multiple, default: fallback },
  };
}
