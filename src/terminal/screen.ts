import { widthOf } from "./lines.ts";
import { type Paint, paintFor } from "./style.ts";

const BEGIN_UPDATE = "\x1b[?2026h";
const END_UPDATE = "\x1b[?2026l";
const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

type Output = NodeJS.WritableStream & {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  hasColors?(): boolean;
};

/** Draws on the terminal. Finished lines stay in the scrollback; the tail below them is redrawn. */
export class Screen {
  readonly paint: Paint;
  /** True if the output can be redrawn. */
  readonly live: boolean;
  readonly #output: Output;
  #tail: string[] = [];

  constructor(output: Output) {
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

  /** Adds finished lines and replaces the tail below them. */
  update(finished: string[], tail: string[]): void {
    if (!this.live) {
      if (finished.length > 0) this.#output.write(`${finished.join("\n")}\n`);
      return;
    }
    const shown = tail.slice(-(this.rows - 1));
    if (finished.length === 0 && shown.join("\n") === this.#tail.join("\n")) return;
    const done = finished.length > 0 ? `${finished.join("\r\n")}\r\n` : "";
    this.#output.write(BEGIN_UPDATE + this.#erase() + done + shown.join("\r\n") + END_UPDATE);
    this.#tail = shown;
  }

  /** Adds finished lines while there is no tail. */
  print(...lines: string[]): void {
    this.update(lines, []);
  }

  showCursor(visible: boolean): void {
    if (this.live) this.#output.write(visible ? SHOW_CURSOR : HIDE_CURSOR);
  }

  /** Clears the screen, and the scrollback if the terminal allows it. */
  clear(): void {
    if (this.live) this.#output.write("\x1b[2J\x1b[3J\x1b[H");
    this.#tail = [];
  }

  /** Moves the cursor to the start of the tail. A narrower window has wrapped its lines. */
  #erase(): string {
    if (this.#tail.length === 0) return "";
    const columns = this.#output.columns || 80;
    const rows = this.#tail.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return `\r${rows > 1 ? `\x1b[${rows - 1}A` : ""}\x1b[0J`;
  }
}
