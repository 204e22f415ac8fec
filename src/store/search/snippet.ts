import type { Highlight } from "../../protocol/search.ts";
import { atOnce, type Steps } from "../../protocol/slices.ts";
import { type Piece, piecesOf, type Term } from "./words.ts";

interface Match extends Highlight {
  term: number;
}

/** How much of a text is searched for the best line, and how long that line is. */
const SEARCHED = 200_000;
const MAX_MATCHES = 200;
const WIDTH = 140;
const LEAD = 40;
/** A long text is read in steps of this many words. */
const WORDS_PER_STEP = 500;

/** Returns where the terms are in a text. */
export function highlightsOf(text: string, terms: readonly Term[]): Highlight[] {
  return merged(atOnce(matchesIn(text, terms)));
}

/** Returns the line of a text that contains the most of the terms, and where they are in it. */
export function* snippetOf(
  text: string,
  terms: readonly Term[],
): Steps<{ snippet: string; highlights: Highlight[] }> {
  const matches = yield* matchesIn(text.slice(0, SEARCHED), terms);
  const first = bestStart(matches);
  const from = characterStart(text, wordStart(text, first - LEAD));
  const to = characterStart(text, Math.min(text.length, from + WIDTH + LEAD));
  return cleanLine(text, from, to, merged(matches));
}

function* matchesIn(text: string, terms: readonly Term[]): Steps<Match[]> {
  const longest = Math.max(0, ...terms.map(({ pieces }) => pieces.length));
  const window: Piece[] = [];
  const matches: Match[] = [];
  const look = () => {
    for (const [term, { pieces, prefix }] of terms.entries()) {
      const last = pieces.length - 1;
      const fits = pieces.every((wanted, at) => {
        const word = window[at]?.word;
        return at === last && prefix ? word?.startsWith(wanted) : word === wanted;
      });
      const [start, end] = [window[0]?.start, window[last]?.end];
      if (fits && start !== undefined && end !== undefined) matches.push({ term, start, end });
    }
  };
  let words = 0;
  for (const piece of piecesOf(text)) {
    if (++words % WORDS_PER_STEP === 0) yield;
    window.push(piece);
    if (window.length < longest) continue;
    look();
    window.shift();
    if (matches.length >= MAX_MATCHES) return matches;
  }
  for (; window.length > 0; window.shift()) look();
  return matches;
}

/** Returns where the line starts that contains the most different terms. */
function bestStart(matches: readonly Match[]): number {
  let best = { start: matches[0]?.start ?? 0, terms: 0 };
  for (const [at, { start }] of matches.entries()) {
    const terms = new Set<number>();
    for (let next = at; ; next++) {
      const match = matches[next];
      if (!match || match.end > start + WIDTH) break;
      terms.add(match.term);
    }
    if (terms.size > best.terms) best = { start, terms: terms.size };
  }
  return best.start;
}

function wordStart(text: string, from: number): number {
  if (from <= 0) return 0;
  const space = text.slice(from, from + LEAD).search(/\s/);
  return space === -1 ? from : from + space + 1;
}

/** Returns where the character begins in which a place lies, so that no emoji is cut in two. */
function characterStart(text: string, at: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
}

function merged(matches: readonly Match[]): Highlight[] {
  const all: Highlight[] = [];
  for (const { start, end } of [...matches].sort((one, other) => one.start - other.start)) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/** Returns a part of a text as one line without the marks of Markdown, and where the highlights are in it. */
function cleanLine(text: string, from: number, to: number, highlights: readonly Highlight[]) {
  let line = from > 0 ? "…" : "";
  const places = new Map<number, number>();
  for (let at = from; at < to; at++) {
    places.set(at, line.length);
    const character = text[at] ?? "";
    const isMark =
      "*`|".includes(character) || (character === "#" && /(^|\n)#*$/.test(text.slice(0, at).slice(-7)));
    if (isMark) continue;
    if (!/[\s\0]/.test(character)) line += character;
    else if (line !== "" && !/[ …]$/.test(line)) line += " ";
  }
  places.set(to, line.length);
  const shown = highlights.flatMap(({ start, end }) => {
    const [first, last] = [places.get(Math.max(start, from)), places.get(Math.min(end, to))];
    return first === undefined || last === undefined || first >= last ? [] : [{ start: first, end: last }];
  });
  return { snippet: line.trimEnd() + (to < text.length ? "…" : ""), highlights: shown };
}
