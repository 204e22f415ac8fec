import { parseObject } from "./json.ts";

/** How much of a long text is shown, and which share of that is its beginning. */
export interface ShownShare {
  characters: number;
  head: number;
}

/** What is left out of a text. `line` is the first line of the whole that is missing. */
export interface Omitted {
  bytes: number;
  lines: number;
  line: number;
}

export interface Shortened {
  output: string;
  /** The text as its lines are counted. A JSON object becomes one section for each of its long texts. */
  whole: string;
  omitted: { bytes: number; lines: number };
}

/** Some lines of a text, with the numbers of the first and the last one, counted from 1. */
export interface LineRange {
  text: string;
  first: number;
  last: number;
  total: number;
}

/** Longer lines count as several, so that every part of a text can be reached by its lines. */
const LONGEST_LINE = 2_000;
/** A text in a JSON object that is longer, or has several lines, becomes a section. */
const SHORT_TEXT = 200;

/**
 * Returns the beginning and the end of a text that is too long, cut at lines, with a note in between. A JSON object stays
 * one: the long texts in it are shortened. Returns undefined for a text that fits.
 */
export function shorten(
  text: string,
  share: ShownShare,
  note: (omitted: Omitted) => string,
): Shortened | undefined {
  if (text.length <= share.characters) return undefined;
  return shortenObject(text, share, note) ?? shortenText(text, share, note);
}

/** Returns the lines from `offset` on, which counts from the end if it is negative: as many as fit. */
export function linesFrom(text: string, offset: number, limit: number, maxCharacters: number): LineRange {
  const total = countLines(text);
  const first = offset < 0 ? Math.max(1, total + offset + 1) : Math.max(1, offset);
  let [number, from, to, last] = [0, 0, 0, first - 1];
  for (const [start, end] of lineSpans(text)) {
    number++;
    if (number < first) continue;
    if (number === first) from = start;
    if (number >= first + limit || end - from > maxCharacters) break;
    to = end;
    last = number;
  }
  return { text: text.slice(from, to), first, last, total };
}

function shortenText(text: string, share: ShownShare, note: (omitted: Omitted) => string): Shortened {
  const headRoom = Math.floor(share.characters * share.head);
  const [end, start] = [endOfHead(text, headRoom), startOfTail(text, share.characters - headRoom)];
  const line = countLines(text.slice(0, end)) + (endsInLine(text, end) ? 0 : 1);
  const omitted = {
    bytes: new TextEncoder().encode(text.slice(end, start)).length,
    lines: countLines(text.slice(0, start)) - line + 1,
    line,
  };
  const gap = end === 0 || text[end - 1] === "\n" ? "" : "\n";
  const output = `${text.slice(0, end)}${gap}${note(omitted)}\n${text.slice(start)}`;
  return { output, whole: text, omitted: { bytes: omitted.bytes, lines: omitted.lines } };
}

function shortenObject(
  text: string,
  share: ShownShare,
  note: (omitted: Omitted) => string,
): Shortened | undefined {
  const object = text.startsWith("{") ? parseObject(text) : undefined;
  const sections = Object.entries(object ?? {}).flatMap(([name, value]) =>
    typeof value === "string" && (value.length > SHORT_TEXT || value.includes("\n")) ? [{ name, value }] : [],
  );
  const rest = Object.fromEntries(
    Object.entries(object ?? {}).filter(([name]) => !sections.some((section) => section.name === name)),
  );
  const facts = JSON.stringify(rest);
  if (sections.length === 0 || facts.length > share.characters / 2) return undefined;
  const rooms = divide(
    share.characters - facts.length,
    sections.map(({ value }) => JSON.stringify(value).length),
  );
  const omitted = { bytes: 0, lines: 0 };
  let whole = `${facts}\n`;
  const shown = { ...object };
  for (const [index, { name, value }] of sections.entries()) {
    whole += `${name}:\n`;
    const before = countLines(whole);
    // What is escaped takes up more room.
    const characters = Math.floor(((rooms[index] ?? 0) * value.length) / JSON.stringify(value).length);
    if (characters < value.length) {
      const cut = shortenText(value, { ...share, characters }, (gap) =>
        note({ ...gap, line: gap.line + before }),
      );
      omitted.bytes += cut.omitted.bytes;
      omitted.lines += cut.omitted.lines;
      shown[name] = cut.output;
    }
    whole += value.endsWith("\n") ? value : `${value}\n`;
  }
  return { output: JSON.stringify(shown), whole, omitted };
}

/** Divides room among texts: each may use what shorter ones leave. */
function divide(room: number, lengths: readonly number[]): number[] {
  const rooms = lengths.map(() => 0);
  const byLength = lengths.map((length, index) => ({ length, index })).sort((a, b) => a.length - b.length);
  let left = room;
  for (const [done, { length, index }] of byLength.entries()) {
    const given = Math.min(length, Math.floor(left / (lengths.length - done)));
    rooms[index] = given;
    left -= given;
  }
  return rooms;
}

/** The last line end before `room`, or `room` itself if the line there is long. */
function endOfHead(text: string, room: number): number {
  const lineEnd = room === 0 ? 0 : text.lastIndexOf("\n", room - 1) + 1;
  return lineEnd >= room / 2 ? lineEnd : characterStart(text, room);
}

/** Where the tail begins: with a line, unless the line there is long. */
function startOfTail(text: string, room: number): number {
  const from = text.length - room;
  const lineEnd = text.indexOf("\n", from - 1) + 1;
  return lineEnd > 0 && lineEnd - from <= room / 2 ? lineEnd : characterStart(text, from);
}

function endsInLine(text: string, at: number): boolean {
  return at > 0 && text[at - 1] !== "\n";
}

/** The position itself, or the one before it if it is inside of a character. */
function characterStart(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

function countLines(text: string): number {
  let count = 0;
  for (const _ of lineSpans(text)) count++;
  return count;
}

/** Yields where each line begins and ends. */
function* lineSpans(text: string): Generator<[number, number]> {
  let newline = -1;
  for (let start = 0; start < text.length; ) {
    if (newline < start) newline = text.indexOf("\n", start);
    if (newline === -1) newline = text.length - 1;
    const whole = newline + 1 - start <= LONGEST_LINE;
    const end = whole ? newline + 1 : characterStart(text, start + LONGEST_LINE);
    yield [start, end];
    start = end;
  }
}
