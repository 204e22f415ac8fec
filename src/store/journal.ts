import { performance } from "node:perf_hooks";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { CommitListener, Journal } from "../protocol/journal.ts";
import type { FinishRun } from "../protocol/run-records.ts";
import { Fenced, type Store } from "../protocol/store.ts";
import { CommitWindow } from "./commit-window.ts";
import { commitAgain, commitMissing, finishAgain } from "./retries.ts";
import type { TakenEntries } from "./run-buffer.ts";
import { type BrokenReason, JournaledRun, type LogOwner } from "./run-log.ts";

export interface JournalOptions {
  /** How long deltas wait to be committed together; longer when commits keep the process busy. */
  windowMs?: number;
  /** Waits between attempts when the store fails in a way that may be temporary. */
  retryDelaysMs?: readonly number[];
  /** Called when the run can no longer be written and its owner must stop. Must not throw. */
  onBroken?(runId: string, reason: BrokenReason): void;
}

interface Taken {
  log: JournaledRun;
  entries: TakenEntries;
}

const RETRY_DELAYS_MS = [20, 50, 100, 250, 500, 1_000, 2_000];

/** Creates the journal of this process. All its runs share one transaction every few milliseconds. */
export function createJournal(store: Store, options: JournalOptions = {}): Journal {
  const { windowMs = 4, retryDelaysMs = RETRY_DELAYS_MS, onBroken } = options;
  const logs = new Map<string, JournaledRun>();
  const listeners = new Map<string, Set<CommitListener>>();
  const pending = new Set<JournaledRun>();
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let committing = false;
  let urgent = false;
  /** When the first pending entry came, and whether it has waited too long for the current turn of the event loop. */
  let pendingSince = 0;
  let overdue = false;
  /** When the last commit started. */
  let startedAt = 0;
  const window = new CommitWindow(windowMs, store.isEmbedded ? "embedded" : "shared");
  let utilization = performance.eventLoopUtilization();

  const owner: LogOwner = {
    entriesPending(log, isUrgent) {
      pending.add(log);
      urgent ||= isUrgent;
      schedule();
    },
    async finish(log, finish) {
      pending.delete(log);
      await finishLog(log, finish);
    },
    broken(log, reason) {
      pending.delete(log);
      forget(log);
      log.notify([], "lost");
      onBroken?.(log.runId, reason);
    },
  };

  /**
   * Schedules the next commit. What comes long after the last commit does not wait: it is committed with everything else
   * that is read in the same turn of the event loop. With hundreds of streams a turn is longer than the window; then those
   * read first are committed before it ends.
   */
  function schedule(): void {
    if (committing || overdue) return;
    const now = performance.now();
    if (!timer && !immediate) pendingSince = now;
    else if (now - pendingSince > window.ms) {
      overdue = true;
      queueMicrotask(commitPending);
      return;
    }
    if (immediate || (timer && !urgent)) return;
    const left = urgent ? 0 : startedAt + window.ms - now;
    if (left > 0) {
      timer = setTimeout(commitPending, left);
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    immediate = setImmediate(commitPending);
  }

  /** Never rejects: each log is told its own outcome. */
  async function commitPending(): Promise<void> {
    clearTimeout(timer);
    clearImmediate(immediate);
    timer = undefined;
    immediate = undefined;
    urgent = false;
    overdue = false;
    const taken: Taken[] = [];
    for (const log of pending) if (log.isOpen) taken.push({ log, entries: log.take() });
    pending.clear();
    if (taken.length === 0) return;
    committing = true;
    startedAt = performance.now();
    const committed = commitTogether(taken);
    // An embedded engine blocks the process until here, one over the network does not.
    const busyMs = performance.now() - startedAt;
    await committed;
    const { utilization: load } = performance.eventLoopUtilization(utilization);
    utilization = performance.eventLoopUtilization();
    window.adapt({ busyMs, load });
    committing = false;
    if (pending.size > 0) schedule();
  }

  async function commitTogether(taken: Taken[]): Promise<void> {
    try {
      await commit(taken);
    } catch (error) {
      const failure = toFailure(error);
      if (taken.length === 1 || failure.code === "STORAGE_FULL") {
        for (const { log } of taken) log.fail(failure);
        return;
      }
      // The store may refuse the entries of one run only, so the others are committed one by one.
      for (const one of taken)
        await commit([one], "again").catch((reason) => one.log.fail(toFailure(reason)));
    }
  }

  async function commit(taken: Taken[], when: "first" | "again" = "first"): Promise<void> {
    const batches = taken.flatMap(({ entries }) => entries.batches);
    const options = { durable: taken.some(({ entries }) => entries.boundary) };
    const { fenced } =
      when === "again"
        ? await commitMissing(store, batches, options)
        : await store
            .commit(batches, options)
            .catch((failed) => commitAgain(store, batches, options, failed, retryDelaysMs));
    for (const { log, entries } of taken) {
      if (fenced.includes(log.runId)) {
        log.fail(new Fenced(log.runId));
        continue;
      }
      log.committed();
      if (entries.encoded.length > 0) log.notify(entries.encoded);
    }
  }

  async function finishLog(log: JournaledRun, finish: FinishRun): Promise<void> {
    try {
      await store.finishRun(finish).catch((failed) => finishAgain(store, finish, failed, retryDelaysMs));
    } catch (error) {
      const reason = error instanceof Fenced ? error : toFailure(error);
      log.fail(reason);
      throw reason;
    }
    log.close();
    forget(log);
    const encoded = finish.events.map((json, index) => ({ seq: finish.firstSeq + index, json }));
    log.notify(encoded, "finished");
  }

  function forget(log: JournaledRun): void {
    if (logs.get(log.runId) === log) logs.delete(log.runId);
    removeListeners(log.runId);
  }

  function listenersOf(runId: string): Set<CommitListener> {
    const found = listeners.get(runId) ?? new Set();
    listeners.set(runId, found);
    return found;
  }

  /** Removes an empty set of listeners of a run that is not open. */
  function removeListeners(runId: string): void {
    if (!logs.has(runId) && listeners.get(runId)?.size === 0) listeners.delete(runId);
  }

  return {
    open(run, recovered, settingsOf) {
      if (logs.has(run.id)) throw new Failure("CONFLICT", "This run is already being written.");
      const log = new JournaledRun(run, recovered, owner, listenersOf(run.id), settingsOf);
      logs.set(run.id, log);
      return log;
    },
    isOpen: (runId) => logs.has(runId),
    beginning: (runId) => logs.get(runId)?.beginning,
    listen(runId, listener) {
      const entries = listenersOf(runId).add(listener);
      return () => {
        entries.delete(listener);
        removeListeners(runId);
      };
    },
    async close() {
      const open = [...logs.values()];
      await Promise.allSettled(open.map((log) => log.flush()));
      for (const log of open) {
        log.close();
        forget(log);
        log.notify([], "lost");
      }
    },
  };
}
