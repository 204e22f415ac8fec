import type { Logger } from "pino";

/** Without these handlers Node would print errors as they are, with paths and keys. */
export function logUncaught(log: Logger): void {
  process.on("unhandledRejection", (thrown) => log.error({ err: thrown }, "unhandled rejection"));
  process.on("uncaughtException", (thrown) => {
    log.fatal({ err: thrown }, "uncaught exception: the server stops");
    process.exit(1);
  });
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
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
}
