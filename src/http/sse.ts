import { once } from "node:events";
import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { abortWith } from "../protocol/abortable.ts";
import type { Feed } from "../protocol/journal.ts";
import type { EncodedEvent } from "../protocol/run-records.ts";
import type { HttpContext } from "./context.ts";
import type { StreamBounds } from "./dependencies.ts";

const DEFAULT_BOUNDS: StreamBounds = { heartbeatMs: 15_000, maxBufferedBytes: 1024 * 1024, drainMs: 10_000 };

export interface RunStream {
  outgoing: Writable;
  /** Sends the head of the response. */
  begin(headers: Record<string, string | string[]>): void;
  feed: Feed;
  runId: string;
  /** The last event that the client already has. */
  after: number;
  headers: Record<string, string | string[]>;
  /** Aborts when the server closes. */
  closing: AbortSignal;
  bounds?: Partial<StreamBounds>;
  /** The client reads this often at most: what happens in between is written together. */
  paceMs?: number;
  /** Our own frames if not given. Called once for every event, in order. */
  encoder?: StreamEncoder;
}

/** Encodes a run's events for another protocol. */
export interface StreamEncoder {
  /** The frames for these events; may be none. */
  encode(events: readonly EncodedEvent[]): string;
  /** The last frames, after the run has ended. */
  end(): string;
  /** True once the protocol ends its stream before the run ends. */
  over?(): boolean;
  /** Keeps the connection open, instead of a comment. */
  heartbeat?: string;
  /** Says that the server closes, instead of a comment. */
  closing?: string;
  /** The protocol's own headers. */
  headers?: Record<string, string>;
}

/** A comment that explains why the stream ends early. */
const RECONNECT = ": the server is restarting, connect again and go on from the last id\n\n";

/** A comment before the first event if the client has seen more than there is. */
const STARTS_OVER = ": events that you have seen were lost in a power cut, the run starts over\n\n";

/** A comment after everything that had happened before the client came. */
const LIVE = ": live\n\n";

const OWN_FRAMES: StreamEncoder = { encode: frames, end: () => "data: [DONE]\n\n" };

/** How a stream ended: complete, client disconnected, client too slow, server closing, feed broken. */
export type StreamEnd = "finished" | "gone" | "dropped" | "closing" | "broken";

/**
 * Writes a run's events to the socket until the run ends. The buffer for a slow reader is bounded: when it is full, following
 * stops, and continues from the last written event once the socket has drained.
 */
export async function streamRun(stream: RunStream): Promise<StreamEnd> {
  const { outgoing, feed, runId, closing, encoder = OWN_FRAMES } = stream;
  const { heartbeatMs, maxBufferedBytes, drainMs } = { ...DEFAULT_BOUNDS, ...stream.bounds };
  const gone = whenGone(outgoing);
  if (gone.aborted) return "gone";
  const over = new AbortController();
  const ended = over.signal;
  const unlink = abortWith(over, gone, closing);
  const socket = new EventSocket(outgoing, stream.paceMs);

  socket.joinWrites("this turn");
  stream.begin({
    ...stream.headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-store, no-transform",
    "x-accel-buffering": "no",
    ...encoder.headers,
  });
  const heartbeat = setInterval(() => {
    if (!socket.buffer.writableNeedDrain) socket.write(encoder.heartbeat ?? ": still here\n\n");
  }, heartbeatMs);

  let last = stream.after;
  let finished = false;
  let saidLive = encoder !== OWN_FRAMES;
  const sayLive = () => {
    if (!saidLive) socket.write(LIVE);
    saidLive = true;
  };
  try {
    for (;;) {
      const pause = new AbortController();
      abortWith(pause, ended);
      // Reading a property is cheaper than a signal, and this is read for every event.
      const flow: { stopped?: "full" | "enough" } = {};
      const write = (events: readonly EncodedEvent[]) => {
        if (flow.stopped) return;
        const text = encoder.encode(events);
        if (events.at(-1)?.json.startsWith('{"type":"done"')) socket.joinWrites("until the end");
        // "ready" on a person's feed has the number of the event before it.
        if ((events[0]?.seq ?? last) < last) socket.write(STARTS_OVER);
        socket.write(text);
        last = events.at(-1)?.seq ?? last;
        if (encoder.over?.()) flow.stopped = "enough";
        else if (socket.buffer.writableLength > maxBufferedBytes) flow.stopped = "full";
        else return;
        pause.abort();
      };
      await feed.follow(runId, last, write, pause.signal, sayLive);
      if (!ended.aborted && flow.stopped !== "full") {
        socket.write(encoder.end());
        finished = true;
        return "finished";
      }
      const hasRead = !ended.aborted && (await socket.drained(drainMs, ended));
      if (ended.aborted) return gone.aborted ? "gone" : "closing";
      if (hasRead) continue;
      outgoing.destroy();
      return "dropped";
    }
  } finally {
    clearInterval(heartbeat);
    unlink();
    if (closing.aborted && !gone.aborted && !finished) socket.write(encoder.closing ?? RECONNECT);
    socket.stopHolding();
    outgoing.end();
  }
}

/** Writes a batch of events as one text. Their JSON is passed through. */
export function frames(events: readonly EncodedEvent[]): string {
  let text = "";
  for (const { seq, json } of events) text += `id: ${seq}\ndata: ${json}\n\n`;
  return text;
}

/** Every answer ends with this. An error with an unused stack trace would cost 30 µs each time. */
const GONE = "the connection is closed";

/** Aborts when the client's connection closes, or at once if it is already closed. */
function whenGone(outgoing: Writable): AbortSignal {
  const controller = new AbortController();
  const cut = outgoing instanceof ServerResponse && outgoing.socket?.destroyed;
  if (outgoing.destroyed || cut) controller.abort();
  else outgoing.once("close", () => controller.abort(GONE));
  return controller.signal;
}

/** Aborts when the caller no longer waits for the response. */
export function whenCallerGone(c: HttpContext): AbortSignal {
  const outgoing = c.env?.outgoing;
  return outgoing ? whenGone(outgoing) : c.req.raw.signal;
}

/** Writes the frames. Node writes each chunk in four pieces; framing it here makes it one, which is much cheaper. */
export class EventSocket {
  readonly #outgoing: Writable;
  readonly #paceMs: number;
  #socket: Writable | undefined;
  #nextWrite = 0;
  #held: ReturnType<typeof setTimeout> | undefined;

  constructor(outgoing: Writable, paceMs = 0) {
    this.#outgoing = outgoing;
    this.#paceMs = paceMs;
  }

  write(text: string): void {
    this.#socket ??= directSocket(this.#outgoing);
    // An empty chunk would end the body, and what follows would become part of the next answer on this connection.
    if (text === "") return;
    if (this.#paceMs > 0) this.#keepPace();
    if (!this.#socket) this.#outgoing.write(text);
    else this.#socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  /**
   * Makes one write of the head and the first events, or of the last ones and the end of the answer. Three small writes cost three
   * times as much. The end of an answer writes everything that was held back.
   */
  joinWrites(until: "this turn" | "until the end"): void {
    const socket = this.#outgoing instanceof ServerResponse ? this.#outgoing.socket : null;
    socket?.cork();
    if (until === "this turn") process.nextTick(() => socket?.uncork());
  }

  /** Writes what was held back, and returns whether the reader, who is slow, has read everything in this time. */
  async drained(withinMs: number, ended: AbortSignal): Promise<boolean> {
    this.#writeHeld();
    if (this.#outgoing instanceof ServerResponse) this.#outgoing.socket?.uncork();
    if (!this.buffer.writableNeedDrain) return true;
    try {
      await once(this.buffer, "drain", { signal: AbortSignal.any([ended, AbortSignal.timeout(withinMs)]) });
      return true;
    } catch {
      return false; // Too slow, or the stream ended meanwhile.
    }
  }

  /** Holds back what comes sooner after the last write than the client reads. */
  #keepPace(): void {
    if (this.#held) return;
    const now = performance.now();
    if (now >= this.#nextWrite) {
      this.#nextWrite = now + this.#paceMs;
      return;
    }
    this.#socket?.cork();
    this.#held = setTimeout(() => this.#writeHeld(), this.#nextWrite - now);
  }

  /** The end of the answer writes what is held back. */
  stopHolding(): void {
    clearTimeout(this.#held);
    this.#held = undefined;
  }

  #writeHeld(): void {
    if (!this.#held) return;
    this.stopHolding();
    this.#nextWrite = performance.now() + this.#paceMs;
    this.#socket?.uncork();
  }

  /** The stream that buffers unread data and emits `drain`. */
  get buffer(): Writable {
    return this.#socket ?? this.#outgoing;
  }
}

/** The socket of a chunked response, once nothing is queued before it. */
function directSocket(outgoing: Writable): Writable | undefined {
  if (!(outgoing instanceof ServerResponse) || !outgoing.chunkedEncoding) return undefined;
  const { socket } = outgoing;
  const isNext = outgoing.headersSent && outgoing.writableLength === socket?.writableLength;
  return isNext && socket ? socket : undefined;
}
