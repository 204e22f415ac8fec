import type { FollowOptions } from "../protocol/chat.ts";
import type { ChatEvent, LoggedEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { Connection } from "./connection.ts";
import { END, type EventFrame, EventStream, isRunEvent, LIVE } from "./event-stream.ts";
import { lost, stopped } from "./failure.ts";
import { LONGEST_RETRY_AFTER_SECONDS, waitBefore } from "./patience.ts";

export interface Follow extends Pick<FollowOptions, "onLive" | "onConnection"> {
  runId: string;
  after: number;
  signal: AbortSignal | undefined;
  /** Returns a connection that is already open, from its first event on. */
  takeOpened(): EventStream | undefined;
}

/**
 * Yields a run's events in order up to the last one, and reconnects as often as needed. If the server has lost events, they
 * start over with `session`.
 */
export async function* followRun(connection: Connection, follow: Follow): AsyncGenerator<LoggedEvent> {
  const { signal, onConnection } = follow;
  let { onLive } = follow;
  const { attempts } = connection.patience;
  let last = follow.after;
  /** The event `last`. After a reconnect it is read again, to see whether the server still has the same. */
  let seen: ChatEvent | undefined;
  let opened = follow.takeOpened();
  let failures = 0;
  let isLost = false;
  for (;;) {
    let stream: EventStream | undefined;
    let closeOnAbort: (() => void) | undefined;
    try {
      const isResumed = opened === undefined && last > 0;
      stream =
        opened ?? (await openEvents(connection, follow.runId, seen && last > 1 ? last - 1 : last, signal));
      opened = undefined;
      closeOnAbort = () => stream?.close();
      signal?.addEventListener("abort", closeOnAbort, { once: true });
      for (;;) {
        if (signal?.aborted) throw stopped(signal.reason);
        const frame = await stream.next();
        if (frame === undefined) throw new Error("the connection ended before the run did");
        if (isLost) onConnection?.("back");
        isLost = false;
        if (frame === END) return;
        if (frame === LIVE) {
          onLive?.();
          onLive = undefined;
          continue;
        }
        if (isResumed && hasLostEvents(frame, last, seen)) {
          last = 0;
          seen = undefined;
        }
        if (frame.seq <= last) continue;
        if (frame.seq > last + 1) throw new Error(`event ${last + 1} is missing`);
        last = frame.seq;
        seen = frame.event;
        failures = 0;
        if (frame.event === undefined) continue;
        yield { seq: frame.seq, event: frame.event };
        if (frame.event.type === "done") return;
      }
    } catch (error) {
      if (signal?.aborted) throw stopped(error);
      const retryAfter = retryDelay(error);
      failures++;
      if (failures >= attempts) throw lost(connection.origin, error);
      if (!isLost) onConnection?.("lost");
      isLost = true;
      await waitBefore(failures, connection.patience, signal, retryAfter);
    } finally {
      if (closeOnAbort) signal?.removeEventListener("abort", closeOnAbort);
      stream?.close();
    }
  }
}

/** True if a resumed stream begins again, or has another event in the place of the last one that was seen. */
function hasLostEvents({ seq, event }: EventFrame, last: number, seen: ChatEvent | undefined): boolean {
  if (seq === 1 && last > 1) return true;
  return seq === last && seen !== undefined && JSON.stringify(event) !== JSON.stringify(seen);
}

async function openEvents(
  connection: Connection,
  runId: string,
  after: number,
  signal: AbortSignal | undefined,
): Promise<EventStream> {
  const response = await connection.once(`runs/${encodeURIComponent(runId)}/events`, {
    headers: { ...streamHeaders(connection), ...(after > 0 ? { "last-event-id": String(after) } : {}) },
    signal,
  });
  return streamOf(response, connection);
}

/** Asks for a stream, and for no more pieces than this client reads. */
export function streamHeaders({ patience: { paceMs } }: Connection): Record<string, string> {
  return { accept: "text/event-stream", ...(paceMs > 0 ? { "x-tackle-pace": String(paceMs) } : {}) };
}

/** Returns the events of a response. */
export function streamOf(response: Response, connection: Connection): EventStream {
  if (!response.body) throw new Error("the response has no body");
  return new EventStream(response.body, connection.patience, isRunEvent);
}

/** Throws if another attempt can't help. Returns the seconds that the server asked to wait. */
function retryDelay(error: unknown): number | undefined {
  if (!(error instanceof Failure)) return undefined;
  if (error.status < 500 && error.status !== 429) throw error;
  if ((error.retryAfter ?? 0) > LONGEST_RETRY_AFTER_SECONDS) throw error;
  return error.retryAfter;
}
