import pino from "pino";
import { redact, redactDeep } from "../guard/redact/redact.ts";

/** The operators' log, as JSON lines. Everything passes the fifth layer on its way in: no keys, no personal data, no stacks. */
export function createLog(
  level: string,
  destination: pino.DestinationStream = pino.destination({ fd: 2, sync: true }),
) {
  return pino(
    {
      level,
      base: null,
      formatters: { log: (facts) => redactDeep(facts) as Record<string, unknown> },
      hooks: {
        logMethod(args, method) {
          const clean = args.map((arg) => (typeof arg === "string" ? redact(arg) : arg)) as typeof args;
          method.apply(this, clean);
        },
      },
    },
    destination,
  );
}
