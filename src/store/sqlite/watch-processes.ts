import { type FSWatcher, watch } from "node:fs";
import type { Database } from "./database.ts";

/** How often this process checks whether another one has written. */
const CHECK_MS = 250;
/** After this many checks without a change, it waits until the write-ahead log is written to. */
const QUIET_CHECKS = 8;

/** Calls back when another process has changed the database. Returns a function that stops it. */
export function watchOtherProcesses(database: Database, changed: () => void): () => void {
  const version = database.prepare<{ data_version: number }>("PRAGMA data_version");
  let last = version.get()?.data_version;
  let quiet = 0;
  let timer: NodeJS.Timeout | undefined;
  let log: FSWatcher | undefined;

  function check(): void {
    const now = version.get()?.data_version;
    quiet = now === last ? quiet + 1 : 0;
    if (now !== last) changed();
    last = now;
  }

  function checkOften(): void {
    log?.close();
    log = undefined;
    quiet = 0;
    timer ??= setInterval(() => {
      check();
      if (quiet >= QUIET_CHECKS) rest();
    }, CHECK_MS).unref();
  }

  /** Checking four times a second would keep the processor of a laptop awake. */
  function rest(): void {
    try {
      log = watch(`${database.path}-wal`, { persistent: false }, checkOften);
    } catch {
      // The system has no watches left, so the checks go on.
      quiet = 0;
      return;
    }
    log.on("error", checkOften);
    clearInterval(timer);
    timer = undefined;
    // Another process may have written just before the watch began.
    check();
    if (quiet === 0) checkOften();
  }

  checkOften();
  return () => {
    clearInterval(timer);
    log?.close();
  };
}
