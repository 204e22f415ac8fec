import { createParser } from "eventsource-parser";
import { Failure } from "../protocol/failure.ts";

/** Takes bytes as they arrive and hands out server-sent events. */
export interface SseReader {
  /** Throws a `Failure` when a line or event grows past the bound; nothing more may be pushed then. */
  push(chunk: Uint8Array): void;
  /** The input is over: hands out a last event that no blank line followed. */
  end(): void;
}

export interface SseReaderOptions {
  onFrame(data: string, event: string | undefined): void;
  /** The longest line or event that is kept, in characters. */
  maxBufferBytes?: number;
}

const DEFAULT_MAX_BUFFER_BYTES = 32 * 1024 * 1024;

/** Reads server-sent events from bytes in packets of any size; drops comments and a byte order mark. */
export function createSseReader(options: SseReaderOptions): SseReader {
  const { onFrame, maxBufferBytes = DEFAULT_MAX_BUFFER_BYTES } = options;
  const decoder = new TextDecoder();
  const streaming = { stream: true };
  let overflowed = false;
  const parser = createParser({
    maxBufferSize: maxBufferBytes,
    onEvent: (event) => onFrame(event.data, event.event),
    // Other errors are fields that the standard says to ignore.
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") overflowed = true;
    },
  });

  function feed(text: string): void {
    if (text === "" || overflowed) return;
    parser.feed(text);
    if (overflowed) {
      throw new Failure("UPSTREAM_ERROR", "The model's provider sent an event that is too large to read.", {
        retryable: false,
      });
    }
  }

  return {
    push: (chunk) => feed(decoder.decode(chunk, streaming)),
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}
