import { chop } from "./lines.ts";
import type { Paint } from "./style.ts";

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Whether these are the lines of a unified diff. */
export function isDiff(lines: readonly string[]): boolean {
  return lines.some((line) => /^(@@ |--- |\+\+\+ )/.test(line));
}

/** A unified diff with line numbers and colors. In a line that replaces another one, what differs is marked. */
export function diffLines(lines: readonly string[], columns: number, paint: Paint): string[] {
  const width = String(highestNumber(lines)).length;
  let [old, fresh] = [0, 0];
  return lines.flatMap((line, at) => {
    const hunk = HUNK.exec(line);
    if (hunk) {
      old = Number(hunk[1]);
      fresh = Number(hunk[2]);
      return chop(line, columns).map((part) => paint("cyan", part));
    }
    if (old + fresh === 0 || !/^[ +-]/.test(line))
      return chop(line, columns).map((part) => paint("bold", part));
    const kind = line[0] === "+" ? "green" : line[0] === "-" ? "red" : undefined;
    const number = kind === "red" ? old : fresh;
    if (kind !== "green") old++;
    if (kind !== "red") fresh++;
    const partner = kind && partnerOf(lines, at);
    const changed = partner === undefined ? undefined : changedPart(line.slice(1), partner.slice(1));
    return chop(line, Math.max(8, columns - width - 1)).map((part, row, parts) => {
      const gutter = paint("dim", `${row === 0 ? String(number).padStart(width) : " ".repeat(width)} `);
      if (!kind) return gutter + part;
      if (!changed || parts.length > 1) return gutter + paint(kind, part);
      const [from, to] = [changed.start + 1, changed.end + 1];
      const marked = part.slice(from, to);
      return (
        gutter +
        paint(kind, part.slice(0, from)) +
        (marked && paint([kind, "inverse"], marked)) +
        paint(kind, part.slice(to))
      );
    });
  });
}

function highestNumber(lines: readonly string[]): number {
  const last = lines.findLastIndex((line) => HUNK.test(line));
  const hunk = HUNK.exec(lines[last] ?? "");
  return hunk ? Math.max(Number(hunk[1]), Number(hunk[2])) + lines.length - last : 0;
}

/** The line that replaces this one, or that it replaces, where as many were removed as added. */
function partnerOf(lines: readonly string[], at: number): string | undefined {
  const own = lines[at]?.[0] ?? "";
  const other = own === "-" ? "+" : "-";
  let start = at;
  while (lines[start - 1]?.startsWith(own)) start--;
  let end = at + 1;
  while (lines[end]?.startsWith(own)) end++;
  const count = end - start;
  const from = own === "-" ? end : start - count;
  const block = lines.slice(from, from + count);
  const whole = block.length === count && block.every((line) => line.startsWith(other));
  const alone = !lines[own === "-" ? from + count : from - 1]?.startsWith(other);
  return from >= 0 && whole && alone ? block[at - start] : undefined;
}

/** The part that two lines do not share. Nothing where they share too little for it to help. */
function changedPart(one: string, other: string): { start: number; end: number } | undefined {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let same = 0;
  const most = Math.min(one.length, other.length) - start;
  while (same < most && one.at(-1 - same) === other.at(-1 - same)) same++;
  // Whole words, so that a letter in common does not tear a word apart.
  while (start > 0 && /\w/.test(one[start - 1] ?? "") && /\w/.test(one[start] ?? other[start] ?? "")) start--;
  while (same > 0 && /\w/.test(one.at(-same) ?? "") && /\w/.test(one.at(-same - 1) ?? "")) same--;
  const shared = start + same;
  return shared * 2 >= Math.max(one.length, other.length) ? { start, end: one.length - same } : undefined;
}
