import { createHash } from "node:crypto";

/** The position at which reading a page stopped. */
export interface Bookmark {
  /** Fingerprint of the address. */
  url: string;
  /** Fingerprint of the text. */
  content: string;
  heading?: string;
  offset: number;
}

/** A short hash of a text. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}

/** Writes a bookmark as a token. It is short, because models copy it letter by letter, and only valid for its page. */
export function writeToken({ url, content, heading, offset }: Bookmark): string {
  const section = heading === undefined ? [] : [Buffer.from(heading).toString("base64url")];
  return [offset.toString(36), url, content, ...section].join(".");
}

/** Reads a token. Returns undefined if it is invalid. */
export function readToken(token: string): Bookmark | undefined {
  const pattern = /^([0-9a-z]{1,8})\.([\w-]{12})\.([\w-]{12})(?:\.([\w-]{1,2000}))?$/;
  const [, offset, url, content, section] = pattern.exec(token.trim()) ?? [];
  if (offset === undefined || url === undefined || content === undefined) return undefined;
  const heading = section === undefined ? undefined : Buffer.from(section, "base64url").toString("utf8");
  return { url, content, heading, offset: Number.parseInt(offset, 36) };
}

const ENDS: readonly RegExp[] = [/\n\n/g, /\n/g, /[.!?。！？]["')\]]?\s/g, /\s/g];
/** How far around a position characters are segmented. A run of flags can only be split from its start. */
const SEGMENTED_AROUND = 1_000;

/** Returns where a piece ends: after a paragraph, a sentence or a word, and never inside a character. */
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

/** The start of the grapheme at a position. Always greater than `after`. */
export function characterStart(text: string, position: number, after = 0): number {
  const from = Math.max(after, position - SEGMENTED_AROUND);
  const window = text.slice(from, position + SEGMENTED_AROUND);
  const segment = new Intl.Segmenter("en", { granularity: "grapheme" })
    .segment(window)
    .containing(position - from);
  const begin = from + (segment?.index ?? position - from);
  return begin > after ? begin : position;
}
