import { cutText } from "../../../protocol/clean-text.ts";
import { plainLine } from "./diff.ts";
import { plainText } from "./match.ts";

const MAX_SHOWN_LINES = 12;
const MAX_LINE_LENGTH = 200;
/** Beyond this many lines, similar lines are not looked for. */
const MAX_COMPARED = 20_000;
const MIN_SIMILARITY = 0.4;

/** Describes the place in a file that is most like a text that was not found, for the message. Empty if there is none. */
export function describeNearest(text: string, oldText: string): string {
  const lines = text.split("\n");
  const wanted = oldText
    .replace(/^\s*\n/, "")
    .trimEnd()
    .split("\n");
  const first = bestPlace(lines, wanted);
  if (first === undefined) return "";
  const shown = wanted.slice(0, MAX_SHOWN_LINES).flatMap((line, index) => {
    const known = lines[first + index];
    const number = first + index + 1;
    if (known === line) return [`  ${number}\t${show(line)}`];
    const expected = `- oldText\t${show(line)}`;
    return known === undefined ? [expected] : [expected, `+ ${number}\t${show(known)}${hint(known, line)}`];
  });
  const more = wanted.length > MAX_SHOWN_LINES ? [`  … ${wanted.length - MAX_SHOWN_LINES} more lines`] : [];
  return [`The nearest place is line ${first + 1} (+ is the file):`, ...shown, ...more].join("\n");
}

function show(line: string): string {
  return plainLine(cutText(line, MAX_LINE_LENGTH));
}

/** Names a difference that cannot be seen. */
function hint(known: string, line: string): string {
  if (known.trim() === line.trim()) return "  (other blanks at its start or end)";
  if (plainText(known).trim() === plainText(line).trim()) return "  (other quotes, dashes or spaces)";
  return squeeze(known) === squeeze(line) ? "  (other blanks inside)" : "";
}

/** Returns the first line of the block that has most lines in common, or of the one with the most similar line. */
function bestPlace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const key = squeeze(line);
    if (key.length < 3) continue;
    const known = places.get(key);
    if (known) known.push(index);
    else places.set(key, [index]);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of wanted.entries()) {
    const found = places.get(squeeze(line)) ?? [];
    // A line that is everywhere says little about the place.
    if (found.length > 200) continue;
    for (const place of found) votes.set(place - index, (votes.get(place - index) ?? 0) + 1 / found.length);
  }
  let best: { place: number; votes: number } | undefined;
  for (const [place, count] of votes) if (count > (best?.votes ?? 0)) best = { place, votes: count };
  return best ? Math.max(0, best.place) : mostSimilar(lines, wanted);
}

function mostSimilar(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const [longest, index] = wanted.reduce<[string, number]>(
    (best, line, at) => (line.trim().length > best[0].length ? [line.trim(), at] : best),
    ["", 0],
  );
  const pairs = pairsOf(longest);
  let best = MIN_SIMILARITY;
  let found: number | undefined;
  for (const [at, line] of lines.slice(0, MAX_COMPARED).entries()) {
    const similarity = likeness(pairs, pairsOf(line.trim().slice(0, 500)));
    if (similarity <= best) continue;
    best = similarity;
    found = at;
  }
  return found === undefined ? undefined : Math.max(0, found - index);
}

function squeeze(line: string): string {
  return plainText(line).replace(/\s+/g, "").toLowerCase();
}

function pairsOf(line: string): Set<string> {
  const text = line.slice(0, 500).toLowerCase();
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

/** The share of letter pairs that two lines have in common, from 0 to 1. */
function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size + right.size === 0) return 0;
  let common = 0;
  for (const pair of left) if (right.has(pair)) common++;
  return (2 * common) / (left.size + right.size);
}
