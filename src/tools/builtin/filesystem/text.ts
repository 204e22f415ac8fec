import type { FileHandle } from "node:fs/promises";
import { showPath } from "../../../contain/paths.ts";
import { openForRead } from "../../../contain/paths-open.ts";
import { byteSize } from "../../../protocol/byte-size.ts";
import { Failure } from "../../../protocol/failure.ts";
import { sniffHead } from "../../../protocol/file-type.ts";

/** A file's bytes, with the state of the file when they were read. */
export interface FileBytes {
  bytes: Buffer;
  mode: number;
  fingerprint: string;
}

/** Reads a whole file. Throws TOO_LARGE with the given advice if it is larger than `maxBytes`. */
export async function readBytes(
  roots: readonly string[],
  path: string,
  maxBytes: number,
  advice: string,
): Promise<FileBytes> {
  const { handle, size, mode, fingerprint } = await openForRead(roots, path);
  try {
    if (size > maxBytes) throw tooLarge(path, size, maxBytes, advice);
    const bytes = await readUpTo(handle, maxBytes + 1);
    if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes, advice);
    return { bytes, mode, fingerprint };
  } finally {
    await handle.close();
  }
}

function tooLarge(path: string, size: number, maxBytes: number, advice: string): Failure {
  return new Failure(
    "TOO_LARGE",
    `"${showPath(path)}" has ${byteSize(size)}; at most ${byteSize(maxBytes)} can be used at once. ${advice}`,
  );
}

/** Reads up to `maxBytes`. Some files, such as those in /proc, are larger than their size says. */
async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    const chunk = Buffer.alloc(Math.min(65_536, maxBytes - length));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, length);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks);
}

/** How the text of a file is stored. */
export interface Encoding {
  name: "utf-8" | "utf-16le" | "utf-16be";
  /** The file begins with a byte order mark. */
  marked: boolean;
}

export interface FileText {
  /** Without a byte order mark. */
  text: string;
  encoding: Encoding;
}

/** Tells the encoding from the first bytes: UTF-8, or UTF-16 with a byte order mark. Undefined if they are not text. */
export function encodingOf(head: Uint8Array): Encoding | undefined {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return { name: "utf-16le", marked: true };
  if (first === 0xfe && second === 0xff) return { name: "utf-16be", marked: true };
  if (head.includes(0)) return undefined;
  return { name: "utf-8", marked: first === 0xef && second === 0xbb && third === 0xbf };
}

/** Decodes a whole file. Undefined if it is not text. */
export function decodeText(bytes: Uint8Array): FileText | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === undefined) return undefined;
  try {
    return { text: new TextDecoder(encoding.name, { fatal: true }).decode(bytes), encoding };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Encodes a text as the file was. */
export function encodeText(text: string, { name, marked }: Encoding): Buffer {
  const whole = marked ? `\ufeff${text}` : text;
  if (name === "utf-8") return Buffer.from(whole);
  const bytes = Buffer.from(whole, "utf16le");
  return name === "utf-16be" ? bytes.swap16() : bytes;
}

/** The failure for a file that is not text, with its type if its first bytes tell. */
export function notText(path: string, size: number, head: Uint8Array): Failure {
  const type = sniffHead(head) ?? (head.includes(0) ? "binary data" : "text in an unknown encoding");
  return new Failure(
    "INVALID_INPUT",
    `"${showPath(path)}" is not UTF-8 text (${byteSize(size)}, ${type}); only text and images can be read here.`,
  );
}
