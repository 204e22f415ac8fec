import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Logger } from "pino";
import { onInterrupt } from "../../terminal/interrupts.ts";
import type { Config } from "../config.ts";

type ToolFolders = Pick<Config, "dataDir" | "toolsDir">;

/**
 * Without these handlers Node would print errors as they are, with paths and keys. An error that a tool of the person's own throws
 * after its call, in a timer for example, ends nobody's work.
 */
export function logUncaught(log: Logger, folders?: ToolFolders): void {
  process.on("unhandledRejection", (thrown) => log.error({ err: thrown }, "unhandled rejection"));
  process.on("uncaughtException", (thrown) => {
    if (folders && isThrownByTools(thrown, [folders.toolsDir, join(folders.dataDir, "added-tools")]))
      return log.error({ err: thrown }, "one of your tools threw outside of its call");
    log.fatal({ err: thrown }, "uncaught exception: the server stops");
    process.exit(1);
  });
}

/** True if nothing but files of these folders, and Node itself, was being run. */
function isThrownByTools(thrown: unknown, folders: readonly string[]): boolean {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const places = stack.split("\n").filter((line) => /^\s+at /.test(line) && !/\(?node:/.test(line));
  const isOfTool = (place: string) =>
    folders.some((folder) => place.includes(pathToFileURL(folder + sep).href));
  return places.length > 0 && places.every(isOfTool);
}

/** Resolves when the process is told to stop. Told so again from the keyboard, it exits at once, after `atOnce`. */
export function toldToStop(atOnce?: () => void): Promise<void> {
  return new Promise<void>((resolve) => {
    let asked = false;
    const stop = (signal: NodeJS.Signals) => {
      if (asked && signal === "SIGINT") {
        atOnce?.();
        process.exit(130);
      }
      if (asked) return;
      asked = true;
      process.stderr.write("tackle: stopping … Press Ctrl-C again to stop at once.\n");
      resolve();
    };
    onInterrupt(stop, ["SIGINT", "SIGTERM"]);
  });
}
