/** Pieces that are put together at a time. */
const SOME_PIECES = 64;

/**
 * Text that grows by very many small pieces and is read rarely. The engine keeps a sum of strings as a tree of its parts until
 * somebody reads it: thousands of small objects for each answer, which every garbage collection has to walk.
 */
export class GrowingText {
  length = 0;
  #texts: string[] = [];
  #pieces: string[] = [];

  add(piece: string): void {
    this.length += piece.length;
    if (this.#pieces.push(piece) === SOME_PIECES) this.#join();
  }

  toString(): string {
    this.#join();
    if (this.#texts.length > 1) this.#texts = [this.#texts.join("")];
    return this.#texts[0] ?? "";
  }

  #join(): void {
    if (this.#pieces.length === 0) return;
    this.#texts.push(this.#pieces.join(""));
    this.#pieces = [];
  }
}
