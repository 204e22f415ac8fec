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

/** How far around a position characters are segmented. A run of flags can only be split from its start. */
const SEGMENTED_AROUND = 1_000;

/** Returns where a piece ends: after a paragraph, a sentence or a word, and never inside a character. */
export function endOfPiece(text: string, start: number, maxChars: number): number {
  const limit = start + maxChars;
  if (limit >= text.length) return text.length;
  const from = start + Math.floor(maxChars / 2);
  const window = text.slice(from, limit);
  const paragraph = window.lastIndexOf("\n\n");
  if (paragraph !== -1) return from + paragraph + 2;
  const line = window.lastIndexOf("\n");
  if (line !== -1) return from + line + 1;
  let word = -1;
  // Backwards, because a window may hold a hundred thousand ends.
  for (let at = window.length - 1; at > 0; at--) {
    if (!/\s/.test(window.charAt(at))) continue;
    if (word === -1) word = at;
    const closed = "\"')]".includes(window.charAt(at - 1)) ? at - 2 : at - 1;
    if (closed >= 0 && ".!?。！？".includes(window.charAt(closed))) return from + at + 1;
  }
  return word === -1 ? characterStart(text, limit, start) : from + word + 1;
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
