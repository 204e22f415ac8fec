import { createHash } from "node:crypto";
import {
  chown,
  lstat,
  mkdir,
  opendir,
  readdir,
  realpath,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../protocol/failure.ts";
import type { Sandbox } from "../../protocol/tool.ts";
import { canBeMapped } from "./become-user.ts";
import { userFor } from "./user.ts";

/** Homes that were not used for so long are removed. They hold caches only. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
/** All homes together. Above it, those that were not used for longest are removed. */
export const MOST_BYTES = 10 * 1024 ** 3;
/** A home that was used more recently may be in use. */
const IN_USE_MS = 60 * 60_000;
/** For users who cannot enter our data directory. */
const SHARED = "/var/tmp";

/** A home folder and the file beside it that commands can read but not change. */
export interface Home {
  readonly folder: string;
  readonly gitConfig: string;
}

/**
 * Returns the home folder for commands of one person in one folder. Each project has its own, so that what a project's
 * install scripts leave behind reaches no other project.
 */
export async function openHome(
  base: string,
  userId: string,
  root: string,
  gitConfig: string,
  sandbox: Sandbox,
): Promise<Home> {
  const owner = await stat(root);
  const user = userFor(owner, root, sandbox);
  await mkdir(base, { recursive: true, mode: 0o700 });
  const isOurs = user === undefined || (owner.uid === 0 && (await canBeMapped([root, base], user)));
  const folder = join(isOurs ? base : await sharedBase(base), nameOf(userId, root));
  const home = join(folder, "home");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const config = join(folder, "gitconfig");
  await writeFile(config, gitConfig, { mode: 0o644 });
  if (!isOurs) for (const path of [folder, home]) await chown(path, user.uid, user.gid);
  await utimes(folder, new Date(), new Date());
  return { folder: await realpath(home), gitConfig: await realpath(config) };
}

/** Removes the home folders of a person who was deleted, with what their commands left in them. */
export async function removeHomes(base: string, userId: string, roots: readonly string[]): Promise<void> {
  for (const root of roots) {
    const path = await realpath(root).catch(() => root); // It is gone, but its name may have been free of links.
    for (const parent of [base, sharedName(base)])
      await rm(join(parent, nameOf(userId, path)), { recursive: true, force: true });
  }
}

function nameOf(userId: string, root: string): string {
  return createHash("sha256")
    .update(JSON.stringify([userId, root]))
    .digest("hex")
    .slice(0, 32);
}

/** Removes homes that were not used for a month and, while they are too large together, those that were not used for longest. */
export async function sweepHomes(base: string, mostBytes = MOST_BYTES): Promise<void> {
  let total = 0;
  for (const { folder, usedAt } of await homesIn(base)) {
    const idleMs = Date.now() - usedAt;
    total += await bytesIn(folder);
    if (idleMs > KEPT_MS || (total > mostBytes && idleMs > IN_USE_MS))
      await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the size of all homes in bytes. */
export async function sizeOfHomes(base: string): Promise<number> {
  let total = 0;
  for (const { folder } of await homesIn(base)) total += await bytesIn(folder);
  return total;
}

/** The homes, the one that was used last first. */
async function homesIn(base: string): Promise<{ folder: string; usedAt: number }[]> {
  const list = async (folder: string) =>
    (await readdir(folder).catch(() => [])).map((name) => join(folder, name)); // There are none yet.
  const folders = [...(await list(base)), ...(await list(sharedName(base)))];
  const homes = folders.map(async (folder) => ({ folder, usedAt: (await stat(folder)).mtimeMs }));
  return (await Promise.all(homes)).sort((one, other) => other.usedAt - one.usedAt);
}

async function bytesIn(folder: string): Promise<number> {
  let total = 0;
  for await (const path of await opendir(folder, { recursive: true })) {
    const found = await lstat(join(path.parentPath, path.name)).catch(() => undefined); // It is gone already.
    total += found?.size ?? 0;
  }
  return total;
}

/** Our data directory is closed to others. Root runs commands as another user, who may need another place. */
async function sharedBase(base: string): Promise<string> {
  const shared = sharedName(base);
  await mkdir(shared, { mode: 0o711 }).catch(() => {}); // It may be there. What it is, is checked next.
  const found = await lstat(shared);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0)
    throw new Failure("TOOL_FAILED", "The home folder for commands could not be made.");
  return shared;
}

function sharedName(base: string): string {
  return join(SHARED, `tackle-homes-${createHash("sha256").update(base).digest("hex").slice(0, 12)}`);
}
