import type { ChatEvent, LoggedEvent } from "./events.ts";
import { emptyRun, type RunState, reduce } from "./reduce.ts";
import type { Run, Store } from "./store.ts";
import { unfold } from "./unfold.ts";

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

/** What a run says whose journal was removed: events that come to the same answer, the same every time. */
export async function clearedEvents(store: Pick<Store, "getMessage">, run: Run): Promise<LoggedEvent[]> {
  const { state } = (await store.getMessage(run.messageId)) ?? {};
  return state ? unfold(state).map((event, index) => ({ seq: index + 1, event })) : [];
}
