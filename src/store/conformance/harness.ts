import type { ChatEvent, EventOf } from "../../protocol/events.ts";
import { textMessage } from "../../protocol/messages.ts";
import { reduceAll } from "../../protocol/reduce.ts";
import type { FinishRun, OpenRun, Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";

/** One engine with an empty database, as the suite needs it. */
export interface StoreHarness {
  store: Store;
  /** Moves the engine's clock forward. */
  advance(milliseconds: number): void;
  /** Closes the store and opens the same database again. */
  reopen(): Promise<Store>;
  /** How another process opens the same database: a module, its function, and the function's one argument as JSON. */
  elsewhere: { module: string; function: string; argument: string };
  /** Runs one statement on the database itself, as another version of Tackle might. */
  runSql(sql: string): Promise<void>;
  /** True if the store folds every run soon after its end, also one that two owners wrote. */
  foldsByItself?: boolean;
  dispose(): Promise<void>;
}

export type OpenHarness = () => Promise<StoreHarness>;

let count = 0;

/** A name that is unique within the suite. */
export function unique(kind: string): string {
  return `${kind}_${++count}`;
}

/** The first event of a run. */
export function sessionEvent(run: Pick<Run, "id" | "sessionId" | "messageId">): EventOf<"session"> {
  const { id: runId, sessionId, messageId } = run;
  return { type: "session", sessionId, runId, messageId, model: "demo/demo", title: "A title" };
}

/** A request to open a run in a new session. */
export function runToOpen(changes: Partial<OpenRun> = {}): OpenRun {
  const run = {
    runId: unique("run"),
    sessionId: unique("session"),
    userId: "ada",
    messageId: unique("message"),
    ...changes,
  };
  return {
    owner: "one",
    leaseMs: 10_000,
    request: { model: "demo/demo" },
    newSession: { title: "A title" },
    userMessage: textMessage(unique("message"), "user", "Hello"),
    firstEvent: sessionEvent({ ...run, id: run.runId }),
    ...run,
  };
}

/** Opens a run, or throws the reason why not. */
export async function openedRun(store: Store, changes: Partial<OpenRun> = {}): Promise<Run> {
  const opened = await store.openRun(runToOpen(changes));
  if (opened.outcome !== "opened") throw new Error(`the run was not opened: ${opened.outcome}`);
  return opened.run;
}

/** The end of a run that emitted these events after its first. */
export function endOf(run: Run, firstSeq: number, events: ChatEvent[], said: ChatEvent[] = []): FinishRun {
  return {
    runId: run.id,
    epoch: run.epoch,
    firstSeq,
    events: events.map((event) => JSON.stringify(event)),
    steps: [],
    status: "done",
    message: answerOf(run, [...said, ...events]),
  };
}

/** The transcript of a run that emitted these events after its first. */
export function answerOf(run: Run, events: ChatEvent[]): FinishRun["message"] {
  const state = reduceAll([sessionEvent(run), ...events]);
  return {
    id: run.messageId,
    model: state.model,
    runId: run.id,
    finishReason: state.finishReason,
    usage: state.usage,
    state,
    parts: [{ type: "text", text: state.text }],
  };
}

/** The event that ends a run. */
export function doneEvent(run: Pick<Run, "messageId">): EventOf<"done"> {
  return { type: "done", finishReason: "stop", messageId: run.messageId, iterations: 1, toolCalls: 0 };
}

/** Random numbers between 0 and 1 that are the same in every test run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
