import { type BigIntStats, constants, existsSync } from "node:fs";
import { type FileHandle, lstat, open, opendir, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CountedSet } from "../protocol/counted-set.ts";
import { Failure } from "../protocol/failure.ts";
import { errnoOf } from "./paths.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** macOS can refuse links anywhere on a path (O_NOFOLLOW_ANY in its fcntl.h), other systems only at its end. */
const NO_LINKS = process.platform === "darwin" ? 0x2000_0000 : O_NOFOLLOW;
/** Opening a named pipe must not block. */
const READ = O_RDONLY | NO_LINKS | O_NONBLOCK;

export type EntryType = "file" | "folder" | "link" | "other";

export interface FolderEntry {
  name: string;
  type: EntryType;
}

/** The device and inode of folders that no tool may open, added by each app instance that closed them. */
const closedFolders = new CountedSet();

/**
 * Closes a folder and its content to all tools, even inside a root. This protects our own keys and settings. The folder
 * is recognized by its device and inode, whatever path leads to it. Returns a function that ends this: once the folder is
 * deleted, another one may get its inode.
 */
export async function keepClosed(folder: string): Promise<() => void> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return closedFolders.add([`${dev}:${ino}`]);
}

/**
 * An open folder that gives access to its entries. On Linux, paths go through the open descriptor, so renaming or replacing
 * a parent folder cannot redirect them. On other systems the real path is used, and `confirm` checks that it still leads
 * to the opened folder. That finds existing links, but a precisely timed swap of folders can still defeat it.
 */
export class Folder {
  readonly handle: FileHandle;
  readonly #realPath: string;

  constructor(handle: FileHandle, realPath: string) {
    this.handle = handle;
    this.#realPath = realPath;
  }

  /** Opens a folder by its real path. */
  static async open(realPath: string): Promise<Folder> {
    const folder = new Folder(await open(realPath, READ | O_DIRECTORY), realPath);
    return closedOnError(folder, () => checkNotClosed(folder));
  }

  /** The path of an entry, or of the folder itself, for one system call. Must never be shown. */
  at(name?: string): string {
    if (name !== undefined && (name === "" || name === "." || name === ".." || /[/\0]/.test(name))) {
      throw new Failure("INVALID_INPUT", "This is not the name of a file or folder.");
    }
    const folder = descriptorsArePaths() ? `/proc/self/fd/${this.handle.fd}` : this.#realPath;
    return name === undefined ? folder : join(folder, name);
  }

  /** Opens a folder in this folder. */
  async folder(name: string): Promise<Folder> {
    const handle = await open(this.at(name), READ | O_DIRECTORY);
    const folder = new Folder(handle, join(this.#realPath, name));
    return closedOnError(folder, async () => {
      await folder.confirm();
      await checkNotClosed(folder);
    });
  }

  /** Opens a regular file in this folder for reading. */
  async file(name: string): Promise<FileHandle> {
    const handle = await open(this.at(name), READ);
    return closedOnError(handle, () => confirmOpened(handle, join(this.#realPath, name)));
  }

  /** Throws when the folder is no longer at its path. */
  async confirm(): Promise<void> {
    await confirmOpened(this.handle, this.#realPath);
  }

  /** Returns up to `limit` entries in no particular order. */
  async entries(limit: number): Promise<{ entries: FolderEntry[]; cut: boolean }> {
    const entries: FolderEntry[] = [];
    for await (const entry of await opendir(this.at())) {
      if (entries.length === limit) return { entries, cut: true };
      const known = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
      entries.push({ name: entry.name, type: typeOf(known ? entry : await lstat(this.at(entry.name))) });
    }
    return { entries, cut: false };
  }

  /** Returns the facts about an entry without following links, or undefined when there is none. */
  async look(name: string): Promise<BigIntStats | undefined> {
    try {
      return await lstat(this.at(name), { bigint: true });
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  async linkTarget(name: string): Promise<string> {
    return readlink(this.at(name));
  }

  /** Makes new names survive a power cut. Windows syncs no folders: it refuses to. */
  async sync(): Promise<void> {
    if (process.platform !== "win32") await this.handle.sync();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

async function checkNotClosed(folder: Folder): Promise<void> {
  const { dev, ino } = await folder.handle.stat({ bigint: true });
  if (!closedFolders.has(`${dev}:${ino}`)) return;
  throw new Failure("FORBIDDEN", "This folder holds Tackle's own data and is closed to tools.");
}

function descriptorsArePaths(): boolean {
  return process.platform === "linux" && existsSync("/proc/self/fd");
}

/** Without descriptor paths: checks that the path still leads to the opened file, with no link on the way. */
async function confirmOpened(handle: FileHandle, path: string): Promise<void> {
  if (descriptorsArePaths()) return;
  const [opened, there, real] = await Promise.all([
    handle.stat({ bigint: true }),
    lstat(path, { bigint: true }),
    realpath(path),
  ]);
  if (opened.ino === there.ino && opened.dev === there.dev && real === path) return;
  throw new Failure(
    "FORBIDDEN",
    "A folder on the way was replaced meanwhile, or is a link; links are not followed.",
  );
}

async function closedOnError<Opened extends { close(): Promise<void> }>(
  opened: Opened,
  check: () => Promise<void>,
): Promise<Opened> {
  try {
    await check();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

export function typeOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): EntryType {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
