/** A line of a patch, with its numbers in both texts. */
export interface PatchLine {
  kind: "same" | "added" | "removed" | "name" | "other";
  before?: number;
  after?: number;
  text: string;
  /** The parts of the line that changed, where another line takes its place. */
  changed?: Range[];
  /** It is the last line of its text, and no line break ends it. */
  unended?: boolean;
}

type Range = [from: number, to: number];

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
    const last = rows.at(-1);
    if (line.startsWith("\\ ") && last && last.kind !== "gap" && isContent(last)) {
      last.unended = true;
      continue;
    }
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

/** Returns true for a line of one of the texts, and not about them. */
export function isContent({ kind }: PatchLine): boolean {
  return kind !== "name" && kind !== "other";
}

function contentOf(line: string, before: number, after: number): PatchLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", after, text };
  if (line.startsWith("-")) return { kind: "removed", before, text };
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

/** Comparing lines takes as many steps as the product of their words. */
const MOST_STEPS = 250_000;

/** Marks the words that only one of two lines has. Lines with nothing in common stay unmarked. */
function markPair(old: PatchLine, next: PatchLine): void {
  const [a, b] = [wordsOf(old.text), wordsOf(next.text)];
  const shared = sharedWords(a, b);
  if (shared.every(([at]) => a[at]?.trim() === "")) return;
  old.changed = rangesBeside(
    a,
    shared.map(([at]) => at),
  );
  next.changed = rangesBeside(
    b,
    shared.map(([, at]) => at),
  );
}

/** Returns where the words are that both lines have, in the same order. */
function sharedWords(a: readonly string[], b: readonly string[]): [inOld: number, inNew: number][] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [before, after] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const between =
    before.length * after.length > MOST_STEPS
      ? []
      : withoutLoneSigns(longestShared(before, after), before, after);
  return [
    ...Array.from({ length: start }, (_, at): [number, number] => [at, at]),
    ...between.map(([inOld, inNew]): [number, number] => [inOld + start, inNew + start]),
    ...Array.from({ length: end }, (_, at): [number, number] => [a.length - end + at, b.length - end + at]),
  ];
}

/** Returns the longest common subsequence of two lists of words, as late in both as possible. */
function longestShared(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  /** How many words are shared up to here. */
  const counts = new Uint16Array((a.length + 1) * width);
  const count = (i: number, j: number) => counts[i * width + j] ?? 0;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j < width; j++)
      counts[i * width + j] =
        a[i - 1] === b[j - 1] ? count(i - 1, j - 1) + 1 : Math.max(count(i - 1, j), count(i, j - 1));
  const shared: [number, number][] = [];
  for (let i = a.length, j = b.length; i > 0 && j > 0; ) {
    if (a[i - 1] === b[j - 1]) shared.push([--i, --j]);
    else if (count(i - 1, j) >= count(i, j - 1)) i--;
    else j--;
  }
  return shared.reverse();
}

/** Signs and spaces that two lines share by chance, amid what changed in both, would only tear the marks apart. */
function withoutLoneSigns(
  shared: readonly [number, number][],
  a: readonly string[],
  b: readonly string[],
): [number, number][] {
  const runs: [number, number][][] = [];
  for (const [i, j] of shared) {
    const last = runs.at(-1)?.at(-1);
    if (last?.[0] === i - 1 && last[1] === j - 1) runs.at(-1)?.push([i, j]);
    else runs.push([[i, j]]);
  }
  return runs
    .filter((run, index) => {
      const [first, last] = [run[0] ?? [0, 0], run.at(-1) ?? [0, 0]];
      const before = runs[index - 1]?.at(-1) ?? [-1, -1];
      const after = runs[index + 1]?.[0] ?? [a.length, b.length];
      const isAmid = [0, 1].every((line) => apart(before, first, line) && apart(last, after, line));
      return !isAmid || run.some(([at]) => /[\p{L}\p{N}]/u.test(a[at] ?? ""));
    })
    .flat();
}

function apart(one: readonly number[], next: readonly number[], line: number): boolean {
  return (next[line] ?? 0) - (one[line] ?? 0) > 1;
}

/** Returns the places in a line of all its words but these. */
function rangesBeside(words: readonly string[], shared: readonly number[]): Range[] {
  const kept = new Set(shared);
  const ranges: Range[] = [];
  let from = 0;
  for (const [at, word] of words.entries()) {
    const last = ranges.at(-1);
    if (!kept.has(at)) {
      if (last?.[1] === from) last[1] += word.length;
      else ranges.push([from, from + word.length]);
    }
    from += word.length;
  }
  return ranges;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? [];
}
