/** One token as the upstream writes it: its moment in milliseconds, between two characters that no frame has else. */
export function markNow(): string {
  return `~${now().toFixed(2)};`;
}

/** Milliseconds on the clock that all processes of this machine share. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Finds the marks in a stream of bytes, whatever frames they are in. */
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
