import type { SendOptions, StartedRun } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import type { Connection } from "./connection.ts";
import { END, type EventStream, LIVE } from "./event-stream.ts";
import { stopped, unreachable } from "./failure.ts";
import { streamHeaders, streamOf } from "./follow.ts";
import { waitBefore } from "./patience.ts";
import { randomKey } from "./random-key.ts";

const ATTEMPTS = 4;

export interface SentRun {
  started: StartedRun;
  /** The connection with the run's events, from the first one on. */
  stream: EventStream;
}

/** Starts a turn. If the connection is lost, it asks again with the same key and joins the run that was opened. */
export async function sendRequest(
  connection: Connection,
  request: ChatRequest,
  options: SendOptions = {},
): Promise<SentRun> {
  const { signal } = options;
  for (const name of ["system", "schema", "maxSteps", "maxToolCalls"] as const)
    if (options[name] !== undefined)
      throw new Failure("INVALID_INPUT", `${name}: a server decides this itself. Use it with createTackle.`);
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
  // The caller's signal ends only the request. Afterwards the stream belongs to the follower of the run.
  const sending = new AbortController();
  const abort = () => sending.abort(signal?.reason);
  if (signal?.aborted) throw stopped(signal.reason);
  signal?.addEventListener("abort", abort, { once: true });
  let stream: EventStream | undefined;
  try {
    const response = await connection.once("chat", {
      method: "POST",
      body: { ...request, stream: true },
      headers: { ...streamHeaders(connection), "idempotency-key": idempotencyKey },
      signal: sending.signal,
    });
    stream = streamOf(response, connection);
    const first = await stream.next();
    if (first === undefined) throw new Error("the connection ended before the run began");
    if (first === END || first === LIVE || first.event?.type !== "session") {
      throw new Failure("UPSTREAM_ERROR", `The server at ${connection.origin} is not a Tackle server.`);
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
