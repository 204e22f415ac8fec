/** What is missing in the middle of a shortened text. */
export interface Omitted {
  bytes: number;
  lines: number;
}

export interface ShortenOptions {
  maxCharacters: number;
  /** Words for what is missing, in a line of their own. */
  note(omitted: Omitted): string;
  /** Which part of the characters is for the beginning. Of a program's output the end matters most. */
  headShare?: number;
}

/** Returns the beginning and the end of a long text. It is cut between lines, or else between whole characters. */
export function shorten(text: string, { maxCharacters, note, headShare = 0.2 }: ShortenOptions): string {
  if (text.length <= maxCharacters) return text;
  const head = Math.floor(maxCharacters * headShare);
  const from = headEnd(text, head);
  const to = tailStart(text, text.length - (maxCharacters - head));
  const omitted = text.slice(from, to);
  const words = note({ bytes: bytesOf(omitted), lines: lineEnds(omitted) });
  return `${withNewline(text.slice(0, from))}${words}\n${text.slice(to)}`;
}

/** The end of the last line that fits, unless more than half of the space would stay empty. */
function headEnd(text: string, limit: number): number {
  const line = text.lastIndexOf("\n", limit - 1) + 1;
  if (line > limit / 2) return line;
  return isSplit(text, limit) ? limit - 1 : limit;
}

function tailStart(text: string, limit: number): number {
  const line = text.indexOf("\n", limit - 1) + 1;
  if (line > 0 && line - limit < (text.length - limit) / 2) return line;
  return isSplit(text, limit) ? limit + 1 : limit;
}

/** Whether a cut here would divide a surrogate pair. */
function isSplit(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1));
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
