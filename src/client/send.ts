import type { StartedRun } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import type { Connection } from "./connection.ts";
import { END, type EventStream } from "./event-stream.ts";
import { stopped, unreachable } from "./failure.ts";
import { streamOf } from "./follow.ts";
import { waitBefore } from "./patience.ts";

const ATTEMPTS = 4;

export interface SentRun {
  started: StartedRun;
  /** The connection that the answer comes in on, its first event not yet taken. */
  stream: EventStream;
}

/** Starts a turn. A lost answer is asked for again under the same key, which joins the run that was opened. */
export async function sendRequest(
  connection: Connection,
  request: ChatRequest,
  options: { idempotencyKey?: string; signal?: AbortSignal } = {},
): Promise<SentRun> {
  const { signal } = options;
  const idempotencyKey = options.idempotencyKey ?? randomKey();
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce(connection, request, idempotencyKey, signal);
    } catch (error) {
      if (signal?.aborted) throw stopped(error);
      if (error instanceof Failure) throw error;
      if (attempt >= ATTEMPTS) throw unreachable(connection.origin, error);
      await waitBefore(attempt, connection.patience, signal);
    }
  }
}

async function sendOnce(
  connection: Connection,
  request: ChatRequest,
  idempotencyKey: string,
  signal: AbortSignal | undefined,
): Promise<SentRun> {
  // The caller's signal ends the asking; the answer that comes after it belongs to whoever follows the run.
  const asking = new AbortController();
  const abort = () => asking.abort(signal?.reason);
  if (signal?.aborted) throw stopped(signal.reason);
  signal?.addEventListener("abort", abort, { once: true });
  let stream: EventStream | undefined;
  try {
    const response = await connection.once("chat", {
      method: "POST",
      body: { ...request, stream: true },
      headers: { accept: "text/event-stream", "idempotency-key": idempotencyKey },
      signal: asking.signal,
    });
    stream = streamOf(response, connection);
    const first = await stream.next();
    if (first === undefined) throw new Error("the connection ended before the run began");
    if (first === END || first.event?.type !== "session") {
      throw new Failure(
        "UPSTREAM_ERROR",
        `The server at ${connection.origin} did not answer as Tackle does.`,
      );
    }
    stream.unread(first);
    const { runId, sessionId, messageId, model } = first.event;
    return { started: { runId, sessionId, messageId, model }, stream };
  } catch (error) {
    stream?.close();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** Not randomUUID: browsers offer that on secure pages only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
