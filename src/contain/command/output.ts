export type OutputStream = "stdout" | "stderr";

export interface Captured {
  text: string;
  /** Bytes that were printed beyond what is kept. */
  cutBytes: number;
}

export interface Capture {
  add(chunk: Buffer): void;
  finish(): Captured;
}

const COALESCE_MS = 100;
const COALESCE_CHARACTERS = 4_096;

/**
 * Keeps the beginning of a stream, whole characters only, and hands the same text on in pieces that are neither many
 * nor large. Bytes that are no UTF-8 become U+FFFD; control characters are left as they are.
 */
export function captureOutput(keepBytes: number, onText: (text: string) => void): Capture {
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let bytes = 0;
  let cutBytes = 0;
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;

  function handOn(): void {
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
    if (waiting.length >= COALESCE_CHARACTERS) handOn();
    else timer ??= setTimeout(handOn, COALESCE_MS);
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
      // What is left of a character that the cut, and not the command, left incomplete is nobody's mistake to see.
      const rest = decoder.decode();
      if (cutBytes === 0) keep(rest);
      handOn();
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
