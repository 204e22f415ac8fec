import { graphemesOf, widthOf } from "./lines.ts";

const WORD = /[\p{L}\p{N}\p{M}_]/u;
const MOST_UNDO = 200;
const TAB = "    ";

/** One row of the text as it is drawn. */
interface Row {
  text: string;
  start: number;
  end: number;
}

export interface Layout {
  rows: string[];
  cursor: { row: number; column: number };
}

/** Text with a cursor: what the keys of a line editor do to it. The cursor is always between two whole characters. */
export class Editor {
  text = "";
  cursor = 0;
  /** Short labels that stand for something long. They are moved over and deleted as one character. */
  readonly #atoms = new Set<string>();
  #killed = "";
  #killing = false;
  #column: number | undefined;
  readonly #undo: { text: string; cursor: number }[] = [];
  #typing = false;

  get empty(): boolean {
    return this.text === "";
  }

  /** Replaces everything. The cursor is then at the end. */
  set(text: string): void {
    if (text === this.text) return;
    this.#remember();
    this.text = text;
    this.cursor = text.length;
    this.#rest();
  }

  insert(text: string, atom = false): void {
    if (atom) this.#atoms.add(text);
    if (!this.#typing || /\s/.test(text)) this.#remember();
    this.text = this.text.slice(0, this.cursor) + text + this.text.slice(this.cursor);
    this.cursor += text.length;
    this.#rest();
    this.#typing = true;
  }

  /** Replaces a range, as completion does. */
  replace(start: number, end: number, text: string): void {
    this.#remember();
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    this.cursor = start + text.length;
    this.#rest();
  }

  undo(): void {
    const before = this.#undo.pop();
    if (!before) return;
    this.text = before.text;
    this.cursor = before.cursor;
    this.#rest();
  }

  /** Obeys a key that edits or moves. Returns false for any other key. `columns` is the width that the text is drawn in. */
  press(name: string, columns: number): boolean {
    const killing = this.#killing;
    const at = this.cursor;
    switch (name) {
      case "left":
      case "ctrl-b":
        return this.#move(this.#before(at));
      case "right":
      case "ctrl-f":
        return this.#move(this.#after(at));
      case "ctrl-left":
      case "alt-left":
      case "alt-b":
        return this.#move(this.#wordBefore(at));
      case "ctrl-right":
      case "alt-right":
      case "alt-f":
        return this.#move(this.#wordAfter(at));
      case "home":
      case "ctrl-a":
        return this.#move(this.#lineStart(at));
      case "end":
      case "ctrl-e":
        return this.#move(this.#lineEnd(at));
      case "ctrl-home":
        return this.#move(0);
      case "ctrl-end":
        return this.#move(this.text.length);
      case "up":
      case "ctrl-p":
        return this.#moveRows(-1, columns);
      case "down":
      case "ctrl-n":
        return this.#moveRows(1, columns);
      case "backspace":
      case "shift-backspace":
        return this.#delete(this.#before(at), at);
      case "delete":
      case "ctrl-d":
        return this.#delete(at, this.#after(at));
      case "ctrl-w":
        return this.#kill(this.#blankBefore(at), at, killing, true);
      case "alt-backspace":
      case "ctrl-backspace":
        return this.#kill(this.#wordBefore(at), at, killing, true);
      case "alt-d":
        return this.#kill(at, this.#wordAfter(at), killing, false);
      case "ctrl-u":
        return this.#kill(this.#lineStart(at), at, killing, true);
      case "ctrl-k": {
        const end = this.#lineEnd(at);
        return this.#kill(at, end === at ? Math.min(this.text.length, at + 1) : end, killing, false);
      }
      case "ctrl-y":
        if (this.#killed !== "") this.insert(this.#killed);
        this.#typing = false;
        return true;
      case "ctrl-_":
        this.undo();
        return true;
      default:
        return false;
    }
  }

  /** Clears the text. Ctrl-Y brings it back. */
  clear(): void {
    if (this.empty) return;
    this.#killed = this.text;
    this.set("");
  }

  /** Breaks the text into rows of at most that many columns. */
  layout(columns: number): Layout {
    const rows = this.#rows(columns);
    const at = this.#rowOfCursor(rows);
    const row = rows[at];
    const column = row ? widthOf(shown(this.text.slice(row.start, this.cursor))) : 0;
    return { rows: rows.map(({ text }) => text), cursor: { row: at, column } };
  }

  #rows(columns: number): Row[] {
    const width = Math.max(2, columns);
    const rows: Row[] = [];
    let start = 0;
    for (const line of this.text.split("\n")) {
      let row: Row = { text: "", start, end: start };
      let used = 0;
      for (const { segment, index } of graphemesOf(line)) {
        const drawn = shown(segment);
        const wide = widthOf(drawn);
        if (used + wide > width && used > 0) {
          rows.push(row);
          row = { text: "", start: start + index, end: start + index };
          used = 0;
        }
        row.text += drawn;
        row.end += segment.length;
        used += wide;
      }
      rows.push(row);
      start += line.length + 1;
    }
    return rows;
  }

  #rowOfCursor(rows: readonly Row[]): number {
    const after = rows.findIndex(({ start }) => start > this.cursor);
    return (after === -1 ? rows.length : after) - 1;
  }

  #moveRows(by: number, columns: number): boolean {
    const rows = this.#rows(columns);
    const at = this.#rowOfCursor(rows);
    const [from, to] = [rows[at], rows[at + by]];
    if (!from || !to) return false;
    const wanted = this.#column ?? widthOf(shown(this.text.slice(from.start, this.cursor)));
    let cursor = to.start;
    let used = 0;
    for (const { segment } of graphemesOf(this.text.slice(to.start, to.end))) {
      used += widthOf(shown(segment));
      if (used > wanted) break;
      cursor += segment.length;
    }
    this.#move(cursor);
    this.#column = wanted;
    return true;
  }

  #move(to: number): true {
    this.cursor = to;
    this.#rest();
    return true;
  }

  #delete(start: number, end: number): true {
    if (start === end) return true;
    this.#remember();
    this.text = this.text.slice(0, start) + this.text.slice(end);
    return this.#move(start);
  }

  #kill(start: number, end: number, again: boolean, backwards: boolean): true {
    const cut = this.text.slice(start, end);
    this.#delete(start, end);
    const earlier = again ? this.#killed : "";
    if (cut !== "") this.#killed = backwards ? cut + earlier : earlier + cut;
    this.#killing = true;
    return true;
  }

  #before(at: number): number {
    const atom = this.#atomAt((label) => this.text.endsWith(label, at));
    if (atom) return at - atom.length;
    if (at === 0) return 0;
    const start = this.#lineStart(at);
    if (start === at) return at - 1;
    let last = start;
    for (const { index } of graphemesOf(this.text.slice(start, at))) last = start + index;
    return last;
  }

  #after(at: number): number {
    const atom = this.#atomAt((label) => this.text.startsWith(label, at));
    if (atom) return at + atom.length;
    for (const { segment } of graphemesOf(this.text.slice(at, at + 64))) return at + segment.length;
    return at;
  }

  #atomAt(fits: (label: string) => boolean): string | undefined {
    return [...this.#atoms].find(fits);
  }

  #wordBefore(at: number): number {
    let to = at;
    while (to > 0 && !this.#isWord(to - 1)) to = this.#before(to);
    while (to > 0 && this.#isWord(to - 1)) to = this.#before(to);
    return to;
  }

  #wordAfter(at: number): number {
    let to = at;
    while (to < this.text.length && !this.#isWord(to)) to = this.#after(to);
    while (to < this.text.length && this.#isWord(to)) to = this.#after(to);
    return to;
  }

  #isWord(at: number): boolean {
    const low = this.text.charCodeAt(at);
    const start = low >= 0xdc00 && low <= 0xdfff ? at - 1 : at;
    return WORD.test(String.fromCodePoint(this.text.codePointAt(start) ?? 32));
  }

  #blankBefore(at: number): number {
    const kept = this.text.slice(0, at).replace(/(?:\S+|\n)?[^\S\n]*$/u, "");
    const atom = this.#atomAt((label) => this.text.endsWith(label, at));
    return atom ? at - atom.length : kept.length === at ? this.#before(at) : kept.length;
  }

  #lineStart(at: number): number {
    return at === 0 ? 0 : this.text.lastIndexOf("\n", at - 1) + 1;
  }

  #lineEnd(at: number): number {
    const end = this.text.indexOf("\n", at);
    return end === -1 ? this.text.length : end;
  }

  #remember(): void {
    this.#undo.push({ text: this.text, cursor: this.cursor });
    if (this.#undo.length > MOST_UNDO) this.#undo.shift();
  }

  /** Ends what only successive keys belong to: a word that is typed, a column that is kept, text that is cut. */
  #rest(): void {
    this.#typing = false;
    this.#killing = false;
    this.#column = undefined;
  }
}

/** A tab takes up four columns. Other control characters take up none and are not drawn. */
function shown(text: string): string {
  return text.replaceAll("\t", TAB).replace(/\p{Cc}/gu, "");
}
