import { closeSync, openSync } from "node:fs";
import { lockDataDirectory } from "../../store/lock.ts";
import { serveLines } from "../../terminal/listings.ts";
import { say } from "../../terminal/output.ts";
import { openLog } from "../builders/data.ts";
import type { Config } from "../config.ts";
import { createDataDirectory } from "../data-directory.ts";
import { productVersion } from "../product-version.ts";
import { createWorkers } from "./primary.ts";
import { logUncaught, toldToStop } from "./signals.ts";

/** How much longer than a worker's own grace the primary waits for it. */
const LATE_MS = 1_000;

/** Serves with several worker processes on one port. This process only looks after them. */
export async function serveWithWorkers(config: Config, count: number): Promise<number> {
  createDataDirectory(config.dataDir);
  const unlock = lockDataDirectory(config.dataDir);
  const log = openLog(config);
  logUncaught(log);
  const workers = createWorkers(count, log);
  const told = toldToStop(workers.kill);
  try {
    const facts = await Promise.race([workers.start(), told.then(() => "stopped" as const)]);
    if (facts === undefined) return 1;
    if (facts !== "stopped") {
      say(serveLines({ ...facts, version: productVersion(), processes: count }));
      let rolling = Promise.resolve();
      let hungUp: (() => void) | undefined;
      const hangUp = new Promise<void>((resolve) => {
        hungUp = resolve;
      });
      process.on("SIGHUP", () => {
        if (isTerminalGone()) return hungUp?.();
        rolling = rolling.then(() => workers.roll());
      });
      await Promise.race([told, hangUp]);
    }
    await workers.stop(config.graceMs + LATE_MS);
    return 0;
  } finally {
    unlock();
  }
}

/** True if the signal came because the terminal was closed, not to restart the workers. */
function isTerminalGone(): boolean {
  if (!process.stdin.isTTY) return false;
  try {
    closeSync(openSync("/dev/tty", "r"));
    return false;
  } catch {
    return true;
  }
}
