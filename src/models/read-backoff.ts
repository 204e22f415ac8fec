import { type OnReadOpts, Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { Duplex } from "node:stream";

// A model sends one token per packet. Most of what a token costs us is fixed work per read: wake up, store, send. So while
// many tokens arrive or the event loop is busy, a connection that was just read is not read again for up to 36 ms, and the
// tokens that arrive meanwhile are handled together. A process with few streams reads at once.
//
// With it, a process holds about a third more streams (docs/operations.md). The CPU per token of a server with and without
// it is measured by `npm run bench -- flags --try=TACKLE_READ_BACKOFF=0`.
//
// This relies on how undici reads sockets: it must pass `onread` on to `net.connect`, and call `read()` synchronously when
// the socket emits `readable`. Neither is documented, so package.json pins undici to one exact version, and
// `read-backoff.test.ts` checks both. TACKLE_READ_BACKOFF=0 switches all of this off.

/** The longest pause after a read. With it, and what a full process adds itself, tokens are less than 50 ms late. */
const DELAY_MS = 36;
/**
 * From this many packets a second in the process on, connections are read with this pause, until there are a fifth fewer. With 150
 * streams of 50 tokens a second a token then took 23 µs of CPU instead of 37 with a pause of 30 ms, and with 500 streams 19.5 instead
 * of 23 with one of 36. A pause shorter than the time between two tokens only costs: with 60 streams 70 µs a token, and none at all 58.
 */
const MANY_PACKETS = 3_200;
const STILL_MANY = 0.8 * MANY_PACKETS;
/** A burst counts as no more than this, so that it is forgotten within half a second. */
const MOST_PACKETS = 2 * MANY_PACKETS;
/** A process that is busy with something else pauses too: the pause grows between these utilizations of its event loop. */
const BUSY = { from: 0.6, full: 0.9 };
/**
 * How many reads of an answer are never delayed: its head, and what it begins with. With 60 answers at once on a busy machine, half of
 * them began 16 ms after a direct connection's instead of 24.
 */
const PROMPT_READS = 3;
/** A larger read is not a trickle of tokens, so it is never delayed. */
const SMALL_READ_BYTES = 4_096;
const READ_BYTES = 65_536;
const SAMPLE_MS = 100;
/** How much a sample of packets counts, and a longer one more: what lasts for half a second. */
const FRESH = 0.3;
/** Connections that are due within this time are resumed by the same timer. */
const SAME_TIMER_MS = 1.5;

/** Returns how long to wait before the next read of a connection, in milliseconds. `packets` is how many came so far. */
export type ReadDelay = (packets: number) => number;

/** Returns a delay that follows the packets of this process, and the utilization of this thread's event loop. */
export function delayWhileBusy(): ReadDelay {
  let delay = 0;
  let perSecond = 0;
  let isMany = false;
  let counted = 0;
  let sampledAt = performance.now();
  let before = performance.eventLoopUtilization();
  return (packets) => {
    const now = performance.now();
    const passed = now - sampledAt;
    if (passed < SAMPLE_MS) return delay;
    const { utilization } = performance.eventLoopUtilization(before);
    const sample = Math.min(((packets - counted) * 1_000) / passed, MOST_PACKETS);
    perSecond += (sample - perSecond) * (1 - (1 - FRESH) ** (passed / SAMPLE_MS));
    before = performance.eventLoopUtilization();
    counted = packets;
    sampledAt = now;
    isMany = perSecond > (isMany ? STILL_MANY : MANY_PACKETS);
    delay = isMany ? DELAY_MS : DELAY_MS * shareOf(BUSY, utilization);
    return delay;
  };
}

/** How far a value has come between two others, from 0 to 1. */
function shareOf({ from, full }: { from: number; full: number }, value: number): number {
  return Math.min(1, Math.max(0, (value - from) / (full - from)));
}

const STATE = Symbol("read backoff");

interface BackoffSocket extends Socket {
  [STATE]?: State;
}

interface State {
  socket: Socket;
  /** Bytes that were just read, while `readable` is emitted for them. */
  fresh: Buffer | null;
  paused: boolean;
  resumeAt: number;
  /** How many of the next reads are not delayed. */
  prompt: number;
}

/** Delays the reads of a set of connections. */
export class ReadBackoff {
  /** How many packets came so far: what the vendors sent by itself, however much of it is read at once. */
  packets = 0;
  readonly #delay: ReadDelay;
  /** In the order in which they are resumed. */
  readonly #paused = new Set<State>();
  #timer: NodeJS.Timeout | undefined;

  constructor(delay: ReadDelay) {
    this.#delay = delay;
  }

  /** Returns the `onread` option for connecting. All connections share one buffer, because each read is copied out of it. */
  onread(): OnReadOpts {
    const backoff = this;
    return {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(this: BackoffSocket, size: number, buffer: Buffer): boolean {
        const bytes = Buffer.allocUnsafe(size);
        buffer.copy(bytes, 0, 0, size);
        const wantsMore = deliver(this, bytes);
        return backoff.#readOn(this[STATE], size) && wantsMore;
      },
    } as OnReadOpts;
  }

  /** Takes control of when a socket is read. It must have been connected with `onread()`. */
  attach(socket: BackoffSocket): void {
    const state: State = { socket, fresh: null, paused: false, resumeAt: 0, prompt: PROMPT_READS };
    socket[STATE] = state;
    socket.read = (size) => {
      const { fresh } = state;
      state.fresh = null;
      // Socket's own read() would resume the connection.
      return fresh ?? (state.paused ? Duplex : Socket).prototype.read.call(socket, size);
    };
    socket._read = (size) => {
      if (!state.paused) Socket.prototype._read.call(socket, size);
    };
    socket._write = (chunk, encoding, callback) => {
      this.#expectAnswer(state);
      Socket.prototype._write.call(socket, chunk, encoding, callback);
    };
    socket._writev = (chunks, callback) => {
      this.#expectAnswer(state);
      Socket.prototype._writev?.call(socket, chunks, callback);
    };
  }

  /** Returns whether the connection is read on at once. If not, it is resumed later. */
  #readOn(state: State | undefined, size: number): boolean {
    const delay = size < SMALL_READ_BYTES ? this.#delay(this.packets) : 0;
    if (!state || delay === 0 || state.prompt-- > 0) return true;
    // One read of an encrypted connection may arrive here in several pieces, one per TLS record.
    if (state.paused) return false;
    state.paused = true;
    state.resumeAt = performance.now() + delay;
    this.#paused.add(state);
    this.#timer ??= setTimeout(this.#resumeDue, delay);
    return false;
  }

  readonly #resumeDue = () => {
    const now = performance.now();
    this.#timer = undefined;
    for (const state of this.#paused) {
      if (state.resumeAt > now + SAME_TIMER_MS) {
        this.#timer = setTimeout(this.#resumeDue, state.resumeAt - now);
        return;
      }
      this.#resume(state);
    }
  };

  #resume(state: State): void {
    this.#paused.delete(state);
    state.paused = false;
    const { socket } = state;
    const hasRoom = socket.readableLength < socket.readableHighWaterMark;
    // If the buffer is full, the consumer's next read() resumes the socket.
    if (hasRoom && !socket.destroyed) socket.read(0);
  }

  /** A request is written: its answer must not wait because the end of another one was just read on this connection. */
  #expectAnswer(state: State): void {
    state.prompt = PROMPT_READS;
    if (state.paused) this.#resume(state);
  }
}

/** Offers bytes to the consumer directly. Only what it does not take at once goes through the stream's buffer. */
function deliver(socket: BackoffSocket, bytes: Buffer): boolean {
  const state = socket[STATE];
  if (!state || socket.readableLength > 0) return socket.push(bytes);
  state.fresh = bytes;
  socket.emit("readable");
  if (!state.fresh) return true;
  state.fresh = null;
  return socket.push(bytes);
}
