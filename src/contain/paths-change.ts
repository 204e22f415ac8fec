import { randomUUID } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, rmdir, symlink, unlink } from "node:fs/promises";
import { Failure } from "../protocol/failure.ts";
import { errnoOf, notRegular, type Place, pathFailure, resolveInside } from "./paths.ts";
import type { Folder } from "./paths-folder.ts";
import { fingerprintOf, inParent, linkRefused, permissionsOf } from "./paths-open.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const MAX_DEPTH = 200;
const ENTRIES_AT_A_TIME = 1_000;

export interface ReplaceOptions {
  /** The fingerprint that the file must still have, or `absent`. */
  expected?: string;
  /** Permissions; otherwise those of the file that is replaced, or the usual ones. */
  mode?: number;
}

/** Replaces a file atomically: there is always either the old or the new one. Missing folders are created. */
export async function replaceFile(
  roots: readonly string[],
  path: string,
  bytes: Uint8Array,
  options: ReplaceOptions = {},
): Promise<void> {
  const place = await resolveInside(roots, path);
  await inParent(
    place,
    async (parent, name) => {
      const target = await parent.look(name);
      if (target) checkReplaceable(target, place);
      const temporary = `.tackle-${randomUUID()}.tmp`;
      await parent.confirm();
      const handle = await open(
        parent.at(temporary),
        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
        options.mode ?? 0o666,
      );
      try {
        await fill(handle, bytes, target, options.mode);
        const current = await parent.look(name);
        const state = current ? fingerprintOf(current) : "absent";
        if (options.expected !== undefined && state !== options.expected) throw changedMeanwhile(place);
        await parent.confirm();
        await rename(parent.at(temporary), parent.at(name));
      } catch (error) {
        await unlink(parent.at(temporary)).catch(() => {}); // The first error is the one to report.
        throw error;
      }
      await parent.sync();
    },
    makeFolder,
  );
}

async function fill(
  handle: FileHandle,
  bytes: Uint8Array,
  target: BigIntStats | undefined,
  mode: number | undefined,
): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (target) await takeOwner(handle, target);
    const permissions = mode ?? (target && permissionsOf(target));
    if (permissions !== undefined) await handle.chmod(permissions);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A server that runs as root must not take over the ownership of a person's file. */
async function takeOwner(handle: FileHandle, target: BigIntStats): Promise<void> {
  const own = await handle.stat({ bigint: true });
  if (own.uid === target.uid && own.gid === target.gid) return;
  try {
    await handle.chown(Number(target.uid), Number(target.gid));
  } catch (error) {
    if (errnoOf(error) !== "EPERM") throw error; // Only root may change owners.
  }
}

function checkReplaceable(target: BigIntStats, place: Place): void {
  if (target.isSymbolicLink()) throw linkRefused(place);
  if (target.isDirectory()) throw new Failure("INVALID_INPUT", `"${place.shown}" is a folder.`);
  if (!target.isFile()) throw notRegular(place.shown);
  if (target.nlink > 1n) {
    throw new Failure(
      "FORBIDDEN",
      `"${place.shown}" has several names (hard links), one of which may be outside; it is not changed.`,
    );
  }
}

function changedMeanwhile(place: Place): Failure {
  return new Failure(
    "CONFLICT",
    `"${place.shown}" was changed by something else meanwhile. Read it again first.`,
  );
}

async function makeFolder(parent: Folder, name: string): Promise<void> {
  await parent.confirm();
  try {
    await mkdir(parent.at(name));
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error; // Another process was faster.
  }
}

/** Creates a folder and its missing parents. It may already exist. */
export async function makeFolders(roots: readonly string[], path: string, mode?: number): Promise<void> {
  const place = await resolveInside(roots, path);
  if (place.names.length === 0) return;
  await inParent(
    place,
    async (parent, name) => {
      await makeFolder(parent, name);
      const folder = await parent.folder(name);
      try {
        if (mode !== undefined) await folder.handle.chmod(mode);
      } finally {
        await folder.close();
      }
    },
    makeFolder,
  );
}

/** Restores a symbolic link. Its target is not checked. */
export async function putBackLink(roots: readonly string[], path: string, target: string): Promise<void> {
  const place = await resolveInside(roots, path);
  await inParent(place, async (parent, name) => {
    await parent.confirm();
    await symlink(target, parent.at(name));
  });
}

export interface RemoveOptions {
  recursive?: boolean;
  signal?: AbortSignal;
}

/** Removes a file, a link itself, or a folder. */
export async function remove(
  roots: readonly string[],
  path: string,
  options: RemoveOptions = {},
): Promise<void> {
  const place = await resolveInside(roots, path);
  await inParent(place, async (parent, name) => {
    const target = await parent.look(name);
    if (target === undefined) throw pathFailure({ code: "ENOENT" }, place.shown);
    await parent.confirm();
    if (!target.isDirectory()) await unlink(parent.at(name));
    else if (options.recursive) await removeTree(parent, name, options.signal, MAX_DEPTH);
    else await rmdir(parent.at(name));
    await parent.sync();
  });
}

/** Works through open folders, so that a folder replaced by a link meanwhile is not followed. */
async function removeTree(
  parent: Folder,
  name: string,
  signal: AbortSignal | undefined,
  depth: number,
): Promise<void> {
  if (depth === 0) throw new Failure("INVALID_INPUT", "The folders are nested too deeply.");
  const folder = await parent.folder(name);
  try {
    for (let cut = true; cut; ) {
      const found = await folder.entries(ENTRIES_AT_A_TIME);
      cut = found.cut;
      for (const entry of found.entries) {
        signal?.throwIfAborted();
        await folder.confirm();
        if (entry.type === "folder") await removeTree(folder, entry.name, signal, depth - 1);
        else await unlink(folder.at(entry.name));
      }
    }
  } finally {
    await folder.close();
  }
  await parent.confirm();
  await rmdir(parent.at(name));
}

/** Renames a file or folder. Refuses to replace anything, and to move a link. */
export async function move(roots: readonly string[], from: string, to: string): Promise<void> {
  const source = await resolveInside(roots, from);
  const destination = await resolveInside(roots, to);
  await inParent(source, async (oldParent, oldName) => {
    const target = await oldParent.look(oldName);
    if (target === undefined) throw pathFailure({ code: "ENOENT" }, source.shown);
    if (target.isSymbolicLink()) throw linkRefused(source);
    if (!target.isFile() && !target.isDirectory()) throw notRegular(source.shown);
    // Opening a folder fails if it is closed to tools.
    if (target.isDirectory()) await (await oldParent.folder(oldName)).close();
    await inParent(
      destination,
      async (newParent, newName) => {
        if (await newParent.look(newName)) {
          throw new Failure("CONFLICT", `"${destination.shown}" already exists.`);
        }
        await Promise.all([oldParent.confirm(), newParent.confirm()]);
        await rename(oldParent.at(oldName), newParent.at(newName));
        await Promise.all([oldParent.sync(), newParent.sync()]);
      },
      makeFolder,
    );
  });
}
