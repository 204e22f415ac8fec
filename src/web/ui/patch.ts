/** A line of a patch, with its numbers in both texts. */
export interface PatchLine {
  kind: "same" | "added" | "removed" | "name" | "other";
  before?: number;
  after?: number;
  text: string;
  /** The part of the line that changed, where another line takes its place. */
  changed?: [from: number, to: number];
}

/** Lines that both texts share and the patch leaves out. */
export interface PatchGap {
  kind: "gap";
  before: number;
  count: number;
}

/** Reads a unified patch, of one file or several. What is not part of a patch stays as it is: nothing is left out. */
export function readPatch(text: string): (PatchLine | PatchGap)[] {
  const rows: (PatchLine | PatchGap)[] = [];
  const lines = text.replace(/\n$/, "").split("\n");
  let [before, after, oldLeft, newLeft] = [1, 1, 0, 0];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (oldLeft > 0 || newLeft > 0) {
      const row = contentOf(line, before, after);
      if (row.before !== undefined) [before, oldLeft] = [before + 1, oldLeft - 1];
      if (row.after !== undefined) [after, newLeft] = [after + 1, newLeft - 1];
      rows.push(row);
      continue;
    }
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      const from = Math.max(1, Number(hunk[1]));
      if (from > before) rows.push({ kind: "gap", before, count: from - before });
      [before, after] = [from, Math.max(1, Number(hunk[3]))];
      [oldLeft, newLeft] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
    } else if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      rows.push({ kind: "name", text: nameOf(line, lines[at + 1] ?? "") });
      [before, after] = [1, 1];
      at++;
    } else if (!(/^=+$/.test(line) && lines[at + 1]?.startsWith("--- ")))
      rows.push({ kind: "other", text: line });
  }
  markWords(rows);
  return rows;
}

/** Returns true if each hunk has as many lines as its header says. Models often count wrong. */
export function isWholePatch(text: string): boolean {
  let [oldLeft, newLeft] = [0, 0];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk && oldLeft === 0 && newLeft === 0)
      [oldLeft, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    else if (oldLeft > 0 || newLeft > 0) {
      if (!/^(?:[-+ \\]|$)/.test(line)) return false;
      if (!/^[+\\]/.test(line)) oldLeft--;
      if (!/^[-\\]/.test(line)) newLeft--;
    } else if (/^(?:\+(?!\+\+ )|-(?!-- ))/.test(line)) return false;
  }
  return oldLeft === 0 && newLeft === 0;
}

/** Returns how many lines a patch adds and removes. */
export function countChanges(rows: readonly (PatchLine | PatchGap)[]): { added: number; removed: number } {
  const count = (wanted: string) => rows.filter(({ kind }) => kind === wanted).length;
  return { added: count("added"), removed: count("removed") };
}

function contentOf(line: string, before: number, after: number): PatchLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", after, text };
  if (line.startsWith("-")) return { kind: "removed", before, text };
  if (line.startsWith("\\")) return { kind: "other", text: line };
  return { kind: "same", before, after, text };
}

function nameOf(before: string, after: string): string {
  const [old = "", next = ""] = [before, after].map((line) => line.slice(4).split("\t")[0]);
  return old === next ? next : `${old} → ${next}`;
}

/** Lines that are removed and added at the same place are compared by their words. */
function markWords(rows: (PatchLine | PatchGap)[]): void {
  for (let at = 0; at < rows.length; at++) {
    let removed = at;
    while (rows[removed]?.kind === "removed") removed++;
    let added = removed;
    while (rows[added]?.kind === "added") added++;
    const pairs = Math.min(removed - at, added - removed);
    for (let index = 0; index < pairs; index++) {
      const [old, next] = [rows[at + index], rows[removed + index]];
      if (old?.kind === "removed" && next?.kind === "added") markPair(old, next);
    }
    at = Math.max(at, added - 1);
  }
}

/** Marks what lies between the common beginning and the common end, by whole words. Lines with nothing in common stay unmarked. */
function markPair(old: PatchLine, next: PatchLine): void {
  const [a, b] = [wordsOf(old.text), wordsOf(next.text)];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const shared = [...a.slice(0, start), ...a.slice(a.length - end)].join("").trim();
  if (shared === "") return;
  const from = a.slice(0, start).join("").length;
  const tail = a.slice(a.length - end).join("").length;
  if (from < old.text.length - tail) old.changed = [from, old.text.length - tail];
  if (from < next.text.length - tail) next.changed = [from, next.text.length - tail];
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? [];
}
