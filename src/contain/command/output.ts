export type OutputStream = "stdout" | "stderr";

export interface Captured {
  text: string;
  /** Bytes that were dropped. */
  cutBytes: number;
}

export interface Capture {
  add(chunk: Buffer): void;
  finish(): Captured;
}

const COALESCE_MS = 100;
const COALESCE_CHARACTERS = 4_096;

/**
 * Keeps the beginning of a stream, cut between characters, and passes the same text on in batches. Invalid UTF-8 becomes
 * U+FFFD. Control characters are kept.
 */
export function captureOutput(keepBytes: number, onText: (text: string) => void): Capture {
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let bytes = 0;
  let cutBytes = 0;
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = "";
    if (text !== "") onText(text);
  }

  function keep(text: string): void {
    if (text === "") return;
    kept.push(text);
    waiting += text;
    if (waiting.length >= COALESCE_CHARACTERS) flush();
    else timer ??= setTimeout(flush, COALESCE_MS);
  }

  return {
    add(chunk) {
      const room = keepBytes - bytes;
      if (room <= 0) {
        cutBytes += chunk.length;
        return;
      }
      const fits = chunk.length <= room ? chunk : chunk.subarray(0, wholeCharacters(chunk, room));
      if (fits.length < chunk.length) {
        cutBytes += chunk.length - fits.length;
        bytes = keepBytes;
      } else {
        bytes += fits.length;
      }
      keep(decoder.decode(fits, { stream: true }));
    },
    finish() {
      // A character that our own cut left incomplete is dropped.
      const rest = decoder.decode();
      if (cutBytes === 0) keep(rest);
      flush();
      return { text: kept.join(""), cutBytes };
    },
  };
}

/** The largest length up to `limit` that does not end inside a character. */
function wholeCharacters(bytes: Buffer, limit: number): number {
  let end = limit;
  const earliest = Math.max(0, limit - 3);
  while (end > earliest && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
