import { codeRenderer, renderMarkdown } from "./markdown.ts";
import type { Paint } from "./style.ts";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const HEADING = /^#{1,6}(?:\s|$)/;
/** A longer block is shown as it is. Rendering it again for every delta would take too long. */
const LONGEST_BLOCK = 6_000;

type Kind = "list" | "code" | "other";

/** Renders streamed Markdown: blocks once they are complete, lines of code blocks at once. */
export class MarkdownStream {
  readonly #paint: Paint;
  readonly #columns: () => number;
  #partial = "";
  #block: string[] = [];
  #fence: string | undefined;
  #code: (line: string) => string = (line) => line;
  #blankBefore = false;
  #last: Kind | undefined;

  constructor(columns: () => number, paint: Paint) {
    this.#columns = columns;
    this.#paint = paint;
  }

  /** Takes more text. Returns the lines that are now final. */
  push(text: string): string[] {
    const lines = (this.#partial + text).split("\n");
    this.#partial = lines.pop() ?? "";
    const finished = lines.flatMap((line) => this.#line(line));
    if (this.#partial.length + this.#block.join("\n").length > LONGEST_BLOCK) {
      const cut = this.#partial.lastIndexOf(" ") + 1 || this.#partial.length;
      finished.push(...this.#line(this.#partial.slice(0, cut)), ...this.#flush());
      this.#partial = this.#partial.slice(cut);
    }
    return finished;
  }

  /** The unfinished block as it looks so far. */
  tail(): string[] {
    if (this.#fence !== undefined)
      return this.#partial === "" ? [] : [`  ${this.#paint("cyan", this.#partial)}`];
    const source = [...this.#block, this.#partial].join("\n");
    if (source.trim() === "") return [];
    const lines = renderMarkdown(source, this.#columns(), this.#paint);
    return this.#hasGap(kindOf(source)) ? ["", ...lines] : lines;
  }

  /** Ends the text. Returns the last lines. */
  end(): string[] {
    const finished = this.#partial === "" ? [] : this.#line(this.#partial);
    this.#partial = "";
    finished.push(...this.#flush());
    this.#fence = undefined;
    this.#last = undefined;
    this.#blankBefore = false;
    return finished;
  }

  #line(line: string): string[] {
    if (this.#fence !== undefined) {
      const closing = FENCE.exec(line)?.[1];
      if (closing?.startsWith(this.#fence) && line.trim() === closing) {
        this.#fence = undefined;
        return [];
      }
      return [this.#code(line)];
    }
    const opening = FENCE.exec(line)?.[1];
    if (opening !== undefined) {
      const before = this.#flush();
      if (this.#hasGap("code")) before.push("");
      this.#fence = opening;
      this.#code = codeRenderer(line.slice(line.indexOf(opening) + opening.length), this.#paint);
      this.#last = "code";
      return before;
    }
    if (line.trim() === "") {
      if (kindOf(this.#block.join("\n")) === "list") {
        this.#block.push("");
        return [];
      }
      const finished = this.#flush();
      this.#blankBefore = true;
      return finished;
    }
    const finished = this.#endsBefore(line) ? this.#flush() : [];
    this.#block.push(line);
    if (HEADING.test(line)) finished.push(...this.#flush());
    return finished;
  }

  /** Whether the block so far is finished when this line follows it. */
  #endsBefore(line: string): boolean {
    const [first] = this.#block;
    if (first === undefined) return false;
    if (HEADING.test(line)) return true;
    if (!ITEM.test(first)) return false;
    return ITEM.test(line) || (this.#block.at(-1) === "" && !/^\s/.test(line));
  }

  #flush(): string[] {
    const source = this.#block.join("\n");
    this.#block = [];
    if (source.trim() === "") return [];
    const kind = kindOf(source);
    const lines = renderMarkdown(source, this.#columns(), this.#paint);
    const finished = this.#hasGap(kind) ? ["", ...lines] : lines;
    this.#last = kind;
    this.#blankBefore = source.endsWith("\n");
    return finished;
  }

  #hasGap(kind: Kind): boolean {
    if (this.#last === undefined) return false;
    return this.#last !== "list" || kind !== "list" || this.#blankBefore;
  }
}

function kindOf(source: string): Kind {
  return ITEM.test(source) ? "list" : "other";
}
