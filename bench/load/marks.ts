/** Returns a token with the current time in milliseconds, between two characters that are not used elsewhere. */
export function markNow(): string {
  return `~${now().toFixed(2)};`;
}

/** Returns milliseconds of a clock that all processes share. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Finds the marks in a stream of bytes, regardless of frames. */
export class MarkReader {
  #rest = "";

  read(chunk: Buffer, onMark: (writtenAt: number) => void): void {
    const text = this.#rest + chunk.toString("latin1");
    let at = text.indexOf("~");
    while (at !== -1) {
      const end = text.indexOf(";", at);
      if (end === -1) break;
      onMark(Number(text.slice(at + 1, end)));
      at = text.indexOf("~", end);
    }
    this.#rest = at === -1 ? "" : text.slice(at);
  }
}
