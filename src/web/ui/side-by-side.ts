import type { PatchGap, PatchLine } from "./patch.ts";

/** Two lines beside each other, or what fills the whole width. */
export type SideRow = { left?: PatchLine; right?: PatchLine } | { whole: PatchLine | PatchGap; at: number };

/** Puts the lines of a patch side by side: what was removed to the left of what took its place. */
export function sideBySide(rows: readonly (PatchLine | PatchGap)[]): SideRow[] {
  const sides: SideRow[] = [];
  for (let at = 0; at < rows.length; ) {
    const row = rows[at];
    if (!row) break;
    if (row.kind === "same") sides.push({ left: row, right: row });
    else if (row.kind !== "removed" && row.kind !== "added") sides.push({ whole: row, at });
    else {
      const removed = linesFrom(rows, at, "removed");
      const added = linesFrom(rows, at + removed.length, "added");
      for (let index = 0; index < Math.max(removed.length, added.length); index++)
        sides.push({
          ...(removed[index] ? { left: removed[index] } : {}),
          ...(added[index] ? { right: added[index] } : {}),
        });
      at += removed.length + added.length;
      continue;
    }
    at++;
  }
  return sides;
}

function linesFrom(rows: readonly (PatchLine | PatchGap)[], from: number, kind: string): PatchLine[] {
  const lines: PatchLine[] = [];
  for (const row of rows.slice(from)) {
    if (row.kind !== kind || row.kind === "gap") break;
    lines.push(row);
  }
  return lines;
}
