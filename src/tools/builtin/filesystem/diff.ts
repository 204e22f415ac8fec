const CONTEXT = 3;
/** Beyond this many comparisons the changed part is shown as removed and added as a whole. */
const MAX_COMPARISONS = 1_000_000;

interface Change {
  kind: " " | "-" | "+";
  text: string;
}

/** The difference of two texts as a unified diff; empty when there is none. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const changes = compare(linesOf(before), linesOf(after));
  return [`--- ${path}`, `+++ ${path}`, ...hunks(changes)].join("\n");
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
}

function compare(before: string[], after: string[]): Change[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const shortest = Math.min(before.length, after.length) - start;
  while (end < shortest && before.at(-1 - end) === after.at(-1 - end)) end++;
  const mark = (kind: Change["kind"], lines: string[]) => lines.map((text) => ({ kind, text }));
  return [
    ...mark(" ", before.slice(0, start)),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...mark(" ", before.slice(before.length - end)),
  ];
}

/** Keeps the longest common subsequence. */
function compareMiddle(before: string[], after: string[]): Change[] {
  const changes: Change[] = [];
  const width = after.length + 1;
  const feasible = before.length * after.length <= MAX_COMPARISONS;
  const lengths = new Uint32Array(feasible ? (before.length + 1) * width : 0);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; feasible && row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const same = before[row] === after[column];
      lengths[row * width + column] = same
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]];
    if (feasible && old !== undefined && old === fresh) {
      changes.push({ kind: " ", text: old });
      row++;
      column++;
    } else if (old !== undefined && (fresh === undefined || at(row + 1, column) >= at(row, column + 1))) {
      changes.push({ kind: "-", text: old });
      row++;
    } else {
      changes.push({ kind: "+", text: fresh ?? "" });
      column++;
    }
  }
  return changes;
}

function hunks(changes: Change[]): string[] {
  const lines: string[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (let index = 0; index < changes.length; ) {
    const first = changes.findIndex((change, position) => position >= index && change.kind !== " ");
    if (first === -1) break;
    const start = Math.max(index, first - CONTEXT);
    let end = first + 1;
    for (let quiet = 0; end < changes.length && quiet <= 2 * CONTEXT; end++) {
      quiet = changes[end]?.kind === " " ? quiet + 1 : 0;
    }
    while (end > first && changes[end - 1]?.kind === " ") end--;
    end = Math.min(changes.length, end + CONTEXT);
    const skipped = start - index;
    oldLine += skipped;
    newLine += skipped;
    const hunk = changes.slice(start, end);
    const oldCount = hunk.filter((change) => change.kind !== "+").length;
    const newCount = hunk.filter((change) => change.kind !== "-").length;
    const from = (line: number, count: number) => `${count === 0 ? line - 1 : line},${count}`;
    lines.push(`@@ -${from(oldLine, oldCount)} +${from(newLine, newCount)} @@`);
    lines.push(...hunk.map((change) => change.kind + change.text));
    oldLine += oldCount;
    newLine += newCount;
    index = end;
  }
  return lines;
}
