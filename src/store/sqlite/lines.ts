const FIRST_BYTES = 1_024;

/**
 * Lines that are kept for a while and then taken all at once. They are bytes outside of the heap: as strings they would live
 * just long enough to be copied by every garbage collection, and to bring on the next large one.
 */
export class Lines {
  count = 0;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  add(line: string): void {
    // No character takes more than three bytes for each unit of a string's length.
    if (this.#length + line.length * 3 + 1 > this.#bytes.length) this.#grow(line);
    if (this.count++ > 0) this.#bytes[this.#length++] = 10;
    this.#length += this.#bytes.write(line, this.#length);
  }

  /** All lines with breaks between them. */
  toString(): string {
    return this.#bytes.toString("utf8", 0, this.#length);
  }

  clear(): void {
    this.count = 0;
    this.#length = 0;
    if (this.#bytes.length > FIRST_BYTES * 16) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }

  #grow(line: string): void {
    const needed = this.#length + Buffer.byteLength(line) + 1;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, needed));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
