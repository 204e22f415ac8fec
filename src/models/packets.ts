import type { PacketIterator } from "./wire/transport.ts";

/** What a body that is not wanted faster can be told. */
interface Flow {
  pause(): void;
  resume(): void;
  /** Nobody wants the rest. */
  stop(): void;
}

/**
 * The packets of a body as they come, one at a time or by callback. Node's streams and their iterators cost more for a
 * packet of one token than reading what is in it.
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

  /** A packet came. */
  push(packet: Uint8Array): void {
    // A flow that goes on after a pause may begin with nothing: to pause for it again would never end.
    if (packet.length === 0) return;
    if (this.#take) {
      if (this.#take(packet)) return;
      this.#take = undefined;
    } else this.#waiting.push(packet);
    // Nobody asks for more yet.
    this.#flow.pause();
    this.#wake?.();
  }

  /** No more packets come; with an error where there should have been more. Only the first time counts. */
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
      // Before the flow goes on: more, or the end, may come at once.
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
