import type { Replacement } from "./line-ends.ts";
import { mergeLines, reindent } from "./merge-lines.ts";

/** More hits than this are not counted one by one. */
const MAX_HITS = 1_000;

/** The places where a text to replace was found, with what to put there. */
export interface Matches {
  /** How the text was compared, for messages. Empty for an exact match. */
  tolerance: string;
  /** In order. Without `replaceAll` they may overlap, because then one of them is not the only one. */
  hits: Hit[];
}

interface Hit extends Replacement {
  /** The text is found, but it is unclear how the new lines have to be indented there. */
  unclear?: boolean;
}

export interface Wanted {
  oldText: string;
  newText: string;
  replaceAll?: boolean | undefined;
}

/**
 * Finds the text to replace in a text with LF line ends. Exact matches come first; if there are none, blanks, typographic
 * characters and indentation are ignored step by step. Text that is only similar never matches.
 */
export function findMatches(text: string, wanted: Wanted): Matches {
  for (const candidate of candidates(wanted)) {
    const found = findCandidate(text, candidate);
    if (found.hits.length > 0) return found;
  }
  return { tolerance: "", hits: [] };
}

/** The text as it is, without line numbers, and without blank lines around it. */
function* candidates(wanted: Wanted): Generator<Wanted> {
  yield wanted;
  const plain = withoutLineNumbers(wanted);
  if (plain) yield plain;
  const bare = withoutBlankEdges(plain ?? wanted);
  if (bare) yield bare;
}

function findCandidate(text: string, wanted: Wanted): Matches {
  const exact = occurrences(text, wanted.oldText, wanted.replaceAll);
  if (exact.length > 0) {
    const length = wanted.oldText.length;
    const hits = exact.map((start) => ({ start, end: start + length, text: wanted.newText }));
    return { tolerance: "", hits };
  }
  const old = asLines(wanted.oldText);
  if (old.lines.every((line) => line.trim() === "")) return { tolerance: "", hits: [] };
  const file = linesOf(text);
  const isPlain = !/[^\0-\x7f]/.test(wanted.oldText) && !/[^\0-\x7f]/.test(text);
  for (const { tolerance, canonical, anywhere } of isPlain ? STEPS.slice(0, PLAIN_STEPS) : STEPS) {
    const hits = anywhere ? inText(text, wanted) : inLines(file, wanted, old, canonical);
    if (hits.length > 0) return { tolerance, hits };
  }
  return { tolerance: "", hits: [] };
}

interface Step {
  tolerance: string;
  /** How lines are compared. */
  canonical(line: string): string;
  /** The text may begin and end inside of a line. */
  anywhere?: boolean;
}

const STEPS: readonly Step[] = [
  { tolerance: "ignoring blanks at line ends", canonical: (line) => line.trimEnd() },
  { tolerance: "ignoring indentation", canonical: (line) => line.trim() },
  { tolerance: "with other quotes, dashes or spaces", canonical: plainText, anywhere: true },
  {
    tolerance: "with other quotes, dashes or spaces, ignoring blanks at line ends",
    canonical: (line) => plainText(line).trimEnd().normalize("NFC"),
  },
  {
    tolerance: "with other quotes, dashes or spaces, ignoring indentation",
    canonical: (line) => plainText(line).trim().normalize("NFC"),
  },
];

/** The first steps are enough where there are no typographic characters. */
const PLAIN_STEPS = 2;

/** Returns the text with typographic quotes, dashes and spaces replaced by plain ones. Its length stays the same. */
export function plainText(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ");
}

interface FileLines {
  lines: string[];
  starts: number[];
}

function linesOf(text: string): FileLines {
  const lines = text.split("\n");
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length + 1;
  }
  return { lines, starts };
}

/** The lines of a text, and whether the last one was ended. */
function asLines(text: string): { lines: string[]; ended: boolean } {
  const lines = text.split("\n");
  const ended = lines.length > 1 && lines.at(-1) === "";
  return { lines: ended ? lines.slice(0, -1) : lines, ended };
}

function inText(text: string, { oldText, newText, replaceAll }: Wanted): Hit[] {
  const oldLines = oldText.split("\n");
  const newLines = newText.split("\n");
  return occurrences(plainText(text), plainText(oldText), replaceAll).map((start) => {
    const end = start + oldText.length;
    const merged = mergeLines(text.slice(start, end).split("\n"), oldLines, newLines, (line) => line);
    return { start, end, text: (merged ?? newLines).join("\n") };
  });
}

function inLines(
  { lines, starts }: FileLines,
  { newText, replaceAll }: Wanted,
  old: { lines: string[]; ended: boolean },
  canonical: (line: string) => string,
): Hit[] {
  const wanted = old.lines.map(canonical);
  const known = lines.map(canonical);
  const hits: Hit[] = [];
  let next = 0;
  for (const first of candidatePlaces(known, wanted)) {
    if (first < next || !wanted.every((line, index) => known[first + index] === line)) continue;
    const last = first + wanted.length - 1;
    const inFile = lines.slice(first, last + 1);
    const changed = old.ended ? asLines(newText) : { lines: newText.split("\n"), ended: false };
    const merged = mergeLines(inFile, old.lines, changed.lines, reindent(inFile, old.lines));
    const lineEnd = (starts[last] ?? 0) + (lines[last] ?? "").length;
    const takesEnd = old.ended && last < lines.length - 1;
    const text = (merged ?? []).join("\n") + (takesEnd && changed.ended ? "\n" : "");
    const place = { start: starts[first] ?? 0, end: takesEnd ? lineEnd + 1 : lineEnd };
    hits.push({ ...place, text, ...(merged ? {} : { unclear: true }) });
    if (replaceAll) next = last + 1;
    else if (hits.length > MAX_HITS) break;
  }
  return hits;
}

/** Returns where the wanted lines may begin: around each occurrence of the one that is rarest in the file. */
function candidatePlaces(known: readonly string[], wanted: readonly string[]): number[] {
  const places = new Map(wanted.map((line): [string, number[]] => [line, []]));
  for (const [index, line] of known.entries()) places.get(line)?.push(index);
  const [rarest, found] = [...places].reduce((best, one) => (one[1].length < best[1].length ? one : best));
  const offset = wanted.indexOf(rarest);
  return found.map((place) => place - offset).filter((first) => first >= 0);
}

const LINE_NUMBER = /^ *\d+(?:\t|→|$)/;

/** Removes the line numbers that `read` shows. Undefined unless every line to replace has the next number. */
function withoutLineNumbers({ oldText, newText, replaceAll }: Wanted): Wanted | undefined {
  const { lines, ended } = asLines(oldText);
  const numbers = lines.map((line) => (LINE_NUMBER.test(line) ? Number.parseInt(line, 10) : Number.NaN));
  if (numbers.some((number, index) => number !== (numbers[0] ?? 0) + index)) return undefined;
  if (numbers[0] === undefined || Number.isNaN(numbers[0])) return undefined;
  const newLines = asLines(newText);
  const numbered = newLines.lines.every((line) => LINE_NUMBER.test(line));
  const strip = (line: string) => line.replace(LINE_NUMBER, "");
  const stripNew = (line: string) => (numbered || /^ *\d+[\t→]/.test(line) ? strip(line) : line);
  return {
    oldText: lines.map(strip).join("\n") + (ended ? "\n" : ""),
    newText: newLines.lines.map(stripNew).join("\n") + (newLines.ended ? "\n" : ""),
    replaceAll,
  };
}

/** The blank lines at the end, without the end of the line above them. Empty if there is none. */
function blankLinesAtEnd(text: string): string {
  let start = text.length;
  while (start > 0 && " \t\n".includes(text[start - 1] as string)) start--;
  const first = text.indexOf("\n", start);
  return first === -1 || !text.includes("\n", first + 1) ? "" : text.slice(first + 1);
}

/** Removes blank lines at the start and end of both texts. Undefined if the text to replace has none. */
function withoutBlankEdges({ oldText, newText, replaceAll }: Wanted): Wanted | undefined {
  const before = /^(?:[ \t]*\n)+/.exec(oldText)?.[0] ?? "";
  const after = blankLinesAtEnd(oldText);
  if ((before === "" && after === "") || oldText.trim() === "") return undefined;
  return {
    oldText: oldText.slice(before.length, oldText.length - after.length),
    newText: withoutBlanks(newText, before.split("\n").length - 1, after.split("\n").length - 1),
    replaceAll,
  };
}

function withoutBlanks(text: string, before: number, after: number): string {
  const lines = text.split("\n");
  let [first, last] = [0, lines.length];
  while (first < before && first < last && lines[first]?.trim() === "") first++;
  // The end of the last line counts as an empty line, which stays.
  while (lines.length - last < after && last - 2 >= first && lines[last - 2]?.trim() === "") last--;
  return [...lines.slice(first, last - 1), lines[last - 1]?.trim() === "" ? "" : lines[last - 1]].join("\n");
}

/** Returns where a text occurs. Overlapping places count too unless all are replaced. */
function occurrences(text: string, wanted: string, replaceAll = false): number[] {
  const found: number[] = [];
  if (wanted === "") return found;
  const step = replaceAll ? wanted.length : 1;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) {
    found.push(at);
    if (!replaceAll && found.length > MAX_HITS) break;
  }
  return found;
}
