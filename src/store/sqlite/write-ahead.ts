import { closeSync, fdatasync, fstatSync, openSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** The write-ahead log of a database. It is synced and checkpointed outside of this thread. */
export interface WriteAheadLog {
  /** Resolves when everything committed so far is on disk. Callers that wait at the same time share one sync. */
  synced(): Promise<void>;
  /** Call this after each commit. */
  grew(): void;
  /** Set during the last pass of a checkpoint, a few milliseconds: commits that can wait should. Never rejects. */
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
/** The most passes while commits go on, and how few commits during a pass make the next one the last. */
const MAX_PASSES = 6;
const FEW_COMMITS = 4;

// Each pass copies what was committed during the one before. After the last one the log starts over.
const CHECKPOINTER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const connection = new DatabaseSync(workerData, { timeout: 1000 });
  const move = connection.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort.on("message", () => {
    try { parentPort.postMessage(move.get()); } catch { parentPort.postMessage({ log: 0 }); }
  });
`;

/** Opens the log of the database at this path. Waiting for the disk in this thread would hold up every stream. */
export function openWriteAheadLog(path: string): WriteAheadLog {
  let file: number | undefined;
  let syncing: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let checkpointer: Worker | undefined;
  let checkpointing = false;
  let passes = 0;
  let commitsBefore = 0;
  let free: PromiseWithResolvers<void> | undefined;
  let commits = 0;
  let nextCheck = FIRST_CHECK;

  function log(): number {
    // SQLite locks other files, so a descriptor of our own does no harm.
    file ??= openSync(`${path}-wal`, "r+");
    return file;
  }

  function startSync(): Promise<void> {
    next = undefined;
    syncing = new Promise<void>((resolve, reject) => {
      fdatasync(log(), (error) => (error ? reject(error) : resolve()));
    });
    return syncing;
  }

  function startWorker(): Worker {
    const worker = new Worker(CHECKPOINTER, { eval: true, workerData: path, name: "write-ahead log" });
    worker.unref();
    worker.on("message", ({ log: pages }: { log: number }) => {
      if (free || pages === 0) return settle();
      const meanwhile = commits - commitsBefore;
      if (meanwhile > FEW_COMMITS && passes < MAX_PASSES) return pass(worker);
      // The file does not shrink, so from here on the number of commits is used to estimate the size.
      const until = Math.min(Math.ceil((commits * LARGE_PAGES) / pages), MAX_CHECK);
      if (meanwhile > 0 && pages < HUGE_PAGES) {
        nextCheck = commits + until;
        return settle();
      }
      free = Promise.withResolvers();
      nextCheck = until;
      commits = 0;
      worker.postMessage("move");
    });
    // Without the worker, SQLite checkpoints by itself once the log is four times as large.
    worker.on("error", settle);
    return worker;
  }

  function pass(worker: Worker): void {
    passes++;
    commitsBefore = commits;
    worker.postMessage("move");
  }

  function settle(): void {
    checkpointing = false;
    free?.resolve();
    free = undefined;
  }

  return {
    synced: () => {
      next ??= (syncing ?? Promise.resolve()).then(startSync, startSync);
      return next;
    },
    grew() {
      if (++commits < nextCheck || checkpointing) return;
      if (!checkpointer && fstatSync(log()).size < LARGE_PAGES * PAGE_BYTES) {
        nextCheck = commits + FIRST_CHECK;
        return;
      }
      checkpointing = true;
      checkpointer ??= startWorker();
      passes = 0;
      pass(checkpointer);
    },
    get busy() {
      return free?.promise;
    },
    async close() {
      settle();
      await checkpointer?.terminate();
      await (next ?? syncing)?.catch(() => undefined); // Whoever waited for it has seen the failure.
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
