import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Failure } from "../protocol/failure.ts";
import { errnoOf, notRegular, type Place, pathFailure, resolveInside } from "./paths.ts";
import { type EntryType, Folder, typeOf } from "./paths-folder.ts";

/** Opens the folders on the path one after the other. With `create`, missing folders are created. */
async function descend(
  place: Place,
  names: readonly string[],
  create?: (parent: Folder, name: string) => Promise<void>,
): Promise<Folder> {
  let folder = await Folder.open(place.root);
  for (const name of names) {
    const parent = folder;
    try {
      folder = await parent.folder(name).catch(async (error: unknown) => {
        if (errnoOf(error) === "ENOTDIR" && (await parent.look(name))?.isSymbolicLink())
          throw linkRefused(place);
        if (errnoOf(error) !== "ENOENT" || create === undefined) throw error;
        await create(parent, name);
        return parent.folder(name);
      });
    } finally {
      await parent.close();
    }
  }
  return folder;
}

export function linkRefused(place: Place): Failure {
  return pathFailure(Object.assign(new Error("a link"), { code: "ELOOP" }), place.shown);
}

/** Opens the parent folder of a place for some work. A root has no parent inside the roots and is refused. */
export async function inParent<Answer>(
  place: Place,
  work: (parent: Folder, name: string) => Promise<Answer>,
  create?: (parent: Folder, name: string) => Promise<void>,
): Promise<Answer> {
  const name = place.names.at(-1);
  if (name === undefined)
    throw new Failure("INVALID_INPUT", `"${place.shown}" is the working folder itself.`);
  try {
    const parent = await descend(place, place.names.slice(0, -1), create);
    try {
      return await work(parent, name);
    } finally {
      await parent.close();
    }
  } catch (error) {
    throw pathFailure(error, place.shown);
  }
}

/** Opens a folder inside the roots. The caller closes it. */
export async function openFolder(roots: readonly string[], path: string): Promise<Folder> {
  const place = await resolveInside(roots, path);
  try {
    return await descend(place, place.names);
  } catch (error) {
    throw pathFailure(error, place.shown);
  }
}

export interface OpenFile {
  handle: FileHandle;
  size: number;
  mode: number;
  /** Changes whenever the file does. */
  fingerprint: string;
}

/** Opens a regular file inside the roots for reading. The caller closes the handle. */
export async function openForRead(roots: readonly string[], path: string): Promise<OpenFile> {
  const place = await resolveInside(roots, path);
  if (place.names.length === 0) throw pathFailure({ code: "EISDIR" }, place.shown);
  return inParent(place, (parent, name) => openFileIn(parent, name, place));
}

/** Opens a regular file of an open folder for reading. */
export async function openFileIn(
  parent: Folder,
  name: string,
  place: Pick<Place, "shown">,
): Promise<OpenFile> {
  // Opening a device can have effects, so the type is checked before and after.
  const before = await parent.look(name);
  if (before) checkReadable(before, place.shown);
  const handle = await parent.file(name);
  try {
    const stats = await handle.stat({ bigint: true });
    checkReadable(stats, place.shown);
    return {
      handle,
      size: Number(stats.size),
      mode: permissionsOf(stats),
      fingerprint: fingerprintOf(stats),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A file with several hard links may also be a file outside the roots, so it is not opened. */
function checkReadable(stats: BigIntStats, shown: string): void {
  if (stats.isDirectory()) throw new Failure("INVALID_INPUT", `"${shown}" is a folder.`);
  if (stats.isSymbolicLink()) return; // Opening it will fail; ELOOP says why.
  if (!stats.isFile()) throw notRegular(shown);
  if (stats.nlink > 1n) {
    throw new Failure(
      "FORBIDDEN",
      `"${shown}" has several names (hard links), one of which may be outside; it is not opened.`,
    );
  }
}

export function fingerprintOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

export function permissionsOf(stats: BigIntStats): number {
  return Number(stats.mode & 0o777n);
}

export interface Facts {
  type: EntryType;
  size: number;
  modifiedAt: Date;
  mode: number;
  fingerprint: string;
}

/** Returns what is at a path without following links, or undefined when there is nothing. */
export async function inspect(roots: readonly string[], path: string): Promise<Facts | undefined> {
  const place = await resolveInside(roots, path);
  try {
    return toFacts(await lookAt(place));
  } catch (error) {
    if (error instanceof Failure && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

async function lookAt(place: Place): Promise<BigIntStats | undefined> {
  if (place.names.length > 0) return inParent(place, (parent, name) => parent.look(name));
  const root = await descend(place, []);
  try {
    return await root.handle.stat({ bigint: true });
  } finally {
    await root.close();
  }
}

function toFacts(stats: BigIntStats | undefined): Facts | undefined {
  if (stats === undefined) return undefined;
  return {
    type: typeOf(stats),
    size: Number(stats.size),
    modifiedAt: stats.mtime,
    mode: permissionsOf(stats),
    fingerprint: fingerprintOf(stats),
  };
}
