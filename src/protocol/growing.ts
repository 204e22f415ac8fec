// What grows in place while an answer or a conversation does. Made anew each time, it would live just long enough to be copied by
// garbage collections.

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

interface Known<Item, Value> {
  items: Item[];
  like: string;
  value: Value;
}

/**
 * What was worked out of the older messages of conversations, by the first of them: of a conversation that has grown, only what
 * was added is looked at. Lists and values grow in place. Made anew for each turn, those of a thousand messages lived just
 * long enough to be copied by garbage collections, which cost a third of such a turn.
 */
export class Remembered<Item extends object, Value> {
  readonly #known = new WeakMap<Item, Known<Item, Value>>();
  readonly #empty: () => Value;

  constructor(empty: () => Value) {
    this.#empty = empty;
  }

  /**
   * Returns the value of the first `count` items, to which `add` adds those that are new. It changes when the list has grown, so
   * nobody may keep it. What was worked out in another way, which `like` names, does not count.
   */
  of(
    list: readonly Item[],
    count: number,
    add: (value: Value, added: readonly Item[]) => void,
    like = "",
  ): Value {
    const first = count > 0 ? list[0] : undefined;
    if (!first) return this.#empty();
    let known = this.#known.get(first);
    if (known?.like !== like || known.items.length > count || !beginsWith(list, known.items)) {
      known = { items: [], like, value: this.#empty() };
      this.#known.set(first, known);
    }
    const added = list.slice(known.items.length, count);
    if (added.length > 0) add(known.value, added);
    for (const item of added) known.items.push(item);
    return known.value;
  }
}

/** True if a list begins with the items of another. It compares references, a thousand of them in a microsecond. */
export function beginsWith<Item>(list: readonly Item[], start: readonly Item[]): boolean {
  if (start.length > list.length) return false;
  for (let at = 0; at < start.length; at++) if (list[at] !== start[at]) return false;
  return true;
}
