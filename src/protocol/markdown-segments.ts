/** A part of a Markdown text that can be parsed by itself, or that is too hard to parse and shown as it is. */
export interface MarkdownSegment {
  text: string;
  plain: boolean;
}

/** A segment ends at the first empty line after this many characters. */
const SEGMENT_CHARACTERS = 4_000;
/** Beyond these, a paragraph, list or quotation is no longer one that somebody reads. */
const MAX_CHARACTERS = 10_000;
const MAX_SIGNS = 1_000;
/** Emphasis inside of emphasis is the slowest of all. */
const MAX_STARS = 500;
const MAX_TABLE_CHARACTERS = 40_000;
const MAX_CELLS = 2_000;
const MAX_INDENT = 60;
const MAX_NESTED_MARKS = 15;

const STARS = /[*_~]/g;
const SIGNS = /[*_~[\]`<$\\!&]/g;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** A longer line does not begin code. */
const MAX_FENCE_LINE = 200;
const TABLE_LINE = /^[ \t]*\|?[ \t:|-]*-[ \t:|-]*$/;
const NESTED_MARKS = new RegExp(`^(?:[ \\t]{0,4}(?:>|[-*+][ \\t]|\\d{1,9}[.)][ \\t])){${MAX_NESTED_MARKS}}`);
const INDENTED_MARK = new RegExp(`^[ \\t]{${MAX_INDENT},}(?:>|[-*+] |\\d{1,9}[.)] )`);

/**
 * Cuts a text into segments, in linear time. Parsers of Markdown need quadratic time or worse for rows of stars, open
 * brackets and deep nesting, so nothing of that kind reaches them. Cuts are made only at empty lines outside of code, and an
 * earlier cut never moves when text is added at the end.
 */
export function markdownSegments(text: string): MarkdownSegment[] {
  const segments: MarkdownSegment[] = [];
  let easyFrom = 0;
  for (const { start, end, isCode } of blocksIn(text)) {
    const plain = !isCode && isTooHard(text.slice(start, end));
    // An indented line belongs to the list item before it.
    const most = /\s/.test(text.charAt(start)) ? 2 * SEGMENT_CHARACTERS : SEGMENT_CHARACTERS;
    if (start > easyFrom && (plain || end - easyFrom > most)) {
      segments.push({ text: text.slice(easyFrom, start), plain: false });
      easyFrom = start;
    }
    if (!plain) continue;
    segments.push({ text: text.slice(start, end), plain: true });
    easyFrom = end;
  }
  if (easyFrom < text.length) segments.push({ text: text.slice(easyFrom), plain: false });
  return segments;
}

interface Block {
  start: number;
  end: number;
  isCode: boolean;
}

/** Yields what is between empty lines, with the empty lines after it, and each fenced code as one. */
function* blocksIn(text: string): Generator<Block> {
  let start = 0;
  let fence = "";
  let isEmptyBefore = false;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline + 1;
    const line = end - at > MAX_FENCE_LINE ? "…" : text.slice(at, end).trimEnd();
    const mark = FENCE.exec(line)?.[1] ?? "";
    const closes = fence !== "" && mark.startsWith(fence) && line.trim() === mark;
    if (fence === "" && at > start && (mark !== "" || (isEmptyBefore && line !== ""))) {
      yield { start, end: at, isCode: false };
      start = at;
    }
    if (closes) {
      yield { start, end, isCode: true };
      start = end;
    }
    if (fence === "" || closes) fence = closes ? "" : mark;
    isEmptyBefore = line === "";
    at = end;
  }
  if (start < text.length) yield { start, end: text.length, isCode: fence !== "" };
}

function isTooHard(block: string): boolean {
  const isTable = TABLE_LINE.test(block.split("\n", 2)[1]?.slice(0, 2_000) ?? "");
  if (block.length > (isTable ? MAX_TABLE_CHARACTERS : MAX_CHARACTERS)) return true;
  if (isTable && block.split("|").length > MAX_CELLS) return true;
  if ((block.match(SIGNS)?.length ?? 0) > MAX_SIGNS) return true;
  if ((block.match(STARS)?.length ?? 0) > MAX_STARS) return true;
  return block.split("\n").some((line) => NESTED_MARKS.test(line) || INDENTED_MARK.test(line));
}
