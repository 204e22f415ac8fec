import { isAscii } from "node:buffer";
import type { TextEncodingName } from "../protocol/file-type.ts";

/** Control characters that no text has, and what windows-1252 leaves out. */
const NOT_IN_TEXT = new Set([
  ...Array.from({ length: 32 }, (_, byte) => byte).filter((byte) => byte < 9 || (byte > 13 && byte !== 27)),
  ...[0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const NOT_ASCII = /[^\x00-\x7f]/;
const NOTHING = Buffer.alloc(0);

/**
 * Tells in which encoding a file is text, while it is written: UTF-8, UTF-16 with a byte order mark, or windows-1252, in which
 * spreadsheets save tables.
 */
export class EncodingDetector {
  private start: Buffer = NOTHING;
  private encoding: TextEncodingName | undefined;
  private decoder: TextDecoder | undefined;
  /** The last bytes, of which a character may be the first part. */
  private tail: Buffer = NOTHING;
  private isUnicode = true;
  private isWestern = true;
  private letters = 0;
  private pairs = 0;
  private before = 0;

  /** Returns false once it cannot be text any more. */
  take(chunk: Uint8Array): boolean {
    if (this.decoder) return this.examine(chunk);
    this.start = Buffer.concat([this.start, chunk]);
    if (this.start.length < 2) return true;
    const mark = this.start.readUInt16BE(0);
    this.encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
    this.decoder = new TextDecoder(this.encoding, { fatal: true });
    return this.examine(this.start);
  }

  outcome(): TextEncodingName | undefined {
    if (!this.decoder) this.take(Buffer.from(" "));
    if (this.isUnicode && this.decode(undefined) !== undefined) return this.encoding;
    if (this.isUnicode) this.count(this.tail);
    // In other encodings, such as Shift JIS, most of these bytes appear in pairs.
    return this.encoding === "utf-8" && this.isWestern && this.pairs * 2 < this.letters
      ? "windows-1252"
      : undefined;
  }

  private examine(chunk: Uint8Array): boolean {
    if (!this.isUnicode) return this.count(chunk);
    const text = this.decode(chunk);
    if (text === undefined) {
      this.isUnicode = false;
      return this.encoding === "utf-8" && this.count(Buffer.concat([this.tail, chunk]));
    }
    const isPlain = isAscii(chunk);
    if (!isPlain && NOT_ASCII.test(text)) this.isWestern = false;
    this.tail = isPlain ? NOTHING : Buffer.concat([this.tail, chunk.subarray(-3)]).subarray(-3);
    return true;
  }

  /** Returns undefined if it is in another encoding, or not text. */
  private decode(chunk: Uint8Array | undefined): string | undefined {
    try {
      const text = this.decoder?.decode(chunk, { stream: chunk !== undefined });
      return text?.includes("\0") ? undefined : text;
    } catch {
      return undefined;
    }
  }

  /** Counts the letters beyond ASCII. Returns false if this is no text. */
  private count(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      if (NOT_IN_TEXT.has(byte)) this.isWestern = false;
      if (!this.isWestern) return false;
      if (byte > 0x7f) {
        this.letters += 1;
        if (this.before > 0x7f) this.pairs += 1;
      }
      this.before = byte;
    }
    return this.isWestern;
  }
}
