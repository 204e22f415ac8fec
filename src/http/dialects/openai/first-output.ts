import type { ChatEvent, ChatEventType, EventOf } from "../../../protocol/events.ts";
import type { Failure } from "../../../protocol/failure.ts";
import type { HttpContext } from "../../context.ts";
import { whenCallerGone } from "../../sse.ts";
import { runFailure } from "./errors.ts";
import { noteWarnings } from "./warnings.ts";

/** Events that can come before the first output of the model. */
const PRELUDE: ReadonlySet<ChatEventType> = new Set([
  "session",
  "usage",
  "retry_status",
  "warning",
  "reasoning_status",
]);

/** How long to wait for the first output. Until then a refusal by the vendor can still be sent as an error status. */
const PATIENCE_MS = 5_000;
/** Without a reason, every answer would create an error with an unused stack trace. */
const ENOUGH = "the first output has come, or the wait for it is over";

/** Resolves at the first output of the model or after a few seconds. Throws the failure of a run that failed before that. */
export async function waitForFirstOutput(
  c: HttpContext,
  runId: string,
  asFailure: (error: EventOf<"error">) => Failure = runFailure,
): Promise<void> {
  const server = c.get("server");
  const enough = new AbortController();
  const patienceMs = server.deps.config.stream?.patienceMs ?? PATIENCE_MS;
  const patience = setTimeout(() => enough.abort(ENOUGH), patienceMs);
  const warnings: EventOf<"warning">[] = [];
  let error: EventOf<"error"> | undefined;
  // It will be a stream soon, so it counts as one.
  server.inFlight += 1;
  try {
    await server.deps.feed.follow(
      runId,
      0,
      (events) => {
        for (const { json } of events) {
          if (enough.signal.aborted) return;
          const event = JSON.parse(json) as ChatEvent;
          if (event.type === "warning") warnings.push(event);
          if (PRELUDE.has(event.type)) continue;
          if (event.type === "error") error = event;
          enough.abort(ENOUGH);
        }
      },
      AbortSignal.any([enough.signal, server.closing, whenCallerGone(c)]),
    );
  } finally {
    clearTimeout(patience);
    server.inFlight -= 1;
  }
  noteWarnings(c, warnings);
  if (error) throw asFailure(error);
}
