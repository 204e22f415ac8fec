import type { Decision } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import { callsOf } from "../protocol/reduce.ts";
import { readState } from "../protocol/run-events.ts";
import type { Approval, Store } from "../protocol/store.ts";
import { hashOf } from "./ids.ts";

/** Writes down what a person decided on a waiting call, bound to the very arguments that were shown. */
export async function decideCall(
  store: Store,
  runId: string,
  toolCallId: string,
  decision: Decision,
): Promise<void> {
  const call = callsOf(await readState(store, runId)).find((one) => one.toolCallId === toolCallId);
  if (!call) throw new Failure("NOT_FOUND", "There is no such call in this run.");
  if (call.status !== "waiting") throw new Failure("CONFLICT", "This call is not waiting for a decision.");
  const saved = await store.saveApproval({
    runId,
    toolCallId,
    ...decision,
    argumentsHash: hashOf(call.arguments),
  });
  if (!saved) throw new Failure("CONFLICT", "This call was decided on already.");
}

/** Resolves with the decision on a call, also one made before a restart; undefined at the deadline or on abort. */
export async function awaitDecision(
  store: Store,
  call: { runId: string; toolCallId: string; argumentsHash: string },
  deadline: number,
  signal: AbortSignal,
): Promise<Approval | undefined> {
  let wake = () => {};
  const stopWatching = store.watch(call.runId, () => wake(), "control");
  try {
    while (!signal.aborted) {
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      const approval = await store.getApproval(call.runId, call.toolCallId);
      if (approval) return approval.argumentsHash === call.argumentsHash ? approval : undefined;
      const left = deadline - Date.now();
      // What was aborted while we looked does not say so again.
      if (left <= 0 || signal.aborted) return undefined;
      // A wake-up may be lost between instances: look again from time to time all the same.
      const timer = setTimeout(woken.resolve, Math.min(left, 5_000));
      signal.addEventListener("abort", wake, { once: true });
      await woken.promise;
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
    }
    return undefined;
  } finally {
    stopWatching();
  }
}
