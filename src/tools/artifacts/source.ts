import type { ArtifactIssue } from "../../protocol/events.ts";

/** Replaces the text from `start` to `end` with `text`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Applies edits that do not overlap. Insertions come before replacements at the same offset. */
export function applyEdits(code: string, edits: readonly Edit[]): string {
  let result = "";
  let from = 0;
  const inOrder = edits.toSorted((left, right) => left.start - right.start || left.end - right.end);
  for (const { start, end, text } of inOrder) {
    result += code.slice(from, start) + text;
    from = end;
  }
  return result + code.slice(from);
}

/** The line and column of an offset, both counted from 1. */
export function placeOf(code: string, offset: number): { line: number; column: number } {
  const before = code.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** An issue at an offset of a text. */
export function issueAt(
  severity: ArtifactIssue["severity"],
  message: string,
  code: string,
  offset: number,
): ArtifactIssue {
  return { severity, message, ...placeOf(code, Math.min(offset, code.length)) };
}

/** The line that contains an offset, without its line break. */
export function lineAround(code: string, offset: number): { start: number; end: number; text: string } {
  const start = code.lastIndexOf("\n", offset - 1) + 1;
  const next = code.indexOf("\n", offset);
  const end = next === -1 ? code.length : next;
  return { start, end, text: code.slice(start, end) };
}

/** Replaces the HTML entities that models write instead of plain characters. */
export function decodeEntities(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
