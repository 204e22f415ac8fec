import type { Decision } from "../protocol/chat.ts";
import type { ChatEvent, LoggedEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import { callsOf, emptyRun, type RunState, reduce } from "../protocol/reduce.ts";
import type { Approval, Store } from "../protocol/store.ts";
import { clearedEvents } from "../store/cleared.ts";
import { hashOf } from "./ids.ts";

const PAGE = 1_000;

/** All events of a run: those that are stored, or what its answer says where they were removed. */
export async function readEvents(store: Store, runId: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (;;) {
    const page = await store.readEvents(runId, events.at(-1)?.seq ?? 0, PAGE);
    for (const { seq, json } of page) events.push({ seq, event: JSON.parse(json) as ChatEvent });
    if (page.length < PAGE) break;
  }
  if (events.length > 0) return events;
  const run = await store.getRun(runId);
  return run?.eventsCleared ? clearedEvents(store, run) : [];
}

/** A run as its stored events tell it. */
export async function readState(store: Store, runId: string): Promise<RunState> {
  let state = emptyRun();
  for (const { event } of await readEvents(store, runId)) state = reduce(state, event);
  return state;
}

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
  const stopWatching = store.watch(call.runId, () => wake(), "asked");
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
