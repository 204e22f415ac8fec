import { type FSWatcher, watch } from "node:fs";
import type { RunSignal } from "../../protocol/store.ts";
import type { Database } from "./database.ts";

/** How often this process checks whether another one has written. */
const CHECK_MS = 250;
/** After this many checks without a change, it waits until the write-ahead log is written to. */
const QUIET_CHECKS = 8;

/**
 * Calls back when another process has changed the database: with `control` if the owner of a run may have to know, with `events`
 * otherwise. Returns a function that stops it.
 */
export function watchOtherProcesses(database: Database, changed: (signal: RunSignal) => void): () => void {
  const version = database.prepare<{ data_version: number }>("PRAGMA data_version");
  const control = database.prepare<{ version: number }>("SELECT version FROM control_version");
  let last = version.get()?.data_version;
  let lastControl = control.get()?.version;
  let quiet = 0;
  let timer: NodeJS.Timeout | undefined;
  let log: FSWatcher | undefined;

  function check(): void {
    const now = version.get()?.data_version;
    quiet = now === last ? quiet + 1 : 0;
    if (now !== last) tell();
    last = now;
  }

  /** Asking every run of a busy process for its state, four times a second, would cost as much as a fifth of its tokens. */
  function tell(): void {
    const now = control.get()?.version;
    changed(now === lastControl ? "events" : "control");
    lastControl = now;
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
      // The system has no watches left, so the checks continue.
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
