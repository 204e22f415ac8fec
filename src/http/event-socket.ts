import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";

/**
 * Where frames are written to. Node hands each chunk of an answer to the system in four pieces; with the frame of the chunk
 * put around it here it is one, which is a good part of what an event costs.
 */
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

  /** The stream that holds what the reader has not taken, and says when it has. */
  get buffer(): Writable {
    return this.#socket ?? this.#outgoing;
  }
}

/** The socket behind a chunked answer, once nothing waits before it. */
function directSocket(outgoing: Writable): Writable | undefined {
  if (!(outgoing instanceof ServerResponse) || !outgoing.chunkedEncoding) return undefined;
  const { socket } = outgoing;
  const isNext = outgoing.headersSent && outgoing.writableLength === socket?.writableLength;
  return isNext && socket ? socket : undefined;
}
