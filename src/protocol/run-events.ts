import { type ChatEvent, chatEvent, type LoggedEvent } from "./events.ts";
import { Failure } from "./failure.ts";
import { parseObject } from "./json.ts";
import { emptyRun, type RunState, reduce } from "./reduce.ts";
import type { Run } from "./run-records.ts";
import type { Store } from "./store.ts";
import { readStored } from "./stored.ts";
import { unfold } from "./unfold.ts";

const PAGE = 1_000;
const EVENT_TYPES: ReadonlySet<unknown> = new Set(chatEvent.options.map(({ shape }) => shape.type.value));

/**
 * Decodes an event for a follower. There are very many, so only its type is checked. An event of a newer version passes;
 * clients skip events that they do not know.
 */
export function decodeEvent(json: string, runId: string): ChatEvent {
  const value = parseObject(json);
  if (typeof value?.type === "string") return value as ChatEvent;
  throw new Failure("INTERNAL", `An event of run ${runId} cannot be read from the database.`);
}

/** Decodes and checks an event that will be folded. An unknown event would be lost, so it is refused. */
function readEvent(json: string, runId: string): ChatEvent {
  const event = decodeEvent(json, runId);
  if (!EVENT_TYPES.has(event.type))
    throw new Failure(
      "CONFLICT",
      `Run ${runId} was written by a newer version of Tackle: this one does not know the event "${event.type}". Update Tackle.`,
    );
  return readStored(chatEvent, event, `An event of run ${runId}`);
}

/** Reads all events of a run. If they were removed, they are rebuilt from its answer. */
export async function readEvents(store: Store, runId: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (;;) {
    const page = await store.readEvents(runId, events.at(-1)?.seq ?? 0, PAGE);
    for (const { seq, json } of page) events.push({ seq, event: readEvent(json, runId) });
    if (page.length < PAGE) break;
  }
  if (events.length > 0) return events;
  const run = await store.getRun(runId);
  return run?.eventsCleared ? clearedEvents(store, run) : [];
}

/** Folds the stored events of a run. */
export async function readState(store: Store, runId: string): Promise<RunState> {
  let state = emptyRun();
  for (const { event } of await readEvents(store, runId)) state = reduce(state, event);
  return state;
}

/** Rebuilds the events of a run whose journal was removed. They fold to the same answer. */
export async function clearedEvents(store: Pick<Store, "getMessage">, run: Run): Promise<LoggedEvent[]> {
  const { state } = (await store.getMessage(run.messageId)) ?? {};
  return state ? unfold(state).map((event, index) => ({ seq: index + 1, event })) : [];
}
