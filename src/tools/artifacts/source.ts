import type { ArtifactIssue } from "../../protocol/events.ts";

/** A change of a text: what stands from `start` to `end` becomes `text`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The text after all of these changes, which must not overlap. */
export function applyEdits(code: string, edits: readonly Edit[]): string {
  let result = "";
  let from = 0;
  for (const { start, end, text } of inOrder(edits)) {
    result += code.slice(from, start) + text;
    from = end;
  }
  return result + code.slice(from);
}

/** Additions come before what is replaced at the same place. */
function inOrder(edits: readonly Edit[]): Edit[] {
  return edits.toSorted((left, right) => left.start - right.start || left.end - right.end);
}

/** Where an offset is, as people count: lines and columns from 1. */
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

/** The line around an offset, without its end. */
export function lineAround(code: string, offset: number): { start: number; end: number; text: string } {
  const start = code.lastIndexOf("\n", offset - 1) + 1;
  const next = code.indexOf("\n", offset);
  const end = next === -1 ? code.length : next;
  return { start, end, text: code.slice(start, end) };
}
