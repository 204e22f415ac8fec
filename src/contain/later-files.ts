import type { Dirent } from "node:fs";
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { runsLater } from "../protocol/runs-later.ts";
import { pauseIfLong } from "../protocol/slices.ts";
import { realRoots } from "./command/workspace.ts";

/**
 * One walk looks at so many entries, and as many in folders whose files run later. Those near the root come first. What is beyond is
 * not watched.
 */
const MOST_ENTRIES = 20_000;
/** So many bytes are kept. What is larger is only noticed when it changes. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_BYTES_OF_ONE = 1024 * 1024;
/** Folders of others' files, too many to look at. */
const SKIPPED = new Set(["node_modules", ".venv", "venv", "target", "objects", "cache"]);

interface Kept {
  /** The content, or where a link leads to. Undefined for what is too large to keep. */
  content: Buffer | undefined;
  /** What a change of a large file changes too. */
  stamp: string;
  isLink: boolean;
  mode: number;
  uid: number;
  gid: number;
}

/** The files in the roots that run later, as they were at one time. */
export interface LaterFiles {
  readonly roots: readonly string[];
  readonly files: ReadonlyMap<string, Kept>;
  /** The folders that were looked into. */
  readonly folders: ReadonlySet<string>;
}

/** A file that runs later and is no longer as it was. */
export interface LaterChange {
  /** Relative to its root. */
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  /** Makes it as it was. */
  putBack(): Promise<void>;
  /** Makes the change again. */
  redo(): Promise<void>;
}

/** Remembers the files in the roots that run later. */
export async function snapshotLater(given: readonly string[]): Promise<LaterFiles> {
  return look(await realRoots(given));
}

/** Looks into the folders that are known in any case: a command could fill others until nothing is left to look with. */
async function look(roots: readonly string[], known: ReadonlySet<string> = new Set()): Promise<LaterFiles> {
  const walk: Walk = {
    files: new Map(),
    folders: new Set(),
    known,
    left: { ordinary: MOST_ENTRIES, later: MOST_ENTRIES, bytes: MOST_BYTES },
  };
  for (const root of roots) await walkThrough(root, walk);
  return { roots, files: walk.files, folders: walk.folders };
}

/** Returns what has changed since. */
export async function changedLater(before: LaterFiles): Promise<LaterChange[]> {
  const after = await look(before.roots, before.folders);
  const paths = [...new Set([...before.files.keys(), ...after.files.keys()])].sort();
  return paths.flatMap((path) => {
    const [old, now] = [before.files.get(path), after.files.get(path)];
    if (isSame(old, now)) return [];
    const root = before.roots.find((one) => path.startsWith(`${one}${sep}`)) ?? "";
    const texts = { ...(old && { before: textOf(old) }), ...(now && { after: textOf(now) }) };
    const make = (kept: Kept | undefined) => () => restore(root, path, kept);
    return [{ path: relative(root, path), ...texts, putBack: make(old), redo: make(now) }];
  });
}

interface Walk {
  files: Map<string, Kept>;
  folders: Set<string>;
  known: ReadonlySet<string>;
  left: { ordinary: number; later: number; bytes: number };
}

async function walkThrough(root: string, { files, folders, known, left }: Walk): Promise<void> {
  const waiting = {
    later: [] as string[],
    ordinary: [root, ...[...known].filter((folder) => folder.startsWith(`${root}${sep}`))],
  };
  for (;;) {
    const folder = waiting.later.shift() ?? waiting.ordinary.shift();
    if (folder === undefined) return;
    const kind = runsLater(relative(root, folder)) ? "later" : "ordinary";
    if (folders.has(folder) || (left[kind] <= 0 && !known.has(folder))) continue;
    folders.add(folder);
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []); // Closed to us.
    if (!known.has(folder)) left[kind] -= entries.length;
    for (const entry of entries) {
      const paused = pauseIfLong();
      if (paused) await paused;
      const path = join(folder, entry.name);
      const place = relative(root, path);
      if (entry.isDirectory()) {
        if (!isSkipped(place, entry.name)) waiting[runsLater(place) ? "later" : "ordinary"].push(path);
      } else if ((entry.isFile() || entry.isSymbolicLink()) && isWatched(place, entry.isSymbolicLink())) {
        const kept = await keep(path, left).catch(() => undefined); // Gone meanwhile, or closed to us.
        if (kept) files.set(path, kept);
      }
    }
  }
}

/** Within `.git`, a submodule may have any of these names. */
function isSkipped(place: string, name: string): boolean {
  return SKIPPED.has(name) && (name === "objects" || !/(?:^|[\\/])\.git[\\/]/i.test(place));
}

/** In `.git`, settings and hooks run; the rest changes all the time. A link may stand for a folder with either. */
function isWatched(place: string, isLink: boolean): boolean {
  const inside = /(?:^|[\\/])\.git[\\/](.*)$/is.exec(place)?.[1];
  if (inside === undefined) return runsLater(place, { holds: isLink });
  if (isLink) return true;
  return /(?:^|[\\/])(?:commondir|config(?:\.worktree)?|hooks[\\/].*(?<!\.sample)|info[\\/]attributes)$/i.test(
    inside,
  );
}

async function keep(path: string, left: { bytes: number }): Promise<Kept> {
  const found = await lstat(path);
  const { size, mode, uid, gid, ino, mtimeMs, ctimeMs } = found;
  const isLink = found.isSymbolicLink();
  const facts = { isLink, mode: mode & 0o7777, uid, gid, stamp: `${size} ${ino} ${mtimeMs} ${ctimeMs}` };
  if (isLink) return { ...facts, content: Buffer.from(await readlink(path)) };
  if (size > Math.min(MOST_BYTES_OF_ONE, left.bytes)) return { ...facts, content: undefined };
  left.bytes -= size;
  return { ...facts, content: await readFile(path) };
}

function isSame(left: Kept | undefined, right: Kept | undefined): boolean {
  if (!left || !right) return left === right;
  if (left.isLink !== right.isLink || left.mode !== right.mode) return false;
  if (left.content && right.content) return left.content.equals(right.content);
  return left.content === right.content && left.stamp === right.stamp;
}

function textOf({ content, isLink }: Kept): string {
  const text = content?.toString("utf8") ?? "";
  return isLink ? `a link to ${text}` : text;
}

async function restore(root: string, path: string, old: Kept | undefined): Promise<void> {
  if (old && !old.content) return;
  const parts = relative(root, path).split(sep).slice(0, -1);
  let folder = root;
  for (const part of parts) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(() => undefined); // It was removed.
    if (found?.isDirectory()) continue;
    // A command may have put a link to anywhere in its place.
    if (!old) return;
    await rm(folder, { force: true });
    await mkdir(folder);
  }
  await rm(path, { force: true, recursive: true });
  if (!old?.content) return;
  if (old.isLink) await symlink(old.content.toString("utf8"), path);
  else {
    await writeFile(path, old.content, { flag: "wx" });
    await chmod(path, old.mode);
  }
  if (process.getuid?.() === 0) await lchown(path, old.uid, old.gid);
}
