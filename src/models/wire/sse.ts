import { createParser, type EventSourceParser } from "eventsource-parser";
import { Failure } from "../../protocol/failure.ts";

/** Parses server-sent events from bytes as they arrive. */
export interface SseReader {
  /** Throws a `Failure` if a line or event exceeds the limit. Nothing may be pushed after that. */
  push(chunk: Uint8Array): void;
  /** Ends the input and emits a last event that no blank line followed. */
  end(): void;
}

export interface SseReaderOptions {
  onFrame(data: string, event: string | undefined): void;
  /** The longest line or event that is kept, in characters. */
  maxBufferBytes?: number;
}

const DEFAULT_MAX_BUFFER_BYTES = 32 * 1024 * 1024;

/** Creates a reader for packets of any size. It drops comments and a byte order mark. */
export function createSseReader(options: SseReaderOptions): SseReader {
  return new Reader(options);
}

/** A class because this is a hot path: closures per stream would be spread over memory. */
class Reader implements SseReader {
  readonly #parser: EventSourceParser;
  #overflowed = false;
  /** Set if the last packet may end within a character, and before the first, which may begin with a byte order mark. */
  #decoder: TextDecoder | undefined = new TextDecoder();

  constructor({ onFrame, maxBufferBytes = DEFAULT_MAX_BUFFER_BYTES }: SseReaderOptions) {
    this.#parser = createParser({
      maxBufferSize: maxBufferBytes,
      onEvent: (event) => onFrame(event.data, event.event),
      // Other errors are fields that the standard says to ignore.
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") this.#overflowed = true;
      },
    });
  }

  push(chunk: Uint8Array): void {
    this.#feed(this.#decode(chunk));
  }

  end(): void {
    this.#feed(`${this.#decoder?.decode() ?? ""}\n\n`);
  }

  #decode(chunk: Uint8Array): string {
    const endsWhole = (chunk.at(-1) ?? 0) < 0x80;
    if (endsWhole && !this.#decoder) return asBuffer(chunk).toString();
    this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    const text = this.#decoder.decode(chunk, STREAMING);
    if (endsWhole && chunk.length > 0) this.#decoder = undefined;
    return text;
  }

  #feed(text: string): void {
    if (text === "" || this.#overflowed) return;
    this.#parser.feed(text);
    if (this.#overflowed) {
      throw new Failure("UPSTREAM_ERROR", "The model's provider sent an event that is too large to read.", {
        retryable: false,
      });
    }
  }
}

const STREAMING = { stream: true };

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
