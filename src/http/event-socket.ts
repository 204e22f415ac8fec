import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";

/** Writes frames to the socket. Node writes each chunk in four pieces; framing it here makes it one, which is much cheaper. */
export class EventSocket {
  readonly #outgoing: Writable;
  #socket: Writable | undefined;

  constructor(outgoing: Writable) {
    this.#outgoing = outgoing;
  }

  write(text: string): void {
    this.#socket ??= directSocket(this.#outgoing);
    if (!this.#socket) this.#outgoing.write(text);
    else this.#socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
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
