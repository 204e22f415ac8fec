import { Failure, toFailure } from "../protocol/failure.ts";
import type { CommitListener, Journal } from "../protocol/journal.ts";
import { Fenced, type FinishRun, type Store } from "../protocol/store.ts";
import { commitWithRetries, finishWithRetries } from "./persist.ts";
import type { TakenEntries } from "./run-buffer.ts";
import { type BrokenReason, JournaledRun, type LogOwner } from "./run-log.ts";

export interface JournalOptions {
  /** How long deltas wait for company after the commit before; longer when commits keep the process busy. */
  windowMs?: number;
  /** Pauses between tries when the store fails in a way that may pass. */
  retryDelaysMs?: readonly number[];
  /** The run can no longer be written, so its owner must stop working on it. Must not throw. */
  onBroken?(runId: string, reason: BrokenReason): void;
}

interface Taken {
  log: JournaledRun;
  entries: TakenEntries;
}

/** Commits may take about a third of the process's time before deltas are made to wait longer, up to a token's distance. */
const LONGEST_WINDOW_MS = 20;
const BUSY_SHARE = 0.3;
/** Commits of which the shortest tells what commits cost: a pause in one of them is no reason to wait in the next. */
const RECENT = 4;
const RETRY_DELAYS_MS = [20, 50, 100, 250, 500, 1_000, 2_000];

/** Creates the journal of this process: all its runs share one transaction every few milliseconds. */
export function createJournal(store: Store, options: JournalOptions = {}): Journal {
  const { windowMs = 4, retryDelaysMs = RETRY_DELAYS_MS, onBroken } = options;
  const logs = new Map<string, JournaledRun>();
  const listeners = new Map<string, Set<CommitListener>>();
  const waiting = new Set<JournaledRun>();
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let committing = false;
  let hurried = false;
  /** Since when something waits, and whether that is too long for a turn of the loop that does not end. */
  let waitingSince = 0;
  let overdue = false;
  /** When the last commit was begun. */
  let begun = 0;
  let window = windowMs;
  let recent = [0];

  const owner: LogOwner = {
    entriesWait(log, hurry) {
      waiting.add(log);
      hurried ||= hurry;
      arm();
    },
    async finish(log, finish) {
      waiting.delete(log);
      await finishLog(log, finish);
    },
    broken(log, reason) {
      waiting.delete(log);
      forget(log);
      log.tell([], "lost");
      onBroken?.(log.runId, reason);
    },
  };

  /**
   * What comes long after the last commit need not wait: it goes with all that is read in the same turn of the loop. Where
   * hundreds of streams are read in a turn, that turn is longer than the window, and those read first go before it ends.
   */
  function arm(): void {
    if (committing || overdue) return;
    const now = performance.now();
    if (!timer && !immediate) waitingSince = now;
    else if (now - waitingSince > window) {
      overdue = true;
      queueMicrotask(commitWaiting);
      return;
    }
    if (immediate || (timer && !hurried)) return;
    const left = hurried ? 0 : begun + window - now;
    if (left > 0) {
      timer = setTimeout(commitWaiting, left);
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    immediate = setImmediate(commitWaiting);
  }

  /** Never rejects: each log is told its own outcome. */
  async function commitWaiting(): Promise<void> {
    clearTimeout(timer);
    clearImmediate(immediate);
    timer = undefined;
    immediate = undefined;
    hurried = false;
    overdue = false;
    const taken: Taken[] = [];
    for (const log of waiting) if (log.isOpen) taken.push({ log, entries: log.take() });
    waiting.clear();
    if (taken.length === 0) return;
    committing = true;
    begun = performance.now();
    const committed = commitTogether(taken);
    // An engine in this process blocks it until here, one over the network does not.
    const busyMs = performance.now() - begun;
    recent = [...recent.slice(1 - RECENT), busyMs];
    window = Math.max(windowMs, Math.min(Math.min(...recent) / BUSY_SHARE, LONGEST_WINDOW_MS));
    await committed;
    committing = false;
    if (waiting.size > 0) arm();
  }

  async function commitTogether(taken: Taken[]): Promise<void> {
    try {
      await commit(taken, retryDelaysMs);
    } catch (error) {
      const failure = toFailure(error);
      if (taken.length === 1 || failure.code === "STORAGE_FULL") {
        for (const { log } of taken) log.fail(failure);
        return;
      }
      // One run's entries may be what the store refuses; the others must not go down with it.
      for (const one of taken) await commit([one], []).catch((reason) => one.log.fail(toFailure(reason)));
    }
  }

  async function commit(taken: Taken[], delaysMs: readonly number[]): Promise<void> {
    const batches = taken.flatMap(({ entries }) => entries.batches);
    const durable = taken.some(({ entries }) => entries.boundary);
    const { fenced } = await commitWithRetries(store, batches, { durable }, delaysMs);
    for (const { log, entries } of taken) {
      if (fenced.includes(log.runId)) {
        log.fail(new Fenced(log.runId));
        continue;
      }
      log.committed();
      if (entries.encoded.length > 0) log.tell(entries.encoded);
    }
  }

  async function finishLog(log: JournaledRun, finish: FinishRun): Promise<void> {
    try {
      await finishWithRetries(store, finish, retryDelaysMs);
    } catch (error) {
      const reason = error instanceof Fenced ? error : toFailure(error);
      log.fail(reason);
      throw reason;
    }
    log.close();
    forget(log);
    const encoded = finish.events.map((json, index) => ({ seq: finish.firstSeq + index, json }));
    log.tell(encoded, "finished");
  }

  function forget(log: JournaledRun): void {
    if (logs.get(log.runId) === log) logs.delete(log.runId);
    letGo(log.runId);
  }

  function listenersOf(runId: string): Set<CommitListener> {
    const found = listeners.get(runId) ?? new Set();
    listeners.set(runId, found);
    return found;
  }

  /** Forgets who listens to a run, where nobody does and nothing is said. */
  function letGo(runId: string): void {
    if (!logs.has(runId) && listeners.get(runId)?.size === 0) listeners.delete(runId);
  }

  return {
    open(run, restored) {
      if (logs.has(run.id)) throw new Failure("CONFLICT", "This run is already being written.");
      const log = new JournaledRun(run, restored, owner, listenersOf(run.id));
      logs.set(run.id, log);
      return log;
    },
    isOpen: (runId) => logs.has(runId),
    listen(runId, listener) {
      const entries = listenersOf(runId).add(listener);
      return () => {
        entries.delete(listener);
        letGo(runId);
      };
    },
    async close() {
      const open = [...logs.values()];
      await Promise.allSettled(open.map((log) => log.flush()));
      for (const log of open) {
        log.close();
        forget(log);
        log.tell([], "lost");
      }
    },
  };
}
