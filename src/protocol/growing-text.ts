/** So few that the engine keeps them with the object: most texts are short. */
const FIRST_UNITS = 64;
const LAST_NARROW_UNIT = 0xff;
/** As many arguments as a call can take anywhere. */
const UNITS_AT_A_TIME = 8_192;

/**
 * Text that grows by very many small pieces and is read rarely. Kept as strings, the pieces would live just long enough to
 * be copied by every garbage collection, and as a sum of strings they would be a tree of objects. So they are written as
 * numbers, which nobody has to walk; a character that comes in two pieces is whole again where they meet.
 */
export class GrowingText {
  length = 0;
  /** Bytes until something comes that does not fit into one, as in most answers nothing does. */
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
