import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Script, scriptOf, type Turn } from "./turn.ts";

export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body; the text itself where it is not JSON; undefined where there is none. */
  readonly body: unknown;
  /** True once the client went away before the answer was over. */
  aborted: boolean;
  /** Settles when the answer is over, one way or the other. */
  readonly ended: Promise<void>;
}

export interface Upstream {
  /** Base address without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** All requests so far, oldest first. */
  readonly requests: RecordedRequest[];
  /** Queues answers for the next requests, in this order. */
  play(...turns: Turn[]): void;
  /** Answers every request for which nothing is queued. */
  respond(answer: (request: RecordedRequest) => Turn | Promise<Turn>): void;
  /** The request with this number (from 1), as soon as it is there. */
  received(count: number): Promise<RecordedRequest>;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

export interface UpstreamOptions {
  turns?: Turn[];
  respond?: (request: RecordedRequest) => Turn | Promise<Turn>;
  /** False keeps no requests: for long measurements. */
  record?: boolean;
  port?: number;
}

/** A vendor's server as a test wants it: answers what it was told to, well or badly, and remembers what it was asked. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const requests: RecordedRequest[] = [];
  const queue: Turn[] = [...(options.turns ?? [])];
  const waiting: { count: number; resolve(request: RecordedRequest): void }[] = [];
  const stop = new AbortController();
  let respond = options.respond;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    const request = await record(incoming, response, gone);
    if (options.record !== false) requests.push(request);
    for (const waiter of waiting.filter(({ count }) => count === requests.length)) waiter.resolve(request);
    const turn = queue.shift() ?? (await respond?.(request)) ?? NOTHING_TO_PLAY;
    await perform(turn, response, AbortSignal.any([gone.signal, stop.signal]));
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // A client that leaves ends the turn; anything else is a mistake in the test's own script.
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

/** An address on which nobody listens. */
export async function refusingUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

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
    // A response that we destroyed ourselves carries the mark of the cut.
    aborted = !response.writableFinished && !cuts.has(response);
    if (request) request.aborted = aborted;
    gone.abort();
    resolve();
  });
  let request: RecordedRequest | undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  request = {
    method: incoming.method ?? "GET",
    path: incoming.url ?? "/",
    headers: incoming.headers,
    body: parseBody(Buffer.concat(chunks).toString("utf8")),
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
    // Not JSON: the test sees what was sent.
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

/** A wait too short to be worth a listener for the abort: this is most of what a paced packet costs. */
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

/** Hands what was written to the kernel, then drops the connection without an end of the body. */
function cut(response: ServerResponse): void {
  cuts.add(response);
  response.write("", () => response.socket?.destroy());
}
