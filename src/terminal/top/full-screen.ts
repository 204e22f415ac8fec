import type { TerminalOutput } from "../screen.ts";
import { type Paint, paintFor } from "../style.ts";

const ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE = "\x1b[?25h\x1b[?1049l";
const BEGIN_UPDATE = "\x1b[?2026h\x1b[H";
const END_UPDATE = "\x1b[?2026l";

/** The terminal's second screen. What was on the first one is there again after `leave`. */
export class FullScreen {
  readonly paint: Paint;
  readonly #output: TerminalOutput;

  constructor(output: TerminalOutput) {
    this.#output = output;
    this.paint = paintFor(output);
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  enter(): void {
    this.#output.write(ENTER);
  }

  leave(): void {
    this.#output.write(LEAVE);
  }

  /** Draws these lines in place of the ones before. If the terminal can, they appear at once. */
  draw(lines: string[]): void {
    const drawn = lines.map((line) => `${line}\x1b[K`).join("\r\n");
    this.#output.write(`${BEGIN_UPDATE}${drawn}\x1b[0J${END_UPDATE}`);
  }
}
