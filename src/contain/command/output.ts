export type OutputStream = "stdout" | "stderr";

export interface Captured {
  /** The beginning and the end, with a note in between if something was dropped. */
  text: string;
  /** Bytes that were dropped. */
  cutBytes: number;
}

export interface Capture {
  add(chunk: Buffer): void;
  finish(): Captured;
}

/** Many small pieces of output are joined, so that dropping the first one stays cheap. */
const MOST_PIECES = 1_000;

/** Keeps the beginning and the end of a stream, each up to `keepBytes`. Invalid UTF-8 becomes U+FFFD. */
export function captureOutput(keepBytes: number): Capture {
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let cutBytes = 0;

  function keepTail(bytes: Buffer): void {
    tail.push(bytes);
    tailBytes += bytes.length;
    for (let [first] = tail; first && tailBytes - first.length >= keepBytes; [first] = tail) {
      tail.shift();
      tailBytes -= first.length;
      cutBytes += first.length;
    }
    if (tail.length > MOST_PIECES) tail = [Buffer.concat(tail)];
  }

  return {
    add(chunk) {
      const first = chunk.subarray(0, keepBytes - headBytes);
      if (first.length < chunk.length) keepTail(chunk.subarray(first.length));
      if (first.length === 0) return;
      head.push(first);
      headBytes += first.length;
    },
    finish() {
      const last = Buffer.concat(tail);
      const end = last.subarray(Math.max(0, last.length - keepBytes));
      const dropped = cutBytes + last.length - end.length;
      if (dropped === 0) return { text: decodeAll(Buffer.concat([...head, end])), cutBytes: 0 };
      const start = Buffer.concat(head);
      const [whole, rest] = [start.subarray(0, wholeEnd(start)), end.subarray(wholeStart(end))];
      const cut = dropped + start.length - whole.length + end.length - rest.length;
      return { text: decodeAll(whole) + cutNote(cut) + decodeAll(rest), cutBytes: cut };
    },
  };
}

/** Says how much of an output is missing in this place. */
export function cutNote(bytes: number): string {
  return `\n[… ${bytes.toLocaleString("en")} bytes were cut here …]\n`;
}

function decodeAll(bytes: Buffer): string {
  return new TextDecoder().decode(bytes);
}

/** The length without a character that is incomplete at the end. */
function wholeEnd(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= 0 && at >= bytes.length - 4; at--) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return at + size > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

/** Where the first whole character begins. */
function wholeStart(bytes: Buffer): number {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
