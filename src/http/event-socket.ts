import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";

/** Writes frames to the socket. Node writes each chunk in four pieces; framing it here makes it one, which is much cheaper. */
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

  /** Writes what was held back, because the reader is slow. */
  writeJoined(): void {
    this.#writeHeld();
    if (this.#outgoing instanceof ServerResponse) this.#outgoing.socket?.uncork();
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
