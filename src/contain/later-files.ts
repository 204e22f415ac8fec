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
import { realRoots } from "./command/workspace.ts";

/** One walk looks at so many entries, and keeps so many bytes. What is beyond is not watched. */
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Folders of others' files, too many to look at. */
const SKIPPED = new Set(["node_modules", ".venv", "venv", "target", "objects", "cache"]);

interface Kept {
  /** The content, or where a link leads to. Undefined for what is too large to keep. */
  content: Buffer | undefined;
  isLink: boolean;
  mode: number;
  uid: number;
  gid: number;
}

/** The files in the roots that run later, as they were at one time. */
export interface LaterFiles {
  readonly roots: readonly string[];
  readonly files: ReadonlyMap<string, Kept>;
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
  const roots = await realRoots(given);
  const files = new Map<string, Kept>();
  const left = { entries: MOST_ENTRIES, bytes: MOST_BYTES };
  for (const root of roots) await walk(root, root, files, left);
  return { roots, files };
}

/** Returns what has changed since. */
export async function changedLater(before: LaterFiles): Promise<LaterChange[]> {
  const after = await snapshotLater(before.roots);
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

async function walk(
  root: string,
  folder: string,
  files: Map<string, Kept>,
  left: { entries: number; bytes: number },
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []); // Closed to us.
  for (const entry of entries) {
    if (left.entries-- <= 0) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) await walk(root, path, files, left);
    } else if ((entry.isFile() || entry.isSymbolicLink()) && isWatched(relative(root, path))) {
      const kept = await keep(path, left).catch(() => undefined); // Gone meanwhile, or closed to us.
      if (kept) files.set(path, kept);
    }
  }
}

/** Of what is in `.git`, settings and hooks run; the rest changes all the time. */
function isWatched(path: string): boolean {
  const inside = /(?:^|[\\/])\.git[\\/](.*)$/is.exec(path)?.[1];
  if (inside === undefined) return runsLater(path);
  return /(?:^|[\\/])(?:config(?:\.worktree)?|hooks[\\/].*(?<!\.sample)|info[\\/]attributes)$/i.test(inside);
}

async function keep(path: string, left: { bytes: number }): Promise<Kept> {
  const { size, mode, uid, gid, ...stats } = await lstat(path).then((found) => ({
    ...found,
    isLink: found.isSymbolicLink(),
  }));
  const facts = { isLink: stats.isLink, mode: mode & 0o7777, uid, gid };
  if (stats.isLink) return { ...facts, content: Buffer.from(await readlink(path)) };
  left.bytes -= size;
  return { ...facts, content: left.bytes < 0 ? undefined : await readFile(path) };
}

function isSame(left: Kept | undefined, right: Kept | undefined): boolean {
  if (!left || !right) return left === right;
  if (left.isLink !== right.isLink || left.mode !== right.mode) return false;
  return !left.content || !right.content || left.content.equals(right.content);
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
