import { diffArrays } from "diff";
import { indentOf, learnIndents } from "./indent.ts";

/** Returns how new lines are indented to fit the file. Undefined for a line where that is unclear. */
export function reindent(
  inFile: readonly string[],
  old: readonly string[],
): ((line: string, index: number) => string | undefined) | undefined {
  const pairs = old.flatMap((line, index): [string, string][] => {
    return line.trim() === "" ? [] : [[indentOf(line), indentOf(inFile[index] ?? "")]];
  });
  const all = learnIndents(pairs);
  // The text may begin in the middle of its first line, behind the indentation.
  const startsInside = indentOf(old[0] ?? "") === "" && (old[0] ?? "").trim() !== "";
  const others = startsInside && pairs.length > 1 ? learnIndents(pairs.slice(1)) : undefined;
  const sameBelow = pairs.slice(1).every(([written, known]) => written === known);
  const map = others && (all === undefined || sameBelow) ? others : all;
  if (map === undefined) return undefined;
  return (line, index) => {
    if (line.trim() === "") return line;
    const written = indentOf(line);
    const indent = map !== all && index === 0 && written === "" ? pairs[0]?.[1] : map(written);
    return indent === undefined ? undefined : indent + line.slice(written.length);
  };
}

/**
 * Carries the change from the old to the new lines over to the lines of the file: lines that do not change stay as they are
 * in the file. Undefined if a new line cannot be fitted in.
 */
export function mergeLines(
  inFile: readonly string[],
  old: readonly string[],
  changed: readonly string[],
  fit: ((line: string, index: number) => string | undefined) | undefined,
): string[] | undefined {
  const merged: string[] = [];
  let oldIndex = 0;
  let newIndex = 0;
  const hunks = diffArrays([...old], [...changed], {
    comparator: (left, right) => left.trimEnd() === right.trimEnd(),
  });
  let removed = 0;
  for (const hunk of hunks) {
    const { length } = hunk.value;
    if (hunk.removed) {
      removed = length;
      oldIndex += length;
      continue;
    }
    if (hunk.added) {
      for (const [index, line] of hunk.value.entries()) {
        const at = mostAlike(old, line, oldIndex - removed, oldIndex);
        const kept = at === undefined ? line : keepCharacters(inFile[at] ?? "", old[at] ?? "", line);
        const fitted = fit?.(kept, newIndex + index);
        if (fitted === undefined) return undefined;
        merged.push(fitted);
      }
      newIndex += length;
    } else {
      for (const line of inFile.slice(oldIndex, oldIndex + length)) merged.push(line);
      oldIndex += length;
      newIndex += length;
    }
    removed = 0;
  }
  return merged;
}

/** Returns which old line a new one was made from: the one that has more than half of its ends in common. */
function mostAlike(old: readonly string[], line: string, from: number, to: number): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (let at = from; at < to; at++) {
    const [before, after] = commonEnds(old[at] ?? "", line);
    const share = (before + after) / Math.max(1, (old[at] ?? "").length);
    if (share <= Math.max(0.5, most)) continue;
    best = at;
    most = share;
  }
  return best;
}

/** How many characters two texts have in common at their start and at their end. */
function commonEnds(left: string, right: string): [before: number, after: number] {
  const most = Math.min(left.length, right.length);
  let before = 0;
  while (before < most && left[before] === right[before]) before++;
  let after = 0;
  while (after < most - before && left.at(-1 - after) === right.at(-1 - after)) after++;
  return [before, after];
}

/** Returns the new line with the file's own quotes, dashes and spaces where it is the same as the old line. */
function keepCharacters(inFile: string, old: string, line: string): string {
  const [known, written, wanted] = [inFile, old, line].map((text) =>
    text.trimEnd().slice(indentOf(text).length),
  );
  if (known === undefined || written === undefined || wanted === undefined) return line;
  if (known === written || known.length !== written.length) return line;
  const [before, after] = commonEnds(written, wanted);
  const middle = wanted.slice(before, wanted.length - after);
  return indentOf(line) + known.slice(0, before) + middle + known.slice(known.length - after);
}
