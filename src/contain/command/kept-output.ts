import { closeSync, openSync, readSync, writeSync } from "node:fs";

const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 768 * 1024;

/** The output of a long-running command on disk: its beginning, and its end, which is overwritten in a ring. */
export interface KeptOutput {
  /** How much was printed in all. */
  readonly length: number;
  append(chunk: Buffer): void;
  /** Returns what is kept from a position on, and how much is missing before each of the pieces. */
  read(from: number): { missing: number; bytes: Buffer }[];
  close(): void;
}

/** Creates the file. */
export function createKeptOutput(path: string): KeptOutput {
  const file = openSync(path, "wx+", 0o600);
  let length = 0;

  /** Calls `move` for each stretch of the file that holds these positions. */
  function stretches(
    from: number,
    to: number,
    move: (offset: number, at: number, bytes: number) => void,
  ): void {
    for (let at = from; at < to; ) {
      const inHead = at < HEAD_BYTES;
      const offset = inHead ? at : HEAD_BYTES + ((at - HEAD_BYTES) % TAIL_BYTES);
      const end = inHead ? HEAD_BYTES : HEAD_BYTES + TAIL_BYTES;
      const bytes = Math.min(to - at, end - offset);
      move(offset, at - from, bytes);
      at += bytes;
    }
  }

  function load(from: number, to: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, to - from));
    stretches(from, to, (offset, at, count) => readSync(file, bytes, at, count, offset));
    return bytes;
  }

  return {
    get length() {
      return length;
    },
    append(chunk) {
      stretches(length, length + chunk.length, (offset, at, count) =>
        writeSync(file, chunk, at, count, offset),
      );
      length += chunk.length;
    },
    read(from) {
      const start = Math.min(Math.max(0, from), length);
      const tail = Math.max(HEAD_BYTES, length - TAIL_BYTES);
      const pieces = [{ missing: 0, bytes: load(start, Math.min(HEAD_BYTES, length)) }];
      if (length <= HEAD_BYTES) return pieces;
      const second = Math.max(start, tail);
      pieces.push({ missing: second - Math.max(start, HEAD_BYTES), bytes: load(second, length) });
      return pieces.filter(({ bytes }) => bytes.length > 0);
    },
    close: () => closeSync(file),
  };
}
