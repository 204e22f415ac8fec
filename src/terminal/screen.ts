import { widthOf, wrap } from "./lines.ts";
import { type Paint, paintFor } from "./style.ts";

const BEGIN_UPDATE = "\x1b[?2026h\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const END_UPDATE = "\x1b[?2026l";

/** A stream that may be a terminal. */
export type TerminalOutput = NodeJS.WritableStream & {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  hasColors?(): boolean;
};

/** The lines below everything else, and where the cursor is in them. */
export interface Footer {
  lines: string[];
  cursor: { row: number; column: number };
}

/**
 * Draws on the terminal. Finished lines stay in the scrollback and are never touched again. Below them are the body, which
 * changes while an answer is written, and the footer with the prompt. Only lines that differ are drawn.
 */
export class Screen {
  readonly paint: Paint;
  /** True if the output can be redrawn. */
  readonly live: boolean;
  readonly #output: TerminalOutput;
  #footer: (room: number) => Footer = () => ({ lines: [], cursor: { row: 0, column: 0 } });
  #body: string[] = [];
  /** What is drawn: the lines, the cursor in them, and the width that they were drawn for. */
  #drawn: string[] = [];
  #cursor = { row: 0, column: 0 };
  #width = 0;
  #named = false;
  #lastFinished = "";
  /** Lines that were finished while another program had the terminal. */
  #held: string[] | undefined;

  constructor(output: TerminalOutput) {
    this.#output = output;
    this.paint = paintFor(output);
    this.live = output.isTTY === true;
  }

  /** The usable width. The last column stays free, because writing there makes some terminals wrap. */
  get columns(): number {
    return Math.max(20, (this.#output.columns || 80) - 1);
  }

  get rows(): number {
    return this.#output.rows || 24;
  }

  /** Sets the lines below everything else. They are asked for at every draw. */
  set footer(footer: (rows: number) => Footer) {
    this.#footer = footer;
    this.draw();
  }

  /** Adds finished lines and replaces the body below them. */
  update(finished: string[], body: string[]): void {
    this.#lastFinished = finished.at(-1) ?? this.#lastFinished;
    if (!this.live) {
      if (finished.length > 0) this.#output.write(`${finished.join("\n")}\n`);
      return;
    }
    this.#body = body;
    if (this.#held) {
      for (const line of finished) this.#held.push(line);
      return;
    }
    const footer = fitted(this.#footer(this.rows - 1), this.rows - 1);
    const room = Math.max(0, this.rows - 1 - footer.lines.length);
    const shown = room === 0 ? [] : body.slice(-room);
    const lines = [...shown, ...footer.lines];
    const row = shown.length + footer.cursor.row;
    // Without a prompt, the cursor is behind the last word.
    const cursor =
      footer.lines.length > 0
        ? { row, column: footer.cursor.column }
        : { row: Math.max(0, lines.length - 1), column: widthOf(lines.at(-1) ?? "") };
    this.#write(finished, lines, cursor);
  }

  /** Adds finished lines. */
  print(...lines: string[]): void {
    this.printAll(lines);
  }

  /** Adds any number of finished lines. A call can have only so many arguments. */
  printAll(lines: string[]): void {
    this.update(lines, this.#body);
  }

  /** Adds an empty line, unless there is one. */
  gap(): void {
    if (this.#lastFinished !== "") this.print("");
  }

  /** Adds a sentence about what was done, broken to the width. */
  say(text: string, format: "dim" | "red" = "dim"): void {
    this.print(...wrap([{ text, format }], this.columns, this.paint));
  }

  /** Draws again what has changed. */
  draw(): void {
    this.update([], this.#body);
  }

  /** Names the window. The name must be one line without control characters. Empty restores the terminal's own. */
  nameWindow(name: string): void {
    if (!this.live || (name === "" && !this.#named)) return;
    this.#named = name !== "";
    this.#output.write(`\x1b]2;${name}\x07`);
  }

  /** Clears the screen, and the scrollback if the terminal allows it. */
  clear(): void {
    if (this.live) this.#output.write("\x1b[2J\x1b[3J\x1b[H");
    this.#lastFinished = "";
    this.forget();
    this.draw();
  }

  /** Makes the next draw redraw everything, because something else has written to the terminal. */
  forget(): void {
    this.#drawn = [];
    this.#cursor = { row: 0, column: 0 };
  }

  /** Leaves the terminal to another program. What is finished meanwhile is kept. */
  hold(): void {
    this.#write([], [], { row: 0, column: 0 });
    this.#held ??= [];
  }

  /** Draws again, with what was finished meanwhile. */
  release(): void {
    const finished = this.#held ?? [];
    this.#held = undefined;
    this.forget();
    this.update(finished, this.#body);
  }

  /** Removes what is not finished. */
  close(): void {
    this.nameWindow("");
    this.#footer = () => ({ lines: [], cursor: { row: 0, column: 0 } });
    this.update([], []);
  }

  #write(finished: string[], lines: string[], cursor: { row: number; column: number }): void {
    const columns = this.#output.columns || 80;
    const before = this.#drawn;
    const same = before.length === lines.length && lines.every((line, at) => line === before[at]);
    const moved = cursor.row !== this.#cursor.row || cursor.column !== this.#cursor.column;
    if (finished.length === 0 && same && !moved && columns === this.#width) return;
    // A finished line may be longer than a row, and a resized window has moved what was drawn.
    const resized = columns !== this.#width && this.#width !== 0;
    const wrapped = [...before, ...lines].some((line) => rowsOf(line, columns) > 1);
    const again = finished.length > 0 || resized || wrapped;
    const top = `\r${up(this.#rowsAbove(columns))}${again ? "\x1b[0J" : ""}`;
    const known = again ? [] : before;
    const done = finished.map((line) => `${line}\r\n`).join("");
    const shorter = !again && before.length > lines.length;
    const last = lines.length - 1;
    const drawn = lines.map((line, at) =>
      line === known[at] && !(shorter && at === last) ? "" : `${line}\x1b[K`,
    );
    const rest = lines.length === 0 || shorter ? "\x1b[0J" : "";
    const below = lines.slice(cursor.row).reduce((sum, line) => sum + rowsOf(line, columns), -1);
    const back = `\r${up(below)}${cursor.column > 0 ? `\x1b[${cursor.column}C` : ""}`;
    this.#output.write(
      BEGIN_UPDATE + top + done + drawn.join("\r\n") + rest + back + SHOW_CURSOR + END_UPDATE,
    );
    this.#drawn = lines;
    this.#cursor = cursor;
    this.#width = columns;
  }

  /** How many rows are above the cursor in what is drawn. */
  #rowsAbove(columns: number): number {
    const above = this.#drawn.slice(0, this.#cursor.row);
    const rows = above.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    return rows + Math.floor(this.#cursor.column / columns);
  }
}

/** A low window shows what is nearest to the cursor: what scrolled away could not be drawn over. */
function fitted({ lines, cursor }: Footer, rows: number): Footer {
  const most = Math.max(1, rows);
  const first = Math.min(Math.max(0, lines.length - most), cursor.row);
  return {
    lines: lines.slice(first, first + most),
    cursor: { row: cursor.row - first, column: cursor.column },
  };
}

/** A window that became narrower has wrapped its lines. */
function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(widthOf(line) / columns));
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : "";
}
