import { PassThrough, type Writable } from "node:stream";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ChatEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import { emptyRun, type RunState, reduce } from "../protocol/reduce.ts";
import { toJsonAnswer } from "./answer.ts";
import type { HttpContext, ServerState } from "./context.ts";
import { type RunStream, type StreamEncoder, type StreamEnd, streamRun, whenCallerGone } from "./sse.ts";

export interface Following {
  runId: string;
  after: number;
  kind: "new" | "resumed";
  /** Another protocol's frames in the place of our own. */
  encoder?: StreamEncoder;
  /** Is told every event of an answer that is given whole. */
  onEvent?(event: ChatEvent): void;
  /** Called when the client went away before the end. */
  onGone?(): Promise<void>;
}

/** Refuses one more answer that follows a run when this process is at its capacity. */
export function checkCapacity(server: ServerState): void {
  const { allowed, retryAfter } = server.admit(server.inFlight);
  if (allowed) return;
  throw new Failure("RESOURCE_EXHAUSTED", "The server is at its capacity. Try again in a few seconds.", {
    retryable: true,
    retryAfter,
  });
}

/** Answers with the run's events as they come: straight to the socket where there is one, else as a web stream. */
export async function answerWithStream(
  c: HttpContext,
  server: ServerState,
  following: Following,
): Promise<Response> {
  const outgoing = c.env?.outgoing;
  if (!outgoing) return answerWithWebStream(c, server, following);
  c.set("streamed", true);
  if (c.env.incoming?.method === "HEAD") {
    outgoing.writeHead(200, { ...c.var.headers, "content-type": "text/event-stream; charset=utf-8" }).end();
    return RESPONSE_ALREADY_SENT;
  }
  await writeStream(c, server, following, outgoing, (headers) => {
    outgoing.writeHead(200, headers).flushHeaders();
  });
  return RESPONSE_ALREADY_SENT;
}

/** The answer begins at once and is written while somebody reads it. */
async function answerWithWebStream(
  c: HttpContext,
  server: ServerState,
  following: Following,
): Promise<Response> {
  if (c.req.method === "HEAD")
    return c.body(null, 200, { "content-type": "text/event-stream; charset=utf-8" });
  const outgoing = new PassThrough();
  const gone = c.req.raw.signal;
  const leave = () => outgoing.destroy();
  gone.addEventListener("abort", leave, { once: true });
  // Whoever stops reading destroys it, which is no failure of ours.
  outgoing.on("error", () => {});
  return new Promise((resolve, reject) => {
    void writeStream(c, server, following, outgoing, (headers) => {
      resolve(
        new Response(webStreamOf(outgoing), {
          headers: new Headers(Object.entries(headers).map(flatHeader)),
        }),
      );
    })
      // Only where it was over before it began: otherwise the answer is long given.
      .then(() => resolve(new Response(null, { status: 499 })), reject)
      .finally(() => gone.removeEventListener("abort", leave));
  });
}

/** What is written, to whoever pulls. Not Node's own adapter: that one throws past everybody when a reader cancels. */
function webStreamOf(written: PassThrough): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = written[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        written.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

function flatHeader([name, value]: [string, string | string[]]): [string, string] {
  return [name, typeof value === "string" ? value : value.join(", ")];
}

async function writeStream(
  c: HttpContext,
  server: ServerState,
  following: Following,
  outgoing: Writable,
  begin: RunStream["begin"],
): Promise<void> {
  server.inFlight += 1;
  server.metrics.streamOpened(following.kind);
  let end: StreamEnd = "broken";
  try {
    const { runId, after, encoder } = following;
    const { headers } = c.var;
    const { feed, config } = server.deps;
    end = await streamRun({
      outgoing,
      begin,
      feed,
      runId,
      after,
      headers,
      closing: server.closing,
      bounds: config.stream,
      encoder,
    });
  } catch (thrown) {
    // The status is long sent: all that is left is to end the connection, so that the client comes back.
    const { code, publicMessage } = server.deps.cleanError(thrown);
    server.deps.log.error({ requestId: c.var.requestId, code }, `event stream broke: ${publicMessage}`);
    outgoing.destroy();
  } finally {
    server.inFlight -= 1;
    server.metrics.streamEnded(end);
  }
  if (end === "gone" || end === "dropped") await following.onGone?.();
}

/** Answers once the run is over, with everything in one object. */
export async function answerWithJson(
  c: HttpContext,
  server: ServerState,
  following: Following,
): Promise<Response> {
  const state = await followToEnd(c, server, following);
  if (!state) return new Response(null, { status: 499 });
  const failure = failureOf(state, following.runId);
  if (failure) throw failure;
  return c.json(toJsonAnswer(state));
}

/** The run once it is over, or as far as it came when the server closes; undefined where the client went away. */
export async function followToEnd(
  c: HttpContext,
  server: ServerState,
  following: Following,
): Promise<RunState | undefined> {
  const gone = whenCallerGone(c);
  server.inFlight += 1;
  let state = emptyRun();
  try {
    await server.deps.feed.follow(
      following.runId,
      following.after,
      (events) => {
        for (const { json } of events) {
          const event = JSON.parse(json) as ChatEvent;
          state = reduce(state, event);
          following.onEvent?.(event);
        }
      },
      AbortSignal.any([gone, server.closing]),
    );
  } finally {
    server.inFlight -= 1;
  }
  if (state.finishReason === undefined && gone.aborted) {
    await following.onGone?.();
    return undefined;
  }
  return state;
}

/** The error to answer with instead of an empty answer. */
export function failureOf(state: RunState, runId: string): Failure | undefined {
  const { error, sessionId } = state;
  if (state.finishReason === undefined) {
    return new Failure(
      "RESOURCE_EXHAUSTED",
      "The server is restarting. The run goes on: follow it by its id.",
      {
        retryable: true,
        retryAfter: 5,
        details: { runId, sessionId },
      },
    );
  }
  if (!error || state.blocks.length > 0) return undefined;
  const { code, retryable, retryAfter } = error;
  return new Failure(code, error.error, { retryable, retryAfter, details: { runId, sessionId } });
}
