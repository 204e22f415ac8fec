import type { PendingApproval, RunWait } from "../protocol/administration.ts";
import { callsOf } from "../protocol/reduce.ts";
import { decodeEvent, readState } from "../protocol/run-events.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";

/** A call is named within this many events before or after its step starts. */
const NEAR = 100;

/** Returns what a run that needs a person waits for, and the approvals among it. */
export async function personWaits(
  store: Store,
  { id, userId }: Run,
): Promise<{ waitsFor?: RunWait; approvals: PendingApproval[] }> {
  const waiting = callsOf(await readState(store, id)).filter(({ status }) => status === "waiting");
  const approvals = waiting.flatMap(({ approval, toolName }) =>
    approval ? [{ runId: id, userId, toolName, risk: approval.risk, expiresAt: approval.expiresAt }] : [],
  );
  const [first] = waiting;
  if (!first) return { approvals };
  return { waitsFor: { for: first.approval ? "decision" : "answer", tool: first.toolName }, approvals };
}

/** Returns which tools or which model an active run waits for, by the steps that it has not finished. */
export async function workWait(store: Store, runId: string): Promise<RunWait | undefined> {
  const open = (await store.readSteps(runId)).filter(({ state }) => state === "started");
  const call = open.find(({ key }) => key.startsWith("tool:"));
  if (!call) return open.length > 0 ? { for: "model" } : undefined;
  const after = Math.max(0, call.startedSeq - NEAR);
  for (const { json } of await store.readEvents(runId, after, 2 * NEAR)) {
    const event = decodeEvent(json, runId);
    if (
      (event.type === "tool_call_start" || event.type === "tool_executing") &&
      call.key === `tool:${event.toolCallId}`
    )
      return { for: "tool", tool: event.toolName };
  }
  return { for: "tool" };
}
