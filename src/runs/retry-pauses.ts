import type { Turn } from "../loop/turn.ts";
import type { LoggedEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import { reduceAll } from "../protocol/reduce.ts";
import { readEvents } from "../protocol/run-events.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { awaitDecision } from "./approvals.ts";

/** Stands in the store for the person's word that a run need not wait. No call has such an id. */
const KEY = "retry";

/** Returns how a run waits before it asks its model again: until the time is over, or the person wants no more waiting. */
export function createRetryPauses(
  store: Store,
  runId: string,
  before: readonly LoggedEvent[],
): Turn["sleep"] {
  // Each wait begins with an event, so both sides count the same.
  let pauses = before.filter(({ event }) => event.type === "retry_status").length;
  return async (ms, signal) => {
    const pause = { runId, toolCallId: KEY, argumentsHash: String(++pauses) };
    await awaitDecision(store, pause, Date.now() + ms, signal);
  };
}

/** Ends the wait of a run before it asks its model again. Throws CONFLICT if it does not wait. */
export async function tryNow(store: Store, run: Run): Promise<void> {
  const events = (await readEvents(store, run.id)).map(({ event }) => event);
  const pauses = events.filter(({ type }) => type === "retry_status").length;
  const saved =
    reduceAll(events).retry !== undefined &&
    (await store.saveApproval({
      runId: run.id,
      toolCallId: KEY,
      decision: "once",
      argumentsHash: String(pauses),
    }));
  if (!saved) throw new Failure("CONFLICT", "This run is not waiting to try again.");
}
