import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** What a file holds, and how much of it was left out. */
export interface ReadText {
  text: string;
  /** The size of the whole file. */
  bytes: number;
  cut: boolean;
}

/**
 * Reads the beginning of a text file inside of a folder. Links may not lead out of the folder. Returns undefined if there is no
 * such file, and a reason if it must not be read.
 */
export async function readText(
  base: string,
  path: string,
  maxBytes: number,
): Promise<ReadText | { refused: string } | undefined> {
  const real = await realPath(path);
  if (real === undefined) return undefined;
  const top = await realPath(base);
  if (top === undefined || !isInside(top, real)) return { refused: "is a link to another place" };
  // Opening a device can have effects, so the type is checked first.
  if (!(await lstat(real)).isFile()) return { refused: "is not a regular file" };
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return { refused: "is not a regular file" };
    const buffer = Buffer.alloc(Math.min(maxBytes, stats.size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const read = buffer.subarray(0, bytesRead);
    if (read.includes(0)) return { refused: "is not text" };
    // A cut inside of a character leaves a replacement character at the end.
    const text = read
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .replaceAll("\r\n", "\n");
    const cut = stats.size > bytesRead;
    return { text: cut ? text.replace(/\uFFFD+$/, "") : text, bytes: stats.size, cut };
  } finally {
    await handle.close();
  }
}

/** True if the path is the folder or lies below it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns the path with all links resolved, or undefined if there is nothing or it cannot be reached. */
export async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
