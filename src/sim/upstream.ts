import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Script, scriptOf, type Turn } from "./turn.ts";
import { jsonTurn } from "./turns.ts";

export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body, or the text if it is not JSON, or undefined if there is none. */
  readonly body: unknown;
  /** The body as it was sent. */
  readonly text: string;
  /** True if the client disconnected before the answer ended. */
  aborted: boolean;
  /** Resolves when the answer is over, however it ended. */
  readonly ended: Promise<void>;
}

export interface Upstream {
  /** The address without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** All requests so far, oldest first. */
  readonly requests: RecordedRequest[];
  /** Queues answers for the next requests, in this order. */
  play(...turns: Turn[]): void;
  /** Sets the answer to requests for which nothing is queued. */
  respond(answer: (request: RecordedRequest) => Turn | Promise<Turn>): void;
  /** Resolves with the request of this number (from 1) when it arrives. */
  received(count: number): Promise<RecordedRequest>;
  /** Closes every connection and frees the port. */
  close(): Promise<void>;
}

export interface UpstreamOptions {
  turns?: Turn[];
  respond?: (request: RecordedRequest) => Turn | Promise<Turn>;
  /**
   * The vendor's model list at a path. Lists are fetched at any time, so requests for them are not recorded and use up no
   * turn. Without it, `respond` is asked, and otherwise there is no list.
   */
  models?: (path: string) => unknown;
  /** False does not keep requests, for long measurements. */
  record?: boolean;
  /** Returns the error for a request that is not accepted. Such a request uses up no turn. */
  refuse?: (request: RecordedRequest) => Turn | undefined;
  port?: number;
}

/** Starts a scriptable vendor: it answers as told, including faults, and records its requests. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const requests: RecordedRequest[] = [];
  const queue: Turn[] = [...(options.turns ?? [])];
  const waiting: { count: number; resolve(request: RecordedRequest): void }[] = [];
  const stop = new AbortController();
  let respond = options.respond;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    const request = await record(incoming, response, gone);
    if (request.method === "GET" && MODEL_LIST.test(request.path)) {
      const body = options.models?.(request.path);
      const turn = body === undefined ? ((await respond?.(request)) ?? NO_LIST) : jsonTurn(body);
      await perform(turn, response, AbortSignal.any([gone.signal, stop.signal]));
      return;
    }
    if (options.record !== false) requests.push(request);
    for (const waiter of waiting.filter(({ count }) => count === requests.length)) waiter.resolve(request);
    const turn = options.refuse?.(request) ?? queue.shift() ?? (await respond?.(request)) ?? NOTHING_TO_PLAY;
    await perform(turn, response, AbortSignal.any([gone.signal, stop.signal]));
  }

  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // A client that disconnects ends the turn. Anything else is a mistake in the test's script.
      if (response.destroyed || stop.signal.aborted) return;
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(`The scripted upstream failed: ${String(error)}`);
    });
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    play: (...turns) => void queue.push(...turns),
    respond: (answer) => {
      respond = answer;
    },
    received: (count) => {
      const known = requests[count - 1];
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    close: async () => {
      stop.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns an address that refuses connections. */
export async function refusingUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const MODEL_LIST = /\/(language-)?models(\?.*)?$/;
const NO_LIST = jsonTurn({ error: { message: "There is no list of models here.", type: "sim" } }, 404);
const NOTHING_TO_PLAY: Turn = {
  status: 500,
  contentType: "application/json",
  frames: [JSON.stringify({ error: { message: "The scripted upstream has nothing to play.", type: "sim" } })],
};

async function record(
  incoming: IncomingMessage,
  response: ServerResponse,
  gone: AbortController,
): Promise<RecordedRequest> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let aborted = false;
  response.once("close", () => {
    // Responses that we destroyed ourselves do not count as aborted.
    aborted = !response.writableFinished && !cuts.has(response);
    if (request) request.aborted = aborted;
    gone.abort();
    resolve();
  });
  let request: RecordedRequest | undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  request = {
    method: incoming.method ?? "GET",
    path: incoming.url ?? "/",
    headers: incoming.headers,
    body: parseBody(text),
    text,
    aborted,
    ended,
  };
  return request;
}

function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so the test sees the text.
    return text;
  }
}

const cuts = new WeakSet<ServerResponse>();

async function perform(turn: Turn, response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (turn.faults?.beforeHeaders === "reset") {
    cuts.add(response);
    response.socket?.resetAndDestroy();
    return;
  }
  if (turn.faults?.beforeHeaders === "silence") return;
  if (turn.delayMs) await pause(turn.delayMs, undefined, { signal });
  response.writeHead(turn.status ?? 200, {
    "content-type": turn.contentType ?? "text/event-stream",
    "cache-control": "no-cache",
    ...turn.headers,
  });
  response.flushHeaders();
  const script = scriptOf(turn);
  do await send(script, response, signal);
  while (script.ending === "again" && !signal.aborted);
  if (script.ending === "end") response.end();
  if (script.ending === "cut") cut(response);
}

async function send(script: Script, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const { gapMs } = script;
  let due = performance.now();
  for (const packet of script.packets) {
    if (packet.hold) await untilReleased(packet.hold, signal);
    if (packet.waitMs > 0) await pause(packet.waitMs, undefined, { signal });
    if (packet.hold || packet.waitMs > 0) due = performance.now();
    if (packet.paced) {
      const early = due - performance.now();
      if (early > 0) await (early < SHORT_WAIT_MS ? tick(early) : pause(early, undefined, { signal }));
      due += gapMs;
    }
    if (signal.aborted) return;
    const full = packet.bytes.length > 0 && !response.write(packet.bytes);
    if (full) await once(response, "drain", { signal });
    else if (gapMs === 0) await tick(0);
  }
}

const SHORT_WAIT_MS = 100;

/** A wait too short to need an abort listener, which would be most of the cost of a paced packet. */
function tick(ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (ms === 0) setImmediate(resolve);
    else setTimeout(resolve, ms);
  });
}

async function untilReleased(hold: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const gone = Promise.withResolvers<void>();
  const leave = () => gone.resolve();
  signal.addEventListener("abort", leave, { once: true });
  await Promise.race([hold, gone.promise]);
  signal.removeEventListener("abort", leave);
}

/** Flushes what was written, then drops the connection without ending the body. */
function cut(response: ServerResponse): void {
  cuts.add(response);
  response.write("", () => response.socket?.destroy());
}
