import { setTimeout as pause } from "node:timers/promises";
import { type AccountEvent, accountEvent } from "../protocol/account-events.ts";
import type { Feed, Journal } from "../protocol/journal.ts";
import type { RunNotice } from "../protocol/notices.ts";
import type { CausedSetting, EncodedEvent, Run } from "../protocol/run-records.ts";
import type { RunRequest } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import { readUntil } from "./read-until.ts";
import { isThrowaway, type TitleParts, writeTitle } from "./title.ts";
import type { OwnedRun } from "./turn-parts.ts";

/** How long a process that ends waits for titles. */
const TITLE_MS = 2_000;

export interface AnnounceParts extends TitleParts {
  journal: Journal;
  log: { warn(facts: object, message: string): void };
  /** Tells somebody outside what happens in a conversation. Must not throw. */
  notify?(notice: RunNotice): void;
}

/**
 * Tells the account what happens in a run while this process works on it, and has the session titled once its first answer
 * begins. `first` is told as soon as the run is on disk. Titles that are being written are in `titles`. Returns a function that
 * stops it.
 */
export function announceRun(
  parts: AnnounceParts,
  { run, request, log, recovered }: OwnedRun,
  first: readonly AccountEvent[],
  closing: AbortSignal,
  titles: Set<Promise<void>>,
): () => void {
  // What a child run asks comes up in the run that it works for.
  if (request.child) return () => {};
  const { store, journal, log: notes } = parts;
  const { opening, durable } = recovered;
  const problem = (what: string) => (thrown: unknown) => {
    if (!closing.aborted) notes.warn({ err: thrown, runId: run.id }, what);
  };
  let telling: Promise<unknown> = durable ?? Promise.resolve();
  const tell = (...events: readonly AccountEvent[]) => {
    telling = telling
      .then(() => store.tellAccount(run.userId, ...events))
      .catch(problem("could not tell an account"));
  };
  const answered = recovered.events.some(({ event }) => event.type === "content_delta");
  let titling = recovered.continues === true || isThrowaway(request);
  const title = () => {
    if (titling) return;
    titling = true;
    const writing = writeTitle(parts, run, request, opening, closing)
      .then((written) => {
        if (written === undefined) return;
        log.emit({ type: "title", title: written });
        tell({ type: "title", sessionId: run.sessionId, title: written });
      })
      .catch(problem("could not title a session"))
      .finally(() => titles.delete(writing));
    titles.add(writing);
  };
  if (first.length > 0) tell(...first);
  if (answered) title();
  return journal.listen(run.id, {
    committed(events) {
      for (const encoded of events) {
        if (encoded.json.startsWith('{"type":"content_delta"')) title();
        const told = accountEventOf(run, encoded.json);
        if (!told) continue;
        tell(told);
        const notice = noticeOf(run, request, encoded.seq, told);
        if (notice) parts.notify?.(notice);
      }
    },
  });
}

const EVENTS_FOR_ACCOUNT =
  /^\{"type":"(?:tool_approval_required|tool_approval_decided|question_required|question_answered|done)"/;

/** Returns the event of the account that follows from an event of a run, if there is one. */
function accountEventOf({ id: runId, sessionId }: Run, json: string): AccountEvent | undefined {
  if (!EVENTS_FOR_ACCOUNT.test(json)) return undefined;
  const event: Record<string, unknown> = JSON.parse(json);
  const type = event.type === "done" ? "run_ended" : event.type;
  return accountEvent.safeParse({ ...event, type, runId, sessionId }).data;
}

/** Returns the notice for push and webhook, if the event deserves one. Questions of a child run come up in the run that it works for. */
function noticeOf(run: Run, request: RunRequest, seq: number, event: AccountEvent): RunNotice | undefined {
  if (request.child || isThrowaway(request)) return undefined;
  const about = { id: `msg_${run.id}_${seq}`, userId: run.userId, sessionId: run.sessionId, runId: run.id };
  if (event.type === "tool_approval_required" || event.type === "question_required") {
    const waitsFor = event.type === "question_required" ? "question" : "approval";
    return { ...about, kind: "waiting", toolCallId: event.toolCallId, waitsFor };
  }
  // The person who cancels an answer knows that it has ended.
  if (event.type !== "run_ended" || event.finishReason === "cancelled") return undefined;
  const { finishReason } = event;
  return { ...about, kind: finishReason === "error" ? "failed" : "done", finishReason };
}

/** Returns a function from an event to what is stored in its transaction, so that a notice about it cannot be lost. */
export function noticesWith(
  run: Run,
  request: RunRequest,
  settingOf: ((notice: RunNotice) => CausedSetting) | undefined,
): ((event: EncodedEvent) => CausedSetting[]) | undefined {
  return (
    settingOf &&
    ((event) => {
      const told = accountEventOf(run, event.json);
      const notice = told && noticeOf(run, request, event.seq, told);
      return notice ? [settingOf(notice)] : [];
    })
  );
}

/** Waits a little for titles, because a command exits as soon as it has its answer, and its session should still get one. */
export async function awaitTitles(titles: ReadonlySet<Promise<void>>): Promise<void> {
  if (titles.size === 0) return;
  const late = new AbortController();
  const waited = pause(TITLE_MS, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(titles), waited]);
  late.abort();
}

/** Follows the events of an account. They are numbered from 2 on: 1 stands for the beginning. */
export function createAccountFeed(store: Store): Feed {
  return {
    async follow(userId, after, onEvents, signal) {
      let last = after === 0 ? (await store.readAccount(userId)).newest : after - 1;
      let caughtUp = false;
      const readNew = async (): Promise<undefined> => {
        const { events, newest } = await store.readAccount(userId, last);
        const isWhole = last <= newest && (events[0]?.seq ?? newest + 1) === last + 1;
        if (isWhole && events.length > 0) onEvents(events.map(numbered));
        else if (!isWhole) onEvents([frame(newest, { type: "reload" })]);
        last = newest;
        if (!caughtUp) onEvents([frame(last, { type: "ready" })]);
        caughtUp = true;
      };
      await readUntil((wake) => store.watchAccount(userId, wake), readNew, { signal });
    },
  };
}

function numbered({ seq, json }: EncodedEvent): EncodedEvent {
  return { seq: seq + 1, json };
}

function frame(seq: number, event: AccountEvent): EncodedEvent {
  return numbered({ seq, json: JSON.stringify(event) });
}
