const FIRST_BYTES = 1_024;

/**
 * Texts with something between them that are read all at once later, as UTF-8. They are kept outside of the heap: as strings, they
 * would live just long enough to make every garbage collection slower.
 */
export class GrowingBytes {
  /** How many texts there are. */
  count = 0;
  readonly #between: string;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  constructor(between: string) {
    this.#between = between;
  }

  add(text: string): void {
    const added = this.count++ > 0 ? this.#between + text : text;
    // A UTF-16 code unit takes at most three bytes.
    if (this.#length + added.length * 3 > this.#bytes.length) this.#grow(added);
    this.#length += this.#bytes.write(added, this.#length);
  }

  /** The bytes of now, which stay as they are while more is added. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  toString(): string {
    return this.#bytes.toString("utf8", 0, this.#length);
  }

  /** Starts again. What `bytes` has returned must not be used any more. */
  clear(): void {
    this.count = 0;
    this.#length = 0;
    if (this.#bytes.length > FIRST_BYTES * 16) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }

  #grow(added: string): void {
    const needed = this.#length + Buffer.byteLength(added);
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, needed));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
