import type { ChatEvent, ChatEventType, EventOf } from "../../../protocol/events.ts";
import type { HttpContext, ServerState } from "../../context.ts";
import { whenCallerGone } from "../../sse.ts";
import { runFailure } from "./errors.ts";

/** Events that come before the model has said anything. */
const PRELUDE: ReadonlySet<ChatEventType> = new Set([
  "session",
  "usage",
  "retry_status",
  "warning",
  "reasoning_status",
]);

/**
 * How long an answer is held back for the model's first sign: a request that the vendor refuses is answered with an error
 * status, which clients know what to do with, where a stream that has begun can only break off.
 */
const PATIENCE_MS = 5_000;

/** Resolves once the model has begun, or has taken too long to wait for. Throws the failure of a run that came to nothing. */
export async function untilBegun(c: HttpContext, server: ServerState, runId: string): Promise<void> {
  const enough = new AbortController();
  const patienceMs = server.deps.config.stream?.patienceMs ?? PATIENCE_MS;
  const until = [enough.signal, server.closing, whenCallerGone(c), AbortSignal.timeout(patienceMs)];
  let error: EventOf<"error"> | undefined;
  await server.deps.feed.follow(
    runId,
    0,
    (events) => {
      for (const { json } of events) {
        if (enough.signal.aborted) return;
        const event = JSON.parse(json) as ChatEvent;
        if (PRELUDE.has(event.type)) continue;
        if (event.type === "error") error = event;
        enough.abort();
      }
    },
    AbortSignal.any(until),
  );
  if (error) throw runFailure(error);
}
