import pino from "pino";

/** Removes secrets and personal data, from a text or from a whole object. */
export interface Redaction {
  text(text: string): string;
  deep(facts: object): unknown;
}

/** The operator's log, as JSON lines. Everything is redacted first: no keys, no personal data, no stack traces. */
export function createLog(
  level: string,
  redaction: Redaction,
  destination: pino.DestinationStream = pino.destination({ fd: 2, sync: true }),
) {
  return pino(
    {
      level,
      base: null,
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
