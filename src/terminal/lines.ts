import { createRequire } from "node:module";
import type stringWidth from "string-width";
import type { Paint } from "./style.ts";

/** A piece of text in one format. */
export interface Span {
  text: string;
  format?: Parameters<Paint>[0];
}

const PLAIN = /^[\x20-\x7e]*$/;
/** Latin letters, the signs that the terminal itself draws, and colors. */
const COLOR = `${String.fromCharCode(0x1b)}\\[[0-9;]*m`;
const NARROW = new RegExp(`^(?:[ -~¡-¬®-˿‐-‧‰-⁞✓✗✻▏│─☐☑▸⠀-⣿]|${COLOR})*$`);
const COLORS = new RegExp(COLOR, "g");
const graphemes = lazily(() => new Intl.Segmenter());
/** Loaded with the first text that needs it: its tables take longer than everything else before the prompt. */
const measure = lazily(
  () => (createRequire(import.meta.url)("string-width") as { default: typeof stringWidth }).default,
);

/** The width of the text in columns. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return NARROW.test(text) ? text.replace(COLORS, "").length : measure()(text);
}

/** Returns the characters of a text as people see them. */
export function graphemesOf(text: string): Iterable<{ segment: string; index: number }> {
  return PLAIN.test(text)
    ? Array.from(text, (segment, index) => ({ segment, index }))
    : graphemes().segment(text);
}

function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** Cuts the text to the width, with an ellipsis if something is missing. */
export function truncate(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  return `${takeColumns(text, Math.max(0, columns - 1))}…`;
}

/** Breaks formatted text into lines of at most that many columns, between words where possible. */
export function wrap(spans: Span[], columns: number, paint: Paint): string[] {
  const width = Math.max(1, columns);
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const breakLine = () => {
    lines.push(line.trimEnd());
    line = "";
    used = 0;
  };
  for (const { text, format } of spans) {
    const look = (piece: string) => (format === undefined ? piece : paint(format, piece));
    for (const piece of text.split(/(\n|[^\S\n]+)/)) {
      if (piece === "") continue;
      if (piece === "\n") {
        breakLine();
        continue;
      }
      const blank = piece.trim() === "";
      if (used + widthOf(piece) > width && used > 0) breakLine();
      if (blank && used === 0) continue;
      const parts = chop(piece, width);
      const rest = parts.pop() ?? "";
      for (const part of parts) lines.push(look(part));
      line += look(rest);
      used += widthOf(rest);
    }
  }
  if (used > 0 || lines.length === 0) breakLine();
  return lines;
}

/** Breaks text into pieces of at most that many columns, also within words. */
export function chop(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    const width = widthOf(segment);
    if (used + width > columns && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += segment;
    used += width;
  }
  return [...pieces, piece];
}

function takeColumns(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, columns);
  let taken = "";
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    used += widthOf(segment);
    if (used > columns) break;
    taken += segment;
  }
  return taken;
}
