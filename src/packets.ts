import type { Readable } from "node:stream";
import type { PacketIterator } from "./wire/transport.ts";

/**
 * The packets of a body as they come, one at a time or by callback: Node's own iterator costs several promises for each,
 * which is most of what a token takes on its way in.
 */
export function packetsOf(body: Readable): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new BodyPackets(body) };
}

class BodyPackets implements PacketIterator {
  readonly #body: Readable;
  readonly #waiting: Uint8Array[] = [];
  #take: ((packet: Uint8Array) => boolean) | undefined;
  #wake: (() => void) | undefined;
  #end: { error?: unknown } | undefined;

  constructor(body: Readable) {
    this.#body = body;
    body.on("data", (packet: Uint8Array) => this.#came(packet));
    body.once("end", () => this.#over({}));
    body.once("error", (error: unknown) => this.#over({ error }));
    body.once("close", () => this.#over({ error: closed(body) }));
    if (body.destroyed) this.#over({ error: closed(body) });
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const packet = this.#waiting.shift();
      if (packet) return { done: false, value: packet };
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return { done: true, value: undefined };
      this.#body.resume();
      await this.#woken();
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#body.destroy();
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
    this.#body.resume();
    while (!this.#end && !enough && !thrown) await this.#woken();
    this.#take = undefined;
    if (thrown) throw thrown.error;
    if (this.#end?.error && !enough) throw this.#end.error;
  }

  #came(packet: Uint8Array): void {
    if (this.#take) {
      if (this.#take(packet)) return;
      this.#take = undefined;
    } else this.#waiting.push(packet);
    // Nobody asks for more yet.
    this.#body.pause();
    this.#wake?.();
  }

  #over(end: { error?: unknown }): void {
    this.#end ??= end;
    this.#wake?.();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function closed(body: Readable): unknown {
  return body.errored ?? new Error("the body was closed before its end");
}
