import { Lexer, type Token } from "marked";
import { type MarkdownSegment, markdownSegments } from "../../protocol/markdown-segments.ts";
import { type Fence, fenceOf } from "./fence.ts";
import { MARKDOWN_OPTIONS } from "./math-tokens.ts";

/** A finished block of Markdown, or the last one, which may still grow. */
export interface TextBlock {
  /** Its offset in the whole text, used as identity. */
  start: number;
  source: string;
  /** Undefined for code whose fence is still open. */
  tokens?: Token[];
  /** The level of a heading on the page: one below that of the heading above it, however deep the model wrote it. */
  level?: number;
  openCode?: Fence & { code: string };
  /** Blocks that can be folded, with their title. */
  details?: { summary: string; blocks: TextBlock[] };
  /** Too hard to parse, so it is shown as it was written. */
  plain?: true;
  /** More may follow. */
  grows?: true;
}

const OPEN_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)\n?/;
/** The head of a table whose second line, which makes it one, is not there yet. */
const MAY_BECOME_TABLE = /^ {0,3}\|[^\n]*(?:\n[ |:-]*)?$/;
/** In longer tails, open marks are not closed. */
const INLINE_LIMIT = 20_000;

/**
 * Splits a growing text into finished blocks and a tail. Only the tail is parsed again when text is added, so the work grows
 * with the length of the answer and not with its square.
 */
export class BlockSplitter {
  #finished: TextBlock[] = [];
  #start = 0;
  #text = "";
  /** How deep the headings are under which the next block stands. */
  #outline: number[] = [];

  /** Returns the blocks of the text so far. Finished blocks are the same objects as in the call before. */
  update(text: string, complete: boolean): TextBlock[] {
    if (!text.startsWith(this.#text)) {
      this.#finished = [];
      this.#start = 0;
      this.#outline = [];
    }
    this.#text = text;
    const segments = markdownSegments(text.slice(this.#start));
    const last = segments.pop();
    if (!last) return this.#finished;
    for (const segment of segments) this.#finish(segment);
    const tail = last.text;
    if (last.plain) return [...this.#finished, { start: this.#start, source: tail, plain: true }];
    const open = complete ? undefined : openCodeIn(tail);
    if (open) return [...this.#finished, { start: this.#start, source: tail, openCode: open }];
    const tokens = Lexer.lex(complete ? tail : closeMarks(tail), MARKDOWN_OPTIONS);
    if (complete) return [...this.#finished, ...this.#blocksOf(tokens, [...this.#outline])];
    const lastToken = tokens.findLastIndex((token) => token.type !== "space");
    const done = tokens.slice(0, Math.max(0, lastToken));
    // Closing marks were added to the last token only.
    if (done.length > 0) {
      const blocks = this.#blocksOf(done, this.#outline);
      this.#finished = [...this.#finished, ...blocks];
      this.#start += done.reduce((sum, { raw }) => sum + raw.length, 0);
    }
    const rest = text.slice(this.#start);
    const openRest = openCodeIn(rest);
    if (openRest) return [...this.#finished, { start: this.#start, source: rest, openCode: openRest }];
    const lastTokens = MAY_BECOME_TABLE.test(rest) ? [] : tokens.slice(Math.max(0, lastToken));
    const level = levelOf(lastTokens[0], [...this.#outline]);
    const block = { start: this.#start, source: rest, tokens: lastTokens, ...level, grows: true as const };
    return [...this.#finished, block];
  }

  #finish({ text, plain }: MarkdownSegment): void {
    const blocks: TextBlock[] = plain
      ? [{ start: this.#start, source: text, plain: true }]
      : this.#blocksOf(Lexer.lex(text, MARKDOWN_OPTIONS), this.#outline);
    this.#finished = [...this.#finished, ...blocks];
    this.#start += text.length;
  }

  #blocksOf(tokens: Token[], outline: number[]): TextBlock[] {
    let start = this.#start;
    return tokens.flatMap((token) => {
      const block = { start, source: token.raw, tokens: [token], ...levelOf(token, outline) };
      start += token.raw.length;
      const isNote = token.type === "def" && token.raw.startsWith("[^");
      return token.type === "space" || (token.type === "def" && !isNote) ? [] : [block];
    });
  }
}

/** The page has its own heading above those of an answer. */
const FIRST_LEVEL = 2;
const LAST_LEVEL = 6;

/** Puts a heading into the outline, and returns its level there. Levels go down one by one. */
function levelOf(token: Token | undefined, outline: number[]): { level?: number } {
  if (token?.type !== "heading") return {};
  while ((outline.at(-1) ?? 0) >= token.depth) outline.pop();
  outline.push(token.depth);
  return { level: Math.min(LAST_LEVEL, FIRST_LEVEL + outline.length - 1) };
}

function openCodeIn(tail: string): TextBlock["openCode"] {
  const fence = OPEN_FENCE.exec(tail);
  if (!fence) return undefined;
  const [opening, marks = "", info = ""] = fence;
  const body = tail.slice(opening.length);
  const close = new RegExp(`(?:^|\\n) {0,3}${marks[0]}{${marks.length},}[ \\t]*(?:\\n|$)`);
  return close.test(body) ? undefined : { ...fenceOf(info), code: body };
}

/** A mark before a word, in the last line, that nothing closes. */
const OPEN_EMPHASIS = /(?:^|[\s(“"'])([*_])(?=[^\s*_])[^*_\n]*$/;

/** A link or an image whose address is not complete. */
const OPEN_LINK = /!?\[([^[\]\n]*)\]\([^()\s]*$/;

/** Closes open marks in the last paragraph, so that it doesn't change its look when the closing mark arrives. */
function closeMarks(growing: string): string {
  if (growing.length > INLINE_LIMIT || growing.endsWith("\n\n")) return growing;
  const tail = growing.replace(OPEN_LINK, "$1");
  const paragraph = tail.slice(tail.lastIndexOf("\n\n") + 1);
  if (/^ {0,3}(```|~~~)/m.test(paragraph)) return tail;
  const withoutCode = paragraph.replace(/`[^`\n]*`/g, "");
  if (withoutCode.includes("`")) return `${tail}\``;
  const bold = withoutCode.split("**").length - 1;
  if (bold % 2 === 1 && !/\*\*$|\s$/.test(tail)) return `${tail}**`;
  const isSlanted = OPEN_EMPHASIS.exec(withoutCode.replaceAll("**", ""));
  return bold % 2 === 0 && isSlanted && !/[\s*_]$/.test(tail) ? `${tail}${isSlanted[1]}` : tail;
}
