const FIRST_BYTES = 1_024;

/**
 * Collects lines that are read all at once later. They are kept as bytes outside of the heap: as strings, they would live
 * just long enough to make every garbage collection slower.
 */
export class Lines {
  count = 0;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  add(line: string): void {
    // A UTF-16 code unit takes at most three bytes.
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
