import { closeSync, fdatasync, fstatSync, openSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** The log of a database to which commits are appended: made durable and moved into the database beside this thread. */
export interface WriteAheadLog {
  /** Resolves once everything committed so far is on disk; those who wait at the same time share one write. */
  synced(): Promise<void>;
  /** Something was committed. */
  grew(): void;
  /** Set while commits that can wait make way for the log's end being moved, a few milliseconds. Never rejects. */
  readonly busy: Promise<void> | undefined;
  close(): Promise<void>;
}

/** A log of so many pages is moved into the database; a small one needs nobody to do so. */
const LARGE_PAGES = 8_000;
/** Where commits never pause by themselves, the log may grow to so many before they are made to. */
const HUGE_PAGES = 32_000;
const PAGE_BYTES = 4_096;
/** Commits until the first look at the log's size, and the most until the next. */
const FIRST_LOOK = 50;
const LAST_LOOK = 5_000;
/** Passes at most while commits go on, and commits during one after which the rest is short. */
const MOST_PASSES = 6;
const FEW_COMMITS = 4;

// Several passes: each moves what was committed during the one before, the last one the rest, so that the log begins anew.
const MOVER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const connection = new DatabaseSync(workerData, { timeout: 1000 });
  const move = connection.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort.on("message", () => {
    try { parentPort.postMessage(move.get()); } catch { parentPort.postMessage({ log: 0 }); }
  });
`;

/** Looks after the log beside the database at this path: waiting for a disk would hold up every stream of the process. */
export function openWriteAheadLog(path: string): WriteAheadLog {
  let file: number | undefined;
  let syncing: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let mover: Worker | undefined;
  let moving = false;
  let passes = 0;
  let commitsBefore = 0;
  let free: PromiseWithResolvers<void> | undefined;
  let commits = 0;
  let nextLook = FIRST_LOOK;

  function log(): number {
    // Locks are on other files, so that a descriptor of our own does no harm here.
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

  function startMover(): Worker {
    const worker = new Worker(MOVER, { eval: true, workerData: path, name: "write-ahead log" });
    worker.unref();
    worker.on("message", ({ log: pages }: { log: number }) => {
      if (free || pages === 0) return settle();
      const meanwhile = commits - commitsBefore;
      if (meanwhile > FEW_COMMITS && passes < MOST_PASSES) return pass(worker);
      // The file does not shrink, so its size tells nothing from here on: so many commits made so many pages.
      const until = Math.min(Math.ceil((commits * LARGE_PAGES) / pages), LAST_LOOK);
      if (meanwhile > 0 && pages < HUGE_PAGES) {
        nextLook = commits + until;
        return settle();
      }
      free = Promise.withResolvers();
      nextLook = until;
      commits = 0;
      worker.postMessage("move");
    });
    // Without it the engine moves the log itself, once that is four times as large as it becomes here.
    worker.on("error", settle);
    return worker;
  }

  function pass(worker: Worker): void {
    passes++;
    commitsBefore = commits;
    worker.postMessage("move");
  }

  function settle(): void {
    moving = false;
    free?.resolve();
    free = undefined;
  }

  return {
    synced: () => {
      next ??= (syncing ?? Promise.resolve()).then(startSync, startSync);
      return next;
    },
    grew() {
      if (++commits < nextLook || moving) return;
      if (!mover && fstatSync(log()).size < LARGE_PAGES * PAGE_BYTES) {
        nextLook = commits + FIRST_LOOK;
        return;
      }
      moving = true;
      mover ??= startMover();
      passes = 0;
      pass(mover);
    },
    get busy() {
      return free?.promise;
    },
    async close() {
      settle();
      await mover?.terminate();
      await (next ?? syncing)?.catch(() => undefined); // Whoever waited for it was told.
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
