import type { FileHandle } from "node:fs/promises";
import { showPath } from "../../../contain/paths.ts";
import { openForRead } from "../../../contain/paths-open.ts";
import { Failure } from "../../../protocol/failure.ts";

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
    `"${showPath(path)}" has ${formatBytes(size)}; at most ${formatBytes(maxBytes)} can be used at once. ${advice}`,
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

/** Decodes UTF-8 and keeps a byte order mark. Returns undefined for anything else. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

export function notText(path: string, size: number): Failure {
  return new Failure(
    "INVALID_INPUT",
    `"${showPath(path)}" is not UTF-8 text (${formatBytes(size)}); only text can be read here.`,
  );
}

/** Formats a size: `1.5 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1_024;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit++;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}
