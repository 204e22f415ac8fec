import type { AccountEvent, AccountFeedEvent } from "../protocol/account-events.ts";
import { Failure } from "../protocol/failure.ts";
import type { Connection } from "./connection.ts";
import { END, EventStream, LIVE } from "./event-stream.ts";
import { stopped } from "./failure.ts";
import { waitBefore } from "./patience.ts";

const KNOWN: Record<AccountEvent["type"], true> = {
  session_created: true,
  session_renamed: true,
  title: true,
  session_pinned: true,
  project_changed: true,
  memory_changed: true,
  settings_changed: true,
  session_deleted: true,
  draft_changed: true,
  run_started: true,
  run_ended: true,
  tool_approval_required: true,
  tool_approval_decided: true,
  question_required: true,
  question_answered: true,
  ready: true,
  reload: true,
};

/** Yields the events of the account, and reconnects until the signal aborts or the server refuses. */
export async function* followAccount(
  connection: Connection,
  { after = 0, signal }: { after?: number; signal?: AbortSignal },
): AsyncGenerator<AccountFeedEvent> {
  let last = after;
  for (let failures = 0; ; ) {
    let stream: EventStream<AccountEvent> | undefined;
    const close = () => stream?.close();
    try {
      const response = await connection.once("me/events", {
        headers: { accept: "text/event-stream", ...(last > 0 ? { "last-event-id": String(last) } : {}) },
        signal,
      });
      if (!response.body) throw new Error("the response has no body");
      stream = new EventStream(response.body, connection.patience, isKnown);
      signal?.addEventListener("abort", close, { once: true });
      for (
        let frame = await stream.next();
        frame !== undefined && frame !== END;
        frame = await stream.next()
      ) {
        if (frame === LIVE) continue;
        failures = 0;
        last = frame.seq;
        if (frame.event) yield { id: frame.seq, event: frame.event };
      }
    } catch (error) {
      const isRefused = error instanceof Failure && error.status < 500 && error.status !== 429;
      if (isRefused && !signal?.aborted) throw error;
    } finally {
      signal?.removeEventListener("abort", close);
      close();
    }
    if (signal?.aborted) throw stopped(signal.reason);
    await waitBefore(++failures, connection.patience, signal);
  }
}

function isKnown(event: object & { type: string }): event is AccountEvent {
  return Object.hasOwn(KNOWN, event.type);
}
