import type { PacketIterator } from "./wire/transport.ts";

/** Controls the connection that the packets come from. */
interface Flow {
  pause(): void;
  resume(): void;
  /** Gives up the rest of the body. */
  stop(): void;
}

/**
 * The packets of a body as they arrive, read one at a time or by callback. For packets of one token, Node's streams and
 * their iterators cost more than decoding the packet.
 */
export class Packets implements PacketIterator, AsyncIterable<Uint8Array> {
  readonly #flow: Flow;
  readonly #waiting: Uint8Array[] = [];
  #take: ((packet: Uint8Array) => boolean) | undefined;
  #wake: (() => void) | undefined;
  #end: { error?: unknown } | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  push(packet: Uint8Array): void {
    // A resumed flow may start with an empty packet. Pausing again for it would loop forever.
    if (packet.length === 0) return;
    if (this.#take) {
      if (this.#take(packet)) return;
      this.#take = undefined;
    } else this.#waiting.push(packet);
    this.#flow.pause();
    this.#wake?.();
  }

  /** Ends the body, with an error if it is incomplete. Later calls are ignored. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const packet = this.#waiting.shift();
      if (packet) return { done: false, value: packet };
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return { done: true, value: undefined };
      // Set up before the flow resumes, because a packet or the end may arrive synchronously.
      const woken = this.#woken();
      this.#flow.resume();
      await woken;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#flow.stop();
    return { done: true, value: undefined };
  }

  async forEach(take: (packet: Uint8Array) => boolean): Promise<void> {
    for (let packet = this.#waiting.shift(); packet; packet = this.#waiting.shift())
      if (!take(packet)) return;
    let thrown: { error: unknown } | undefined;
    let enough = false;
    this.#take = (packet) => {
      try {
        enough = !take(packet);
      } catch (error) {
        thrown = { error };
      }
      return !enough && !thrown;
    };
    this.#flow.resume();
    while (!this.#end && !enough && !thrown) await this.#woken();
    this.#take = undefined;
    if (thrown) throw thrown.error;
    if (this.#end?.error && !enough) throw this.#end.error;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
