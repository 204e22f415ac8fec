import { PassThrough, type Writable } from "node:stream";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ChatEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { Feed } from "../protocol/journal.ts";
import { emptyRun, type RunState, reduce } from "../protocol/reduce.ts";
import { type Admission, admitFollower } from "./admission.ts";
import { toJsonAnswer } from "./answer.ts";
import { addressOf } from "./caller.ts";
import type { HttpContext, ServerState } from "./context.ts";
import { finalHeaders } from "./every-answer.ts";
import { type RunStream, type StreamEncoder, type StreamEnd, streamRun, whenCallerGone } from "./sse.ts";

export interface Following {
  /** What to follow: a run, unless there is another `feed`. */
  runId: string;
  /** Not a run's events. Such a stream is idle most of the time, so it does not count as load. */
  feed?: Feed;
  /** What the run's events go through on their way. */
  through?(feed: Feed): Feed;
  after: number;
  kind: "new" | "resumed";
  /** Writes another protocol's frames. */
  encoder?: StreamEncoder;
  /** Receives every event of a run that is returned whole. */
  onEvent?(event: ChatEvent): void;
  /** Called when the client disconnects before the end. */
  onGone?(): Promise<void>;
}

/**
 * Throws RESOURCE_EXHAUSTED if this process cannot take another follower of a run that exists. It is work that was accepted
 * before, so it is refused last.
 */
export function checkFollower(server: ServerState): void {
  requireAdmission(admitFollower(server.inFlight, server.deps.config.maxStreams));
}

/**
 * Throws RESOURCE_EXHAUSTED if this process cannot take another stream, after a short wait if many start at once. Call what it
 * returns once the stream has started or failed.
 */
export async function admitNewStream(server: ServerState): Promise<() => void> {
  const arrival = await server.arrivals.enter(() => server.inFlight);
  requireAdmission(arrival);
  return arrival.started;
}

function requireAdmission({ allowed, retryAfter }: Admission): void {
  if (allowed) return;
  throw new Failure("RESOURCE_EXHAUSTED", "The server is at capacity. Try again in a few seconds.", {
    retryable: true,
    retryAfter,
  });
}

/** Streams the run's events: to the socket if there is one, otherwise as a web stream. */
export async function answerWithStream(c: HttpContext, following: Following): Promise<Response> {
  const outgoing = c.env?.outgoing;
  const leave = countFollower(c, following);
  if (!outgoing) return answerWithWebStream(c, following, leave);
  c.set("streamed", true);
  if (c.env.incoming?.method === "HEAD") {
    leave();
    outgoing.writeHead(200, { ...finalHeaders(c), "content-type": "text/event-stream; charset=utf-8" }).end();
    return RESPONSE_ALREADY_SENT;
  }
  await writeStream(c, following, outgoing, (headers) => {
    outgoing.writeHead(200, headers).flushHeaders();
  }).finally(leave);
  return RESPONSE_ALREADY_SENT;
}

/** Counts a follower of a run. The owner of a server without accounts is not counted, because there is nobody else to protect. */
function countFollower(c: HttpContext, { runId, feed }: Following): () => void {
  const caller = c.get("caller");
  if (feed || !caller || caller.kind === "owner") return () => {};
  return c.get("server").followers.enter(runId, caller.kind === "guest" ? addressOf(c) : caller.id);
}

/** Returns the response at once and writes it while it is read. */
async function answerWithWebStream(
  c: HttpContext,
  following: Following,
  leave: () => void,
): Promise<Response> {
  if (c.req.method === "HEAD") {
    leave();
    return c.body(null, 200, { "content-type": "text/event-stream; charset=utf-8" });
  }
  const outgoing = new PassThrough();
  const gone = c.req.raw.signal;
  const cut = () => outgoing.destroy();
  gone.addEventListener("abort", cut, { once: true });
  // A reader that stops destroys the stream. That is not an error.
  outgoing.on("error", () => {});
  return new Promise((resolve, reject) => {
    void writeStream(c, following, outgoing, (headers) => {
      resolve(
        new Response(webStreamOf(outgoing), {
          headers: new Headers(Object.entries(headers).map(flatHeader)),
        }),
      );
    })
      // Has an effect only if the stream ended before it began.
      .then(() => resolve(new Response(null, { status: 499 })), reject)
      .finally(() => {
        gone.removeEventListener("abort", cut);
        leave();
      });
  });
}

/** A web stream of what is written. Node's own adapter throws an uncaught error when a reader cancels. */
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
  following: Following,
  outgoing: Writable,
  begin: RunStream["begin"],
): Promise<void> {
  const server = c.get("server");
  const load = following.feed ? 0 : 1;
  server.inFlight += load;
  if (load) server.metrics.streamOpened(following.kind);
  let end: StreamEnd = "broken";
  try {
    const { runId, after, encoder } = following;
    const headers = finalHeaders(c);
    const { config } = server.deps;
    const feed = following.feed ?? feedOf(server, following);
    end = await streamRun({
      outgoing,
      begin,
      feed,
      runId,
      after,
      headers,
      closing: following.feed ? server.leaving : server.closing,
      bounds: config.stream,
      paceMs: paceOf(c),
      encoder,
    });
  } catch (thrown) {
    // The status is already sent. Closing the connection makes the client reconnect.
    const { code, publicMessage } = server.deps.cleanError(thrown);
    server.deps.log.error({ requestId: c.var.requestId, code }, `event stream broke: ${publicMessage}`);
    outgoing.destroy();
  } finally {
    server.inFlight -= load;
    if (load) server.metrics.streamEnded(end);
  }
  if (end === "gone" || end === "dropped") await following.onGone?.();
}

function feedOf({ deps: { feed } }: ServerState, { through }: Following): Feed {
  return through?.(feed) ?? feed;
}

const SLOWEST_PACE_MS = 1_000;

/** How often the client reads, if it says so. */
function paceOf(c: HttpContext): number {
  const wanted = Number(c.req.header("x-tackle-pace"));
  return wanted > 0 ? Math.min(wanted, SLOWEST_PACE_MS) : 0;
}

/** Waits for the end of the run and returns it as one JSON object. */
export async function answerWithJson(c: HttpContext, following: Following): Promise<Response> {
  const state = await followToEnd(c, following);
  if (!state) return new Response(null, { status: 499 });
  const failure = failureOf(state, following.runId);
  if (failure) throw failure;
  return c.json(toJsonAnswer(state));
}

/** Returns the run at its end, or its current state when the server closes. Undefined if the client disconnected. */
export async function followToEnd(c: HttpContext, following: Following): Promise<RunState | undefined> {
  const server = c.get("server");
  const gone = whenCallerGone(c);
  const leave = countFollower(c, following);
  server.inFlight += 1;
  let state = emptyRun();
  try {
    await feedOf(server, following).follow(
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
    leave();
  }
  if (state.finishReason === undefined && gone.aborted) {
    await following.onGone?.();
    return undefined;
  }
  if (state.error) c.set("runFailed", true);
  return state;
}

/** The failure to return instead of an empty answer. */
export function failureOf(state: RunState, runId: string): Failure | undefined {
  const { error, sessionId } = state;
  if (state.finishReason === undefined) {
    const details = { runId, sessionId };
    const sentence = "The server is restarting. The run continues: follow it by its id.";
    return new Failure("RESOURCE_EXHAUSTED", sentence, { retryable: true, retryAfter: 5, details });
  }
  if (!error || state.blocks.length > 0) return undefined;
  const { code, retryable, retryAfter } = error;
  return new Failure(code, error.error, { retryable, retryAfter, details: { runId, sessionId } });
}
