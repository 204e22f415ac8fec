import { createHash } from "node:crypto";

/** Where a page was left off. */
export interface Bookmark {
  /** Of the address. */
  url: string;
  /** Of the text that was being read. */
  content: string;
  /** The section that was being read. */
  heading?: string;
  offset: number;
}

/** A short name for a text: the same text, the same name. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}

/** A bookmark as the model hands it back: short, since it is copied letter by letter, and of no use for another page. */
export function writeToken({ url, content, heading, offset }: Bookmark): string {
  const section = heading === undefined ? [] : [Buffer.from(heading).toString("base64url")];
  return [offset.toString(36), url, content, ...section].join(".");
}

/** Reads a token back; undefined where it is none of ours. */
export function readToken(token: string): Bookmark | undefined {
  const pattern = /^([0-9a-z]{1,8})\.([\w-]{12})\.([\w-]{12})(?:\.([\w-]{1,2000}))?$/;
  const [, offset, url, content, section] = pattern.exec(token.trim()) ?? [];
  if (offset === undefined || url === undefined || content === undefined) return undefined;
  const heading = section === undefined ? undefined : Buffer.from(section, "base64url").toString("utf8");
  return { url, content, heading, offset: Number.parseInt(offset, 36) };
}

const ENDS: readonly RegExp[] = [/\n\n/g, /\n/g, /[.!?。！？]["')\]]?\s/g, /\s/g];
/** How far around a position it is looked for the borders of characters: flags in a row are only told apart from the first. */
const NEIGHBOURHOOD = 1_000;

/** Where a piece that begins at `start` ends: after a paragraph, a sentence or a word, and never inside a character. */
export function endOfPiece(text: string, start: number, maxChars: number): number {
  const limit = start + maxChars;
  if (limit >= text.length) return text.length;
  const from = start + Math.floor(maxChars / 2);
  const window = text.slice(from, limit);
  for (const end of ENDS) {
    const last = [...window.matchAll(end)].at(-1);
    if (last) return from + last.index + last[0].length;
  }
  return characterStart(text, limit, start);
}

/** The begin of the character that a position lies in, as people count characters; `after` is never passed. */
export function characterStart(text: string, position: number, after = 0): number {
  const from = Math.max(after, position - NEIGHBOURHOOD);
  const window = text.slice(from, position + NEIGHBOURHOOD);
  const segment = new Intl.Segmenter("en", { granularity: "grapheme" })
    .segment(window)
    .containing(position - from);
  const begin = from + (segment?.index ?? position - from);
  return begin > after ? begin : position;
}
