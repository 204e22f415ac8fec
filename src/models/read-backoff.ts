import { type OnReadOpts, Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { Duplex } from "node:stream";

// A token that is read by itself costs nearly as much as several that are read at once: to read, store and send is what
// costs, not the text. So a connection rests after each read while the process is busy, for about as long as a person
// needs to see a picture of a film: what comes meanwhile is taken together. A process that has time reads at once.

/** How long a connection rests at most, and from which part of its time the process is busy, to where it is entirely. */
const LONGEST_REST_MS = 30;
const [BUSY, FULL] = [0.6, 0.9];
/** A larger read is no trickle: whoever sends as much is not held up. */
const SMALL_READ_BYTES = 4_096;
const READ_BYTES = 65_536;
const LOOK_MS = 100;
/** Connections that may go on so soon go on now, together. */
const TOGETHER_MS = 1.5;

/** How long a connection should rest now, in milliseconds. */
export type Rest = () => number;

/** By how busy this thread was lately. */
export function restWhileBusy(): Rest {
  let rest = 0;
  let looked = performance.now();
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.now();
    if (now - looked < LOOK_MS) return rest;
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    looked = now;
    rest = LONGEST_REST_MS * Math.min(1, Math.max(0, (utilization - BUSY) / (FULL - BUSY)));
    return rest;
  };
}

const PACED = Symbol("paced");

interface PacedSocket extends Socket {
  [PACED]?: Paced;
}

interface Paced {
  socket: Socket;
  /** What was just read, while somebody is told of it. */
  fresh: Buffer | null;
  resting: boolean;
  until: number;
}

/** What connections have in common that rest after reads. */
export class PacedReads {
  readonly #rest: Rest;
  /** In the order in which they go on. */
  #resting: Paced[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  /** An option for connecting: all read into the same memory, because what was read is copied at once. */
  onread(): OnReadOpts {
    const reads = this;
    return {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(this: PacedSocket, size: number, buffer: Buffer): boolean {
        const bytes = Buffer.allocUnsafe(size);
        buffer.copy(bytes, 0, 0, size);
        const wanted = handOn(this, bytes);
        return reads.#goesOn(this[PACED], size) && wanted;
      },
    } as OnReadOpts;
  }

  /** Takes over when a socket is read that was connected with `onread`; it is read by `read` as any stream. */
  pace(socket: PacedSocket): void {
    const paced: Paced = { socket, fresh: null, resting: false, until: 0 };
    socket[PACED] = paced;
    socket.read = (size) => {
      const { fresh } = paced;
      paced.fresh = null;
      // A socket goes on by itself when somebody takes what was read.
      return fresh ?? (paced.resting ? Duplex : Socket).prototype.read.call(socket, size);
    };
    socket._read = (size) => {
      if (!paced.resting) Socket.prototype._read.call(socket, size);
    };
  }

  #goesOn(paced: Paced | undefined, size: number): boolean {
    const rest = size < SMALL_READ_BYTES ? this.#rest() : 0;
    if (!paced || rest === 0) return true;
    // What was read in one piece may come as several: each record of an encrypted connection by itself.
    if (paced.resting) return false;
    paced.resting = true;
    paced.until = performance.now() + rest;
    this.#resting.push(paced);
    this.#timer ??= setTimeout(this.#wake, rest);
    return false;
  }

  readonly #wake = () => {
    const now = performance.now();
    const rested = this.#resting.findIndex(({ until }) => until > now + TOGETHER_MS);
    const ready = this.#resting.splice(0, rested === -1 ? this.#resting.length : rested);
    const [next] = this.#resting;
    this.#timer = next && setTimeout(this.#wake, next.until - now);
    for (const paced of ready) {
      paced.resting = false;
      const { socket } = paced;
      const wanted = socket.readableLength < socket.readableHighWaterMark;
      // Where nobody takes what was read, taking it is what makes the socket go on.
      if (wanted && !socket.destroyed) socket.read(0);
    }
  };
}

/** Tells who reads that there is something; only what is not taken at once goes through the stream's own buffer. */
function handOn(socket: PacedSocket, bytes: Buffer): boolean {
  const paced = socket[PACED];
  if (!paced || socket.readableLength > 0) return socket.push(bytes);
  paced.fresh = bytes;
  socket.emit("readable");
  if (!paced.fresh) return true;
  paced.fresh = null;
  return socket.push(bytes);
}
