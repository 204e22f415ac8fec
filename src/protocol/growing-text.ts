/** Small enough that the engine stores them inside the object. Most texts are short. */
const FIRST_UNITS = 64;
const LAST_NARROW_UNIT = 0xff;
/** A number of arguments that every engine accepts. */
const UNITS_AT_A_TIME = 8_192;

/**
 * Text that grows by many small pieces and is rarely read. As strings, the pieces would live long enough to be copied by
 * garbage collections; concatenated, they would form a tree of objects. As numbers they cost the collector nothing, and a
 * character that arrives in two pieces is joined again.
 */
export class GrowingText {
  length = 0;
  /** One byte per character until one does not fit, which is rare. */
  #units: Uint8Array | Uint16Array = new Uint8Array(FIRST_UNITS);

  add(piece: string): void {
    const begin = this.length;
    this.length += piece.length;
    if (this.length > this.#units.length) this.#resize(this.#units instanceof Uint16Array);
    const units = this.#units;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      units[begin + at] = unit;
      if (unit > LAST_NARROW_UNIT && units instanceof Uint8Array) {
        this.#widen(begin, piece);
        return;
      }
    }
  }

  toString(): string {
    let text = "";
    for (let at = 0; at < this.length; at += UNITS_AT_A_TIME) {
      const some = this.#units.subarray(at, Math.min(at + UNITS_AT_A_TIME, this.length));
      text += Reflect.apply(String.fromCharCode, null, some);
    }
    return text;
  }

  #widen(begin: number, piece: string): void {
    this.#resize(true);
    this.length = begin;
    this.add(piece);
  }

  #resize(wide: boolean): void {
    const units = Math.max(this.length, this.#units.length * 2);
    const larger = wide ? new Uint16Array(units) : new Uint8Array(units);
    larger.set(this.#units);
    this.#units = larger;
  }
}
