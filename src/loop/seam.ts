/** How far back in the shown text a repetition may begin. A repetition of the whole text may be longer. */
const SCANNED = 4_000;
/** A repetition that is shorter than this must begin with a word. */
const CLEARLY_REPEATED = 12;
/** A table at the end of a text, and its head. */
const TABLE_AT_END = /(?:^|\n)([ \t]*\|[^\n]*\n[ \t]*\|[ :|-]+\n)(?:[ \t]*\|[^\n]*(?:\n|$))*$/;
/** An answer that begins like the shown text for this long was started over. */
const STARTED_OVER = 40;

/**
 * Joins a continuation to the text that was shown before. The start of the continuation is held back as long as it may repeat
 * the end of that text, or all of it; what turns out to be repeated is dropped. In doubt the repetition stays: a word twice is
 * better than a word lost. Blanks count as equal, however long they are.
 */
export class Seam {
  /** How many characters of the continuation were dropped, and what was put in their place. */
  dropped = 0;
  glue = "";
  readonly #shown: Normalized;
  readonly #blanks: string;
  readonly #table: { at: number; length: number } | undefined;
  readonly #fence: string | undefined;
  #said = new Normalized();
  #raw = "";
  /** Where in the shown text a repetition may have begun that still continues. */
  #starts: number[] = [];
  #compared = 0;
  /** The longest repetition so far that reached the end of the shown text, by its start there. */
  #found: number | undefined;
  #startedOver = false;
  #repeatedTable = false;
  #state: "comparing" | "blanks" | "passing" = "comparing";

  constructor(shown: string) {
    const text = shown.trimEnd();
    this.#blanks = shown.slice(text.length);
    this.#shown = new Normalized(text);
    this.#table = openTable(this.#shown, text);
    this.#fence = openFence(text);
    const { length } = this.#shown.text;
    for (let at = Math.max(0, length - SCANNED); at < length; at++) this.#starts.push(at);
    if (length > SCANNED) this.#starts.unshift(0);
    if (length === 0) this.#state = "passing";
  }

  /** Takes a piece of the continuation and returns what to show now. */
  push(piece: string): string {
    if (this.#state === "passing") return piece;
    this.#raw += piece;
    if (this.#state === "comparing") {
      this.#said.add(piece);
      this.#compare();
      if (this.#starts.length > 0) return "";
      this.#decide();
    }
    return this.#release(false);
  }

  /** Ends the continuation and returns what is left of it. */
  end(): string {
    if (this.#state === "passing") return "";
    if (this.#state === "comparing") this.#decide();
    return this.#release(true);
  }

  /** Takes out of the running every start from which the continuation differs. */
  #compare(): void {
    const shown = this.#shown.text;
    const said = this.#said.text;
    // The last blank may still grow, and a fence or an ellipsis may come before the repetition.
    const skip = this.#preface();
    if (skip === undefined) return;
    for (; this.#starts.length > 0 && skip + this.#compared < said.length; this.#compared++) {
      const next = said[skip + this.#compared];
      this.#starts = this.#starts.filter((start) => {
        const at = start + this.#compared;
        if (at < shown.length && shown[at] === next) return true;
        if (at < shown.length) this.#noteEnd(start);
        return false;
      });
      this.#noteWhole(this.#compared + 1);
    }
  }

  /** Keeps the longest repetition that has reached the end of the shown text and can be no accident. */
  #noteWhole(length: number): void {
    const start = this.#shown.text.length - length;
    if (this.#starts.includes(start) && this.#isRepetition(start)) this.#found = start;
  }

  /** A repetition ended before the end of the shown text. */
  #noteEnd(start: number): void {
    if (start === 0 && this.#compared >= STARTED_OVER) this.#startedOver = true;
    const table = this.#table;
    if (table && start === table.at && this.#compared >= table.length) this.#repeatedTable = true;
  }

  #isRepetition(start: number): boolean {
    const shown = this.#shown.text;
    const repeated = shown.slice(start);
    if (isPeriodic(repeated)) return false;
    const isShort = [...repeated].length < 4;
    if (start === 0) return /\p{L}/u.test(repeated) || (!isShort && /\p{N}/u.test(repeated));
    if (isShort || new TextEncoder().encode(repeated).length < 6) return false;
    if ((repeated.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < 3) return false;
    // A model that continues with a blank does not repeat a word: the text has it twice.
    if (!repeated.includes(" ") && this.#blanks === "" && /^\s/.test(this.#raw)) return false;
    const inWord = isWordCharacter(shown[start - 1]) && isWordCharacter(shown[start]);
    return !inWord || repeated.length >= CLEARLY_REPEATED;
  }

  #decide(): void {
    const skip = this.#preface() ?? 0;
    if (this.#found !== undefined) {
      const length = this.#shown.text.length - this.#found;
      this.dropped = this.#said.endOf(skip + length);
      this.#state = "blanks";
      return;
    }
    const table = this.#table;
    if (this.#repeatedTable && table) {
      this.dropped = this.#said.endOf(table.length);
      this.#state = "blanks";
      if (this.#blanks === "") this.glue = "\n";
      return;
    }
    if (this.#fence !== undefined && skip === this.#fence.length) this.dropped = this.#said.endOf(skip);
    if (this.#startedOver && !this.#blanks.includes("\n")) this.glue = "\n\n";
    this.#state = "passing";
  }

  /** The blanks after the repeated words were shown already, as far as they are the same. */
  #release(isEnd: boolean): string {
    if (this.#state === "blanks") {
      const rest = this.#raw.slice(this.dropped);
      const blanks = rest.slice(0, rest.length - rest.trimStart().length);
      if (blanks === rest && !isEnd) return "";
      if (this.glue !== "") this.dropped += blanks.length;
      else if (this.#blanks !== "")
        this.dropped += blanks.startsWith(this.#blanks) ? this.#blanks.length : blanks.length;
      this.#state = "passing";
    }
    const rest = this.#raw.slice(this.dropped);
    this.#raw = "";
    return rest === "" ? "" : this.glue + rest;
  }

  /** Returns how many characters are before a repetition: an ellipsis, or the line that opens a code block once more. */
  #preface(): number | undefined {
    const said = this.#said.text;
    if (this.#fence !== undefined && said.startsWith(this.#fence)) return this.#fence.length;
    if (this.#fence?.startsWith(said)) return undefined;
    if (said.startsWith("…")) return 1;
    if ("...".startsWith(said)) return undefined;
    return said.startsWith("...") ? 3 : 0;
  }
}

/** Text with every run of blanks as one, and without those at its start. */
class Normalized {
  text = "";
  readonly #ends: number[] = [];
  #length = 0;

  constructor(text = "") {
    this.add(text);
  }

  add(piece: string): void {
    let added = "";
    for (const unit of piece.split("")) {
      this.#length++;
      const isBlank = /\s/.test(unit);
      const last = added === "" ? this.text.at(-1) : added.at(-1);
      if (isBlank && (last === " " || last === undefined)) {
        if (last === " ") this.#ends[this.#ends.length - 1] = this.#length;
        continue;
      }
      added += isBlank ? " " : unit;
      this.#ends.push(this.#length);
    }
    this.text += added;
  }

  /** Returns where the first `count` characters end in the original. */
  endOf(count: number): number {
    return this.#ends[count - 1] ?? 0;
  }

  /** Returns how many characters stand for the first `length` of the original. */
  countOf(length: number): number {
    return this.#ends.filter((end) => end <= length).length;
  }
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

/** True for a text that consists of repetitions, so that it is unclear which of them is repeated. */
function isPeriodic(text: string): boolean {
  // The longest proper prefix that is also a suffix, for every prefix of the text.
  const borders = new Uint32Array(text.length);
  let border = 0;
  for (let at = 1; at < text.length; at++) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[at] === text[border]) border++;
    borders[at] = border;
  }
  return border >= text.length / 2;
}

/** Returns the line that opened a code block that is still open, as it would begin a continuation. */
function openFence(text: string): string | undefined {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const fence = /^\s{0,3}(`{3,}|~{3,})\s*(\S*)/.exec(line);
    if (!fence) continue;
    if (open === undefined) open = `${fence[1]}${fence[2]}`;
    else if (fence[2] === "" && open.startsWith(fence[1] ?? "")) open = undefined;
  }
  // A fence without a language could also close the block.
  return open !== undefined && /\w/.test(open) ? `${open} ` : undefined;
}

/** Returns where the table that the text ends in begins, and how long its head is. */
function openTable(shown: Normalized, text: string): { at: number; length: number } | undefined {
  const skipped = Math.max(0, text.length - SCANNED);
  const head = TABLE_AT_END.exec(text.slice(skipped));
  if (!head?.[1]) return undefined;
  const begin = skipped + head.index + head[0].indexOf("|");
  const at = shown.countOf(begin);
  return { at, length: shown.countOf(begin + head[1].trimStart().length) - at };
}
