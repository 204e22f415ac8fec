import { closeSync, fdatasync, fstatSync, openSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** The write-ahead log of a database. It is synced and checkpointed outside of this thread. */
export interface WriteAheadLog {
  /** Resolves when everything committed so far is on disk. Callers that wait at the same time share one sync. */
  synced(): Promise<void>;
  /** Call this after each commit. It is synced within a second, even if no caller waits for that. */
  grew(): void;
  /** Empties the log soon, because it holds what was deleted. */
  scrub(): void;
  /** Set while a checkpoint needs the log for itself, a few milliseconds: commits that can wait should. Never rejects. */
  readonly busy: Promise<void> | undefined;
  close(): Promise<void>;
}

/** A log of this many pages is checkpointed. */
const LARGE_PAGES = 8_000;
/** If commits never pause, the log may grow to this many pages before they are made to wait. */
const HUGE_PAGES = 32_000;
const PAGE_BYTES = 4_096;
/** Commits until the log's size is first checked, and the most until the next check. */
const FIRST_CHECK = 50;
const MAX_CHECK = 5_000;
/** The most passes while commits continue, and how few commits during a pass make the next one the last. */
const MAX_PASSES = 6;
const FEW_COMMITS = 4;
/** What is committed without being synced is synced after this time. */
export const SYNC_MS = 500;
/** A file that is larger is truncated after this many periods of `SYNC_MS` with few commits. */
const TRUNCATE_BYTES = 8_000_000;
const QUIET_PERIODS = 20;

const CHECKPOINTER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const connection = new DatabaseSync(workerData, { timeout: 50 });
  parentPort.on("message", (mode) => {
    try { parentPort.postMessage(connection.prepare("PRAGMA wal_checkpoint(" + mode + ")").get()); }
    catch { parentPort.postMessage({ busy: 1, log: 0 }); }
  });
`;

interface Checkpoint {
  /** 0 if the mode's work was done. */
  busy: number;
  /** Pages in the log. */
  log: number;
}

/** Opens the log of the database at this path. Waiting for the disk in this thread would hold up every stream. */
export function openWriteAheadLog(path: string): WriteAheadLog {
  // SQLite locks other files, so a second descriptor does no harm.
  const file = openSync(`${path}-wal`, "r+");
  let syncing: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let isSynced = true;
  let failed: unknown;
  let timer: NodeJS.Timeout | undefined;
  let quiet = 0;
  /** Set until the log was emptied after a deletion. An earlier process may have deleted something and died. */
  let scrubbing = fstatSync(file).size > 0;
  let checkpointer: Worker | undefined;
  let answer: ((checkpoint: Checkpoint) => void) | undefined;
  let checkpointing = false;
  let free: PromiseWithResolvers<void> | undefined;
  let commits = 0;
  let commitsAtTick = 0;
  let nextCheck = FIRST_CHECK;
  /** False once the log has started over: the file does not shrink then, so the number of commits is used to estimate. */
  let fileShowsSize = true;
  watch();

  function startSync(): Promise<void> {
    next = undefined;
    isSynced = true;
    syncing = new Promise<void>((resolve, reject) => {
      fdatasync(file, (error) => (error ? reject(error) : resolve()));
    });
    return syncing;
  }

  function synced(): Promise<void> {
    next ??= (syncing ?? Promise.resolve()).then(startSync, startSync);
    return next;
  }

  /** Keeps looking after the log until it is synced, small and quiet. */
  function watch(): void {
    timer ??= setTimeout(tick, SYNC_MS);
    timer.unref();
  }

  function tick(): void {
    timer = undefined;
    if (!isSynced) synced().catch((error) => (failed = error));
    quiet = commits - commitsAtTick > FEW_COMMITS ? 0 : quiet + 1;
    commitsAtTick = commits;
    if (scrubbing) void truncate();
    else if (fstatSync(file).size > TRUNCATE_BYTES) {
      if (quiet >= QUIET_PERIODS) void truncate();
    } else if (isSynced && quiet > 0) {
      endWorker();
      return;
    }
    watch();
  }

  /** Runs one checkpoint in the worker. Without the worker, SQLite checkpoints once the log is four times as large. */
  function checkpoint(mode: "PASSIVE" | "TRUNCATE"): Promise<Checkpoint> {
    checkpointer ??= startWorker();
    checkpointer.postMessage(mode);
    return new Promise((resolve) => {
      answer = resolve;
    });
  }

  function startWorker(): Worker {
    const worker = new Worker(CHECKPOINTER, { eval: true, workerData: path, name: "write-ahead log" });
    worker.unref();
    worker.on("message", (done: Checkpoint) => answer?.(done));
    worker.on("error", () => answer?.({ busy: 1, log: 0 }));
    return worker;
  }

  /** A thread takes 20 MB, and the log is now small and quiet. */
  function endWorker(): void {
    if (checkpointing) return;
    void checkpointer?.terminate();
    checkpointer = undefined;
  }

  /** Moves the log into the database while commits continue. Each pass moves what was committed during the one before. */
  async function move(): Promise<void> {
    for (let passes = 1; ; passes++) {
      const before = commits;
      const { log: pages } = await checkpoint("PASSIVE");
      if (pages === 0) return;
      const meanwhile = commits - before;
      if (meanwhile > FEW_COMMITS && passes < MAX_PASSES) continue;
      fileShowsSize = false;
      const until = Math.min(Math.ceil((commits * LARGE_PAGES) / pages), MAX_CHECK);
      if (meanwhile > 0 && pages < HUGE_PAGES) {
        nextCheck = commits + until;
        return;
      }
      free = Promise.withResolvers();
      nextCheck = until;
      startCounting();
      await checkpoint("PASSIVE");
      return;
    }
  }

  /** Gives the file's space back. Fails while another connection reads from the log; `tick` tries again. */
  async function truncate(): Promise<void> {
    quiet = 0;
    if (checkpointing) return;
    checkpointing = true;
    scrubbing = false;
    await checkpoint("PASSIVE");
    free = Promise.withResolvers();
    const { busy } = await checkpoint("TRUNCATE");
    if (busy === 0) {
      fileShowsSize = true;
      nextCheck = FIRST_CHECK;
      startCounting();
    } else {
      scrubbing = true;
      watch();
    }
    settle();
  }

  function startCounting(): void {
    commits = 0;
    commitsAtTick = 0;
  }

  function settle(): void {
    checkpointing = false;
    free?.resolve();
    free = undefined;
  }

  return {
    synced() {
      // A background sync failed, so commits may be lost. A later sync must not hide that.
      if (failed === undefined) return synced();
      const error = failed;
      failed = undefined;
      return Promise.reject(error);
    },
    grew() {
      isSynced = false;
      watch();
      if (++commits < nextCheck || checkpointing) return;
      if (fileShowsSize && fstatSync(file).size < LARGE_PAGES * PAGE_BYTES) {
        nextCheck = commits + FIRST_CHECK;
        return;
      }
      checkpointing = true;
      void move().finally(settle);
    },
    scrub() {
      scrubbing = true;
      watch();
    },
    get busy() {
      return free?.promise;
    },
    async close() {
      clearTimeout(timer);
      settle();
      await checkpointer?.terminate();
      await (next ?? syncing)?.catch(() => undefined); // The caller that waited for it has seen the failure.
      closeSync(file);
    },
  };
}
