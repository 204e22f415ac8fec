/** A part of a text, and what to put in its place. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** A text with LF line ends that remembers which of its lines ended with CRLF. */
export class LineEnds {
  /** The text with LF line ends. */
  readonly text: string;
  readonly #ends: readonly string[];

  constructor(text: string, ends: readonly string[]) {
    this.text = text;
    this.#ends = ends;
  }

  static of(original: string): LineEnds {
    return new LineEnds(original.replaceAll("\r\n", "\n"), original.match(/\r?\n/g) ?? []);
  }

  /** The text with the line ends that its lines had. */
  get original(): string {
    if (!this.#ends.includes("\r\n")) return this.text;
    return this.text
      .split("\n")
      .map((line, index, lines) => (index === lines.length - 1 ? line : line + (this.#ends[index] ?? "\n")))
      .join("");
  }

  /** Returns the text with these parts replaced, which are in order and do not overlap. Lines that stay keep their ends. */
  replaced(parts: readonly Replacement[]): LineEnds {
    const texts: string[] = [];
    const ends: string[] = [];
    let position = 0;
    let line = 0;
    for (const part of parts) {
      const { start, end, text } = withoutCommonEnds(this.text, part);
      const kept = this.text.slice(position, start);
      const keptEnds = count(kept);
      const removed = count(this.text.slice(start, end));
      for (const end of this.#ends.slice(line, line + keptEnds)) ends.push(end);
      line += keptEnds;
      const nearby = removed > 0 ? this.#ends[line] : (this.#ends[line - 1] ?? this.#ends[line]);
      for (let added = count(text); added > 0; added--) ends.push(nearby ?? "\n");
      texts.push(kept, text);
      line += removed;
      position = end;
    }
    for (const end of this.#ends.slice(line)) ends.push(end);
    return new LineEnds(texts.join("") + this.text.slice(position), ends);
  }
}

/** Leaves out what a replacement does not change at its start and end. */
function withoutCommonEnds(whole: string, { start, end, text }: Replacement): Replacement {
  const most = Math.min(end - start, text.length);
  let before = 0;
  while (before < most && whole[start + before] === text[before]) before++;
  let after = 0;
  while (after < most - before && whole[end - 1 - after] === text[text.length - 1 - after]) after++;
  return { start: start + before, end: end - after, text: text.slice(before, text.length - after) };
}

function count(text: string): number {
  let found = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) found++;
  return found;
}
