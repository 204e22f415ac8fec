import { renameSync, statSync } from "node:fs";
import pino from "pino";

const LONGEST_FILE = 5_000_000;

/** Removes secrets and personal data, from a text or from a whole object. */
export interface Redaction {
  text(text: string): string;
  deep(facts: object): unknown;
}

/** The operator's log, as JSON lines. Everything is redacted first: no keys, no personal data, no stack traces. */
export function createLog(
  level: string,
  redaction: Redaction,
  to: pino.DestinationStream | string | undefined = undefined,
  /** What every line says. */
  base: Record<string, unknown> | null = null,
) {
  const destination = typeof to === "object" ? to : to === undefined ? toStandardError() : toFile(to);
  return pino(
    {
      level,
      base,
      formatters: { log: (facts) => redaction.deep(facts) as Record<string, unknown> },
      hooks: {
        logMethod(args, method) {
          const clean = args.map((arg) =>
            typeof arg === "string" ? redaction.text(arg) : arg,
          ) as typeof args;
          method.apply(this, clean);
        },
      },
    },
    destination,
  );
}

function toStandardError(): pino.DestinationStream {
  return pino.destination({ fd: 2, sync: true });
}

/** Only its owner can read it. A file that has grown long is set aside, and one such file is kept. */
function toFile(file: string): pino.DestinationStream {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LONGEST_FILE) renameSync(file, `${file}.old`);
  return pino.destination({ dest: file, sync: true, append: true, mode: 0o600 });
}
