import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** A user that commands run as. */
export interface CommandUser {
  readonly uid: number;
  readonly gid: number;
}

/** Ids that distributions leave unused. Folders of root's are each used under one of them. */
const FIRST_ID = 60_578;
const IDS = 600;

/**
 * Returns the user to become for commands in a folder, or undefined if we are not root and stay who we are. It is the
 * owner of the folder. For root's folders it is a separate user who owns nothing else, unless the sandbox works
 * only for root.
 */
export function userFor(
  owner: CommandUser,
  root: string,
  { keepsRoot = false }: { readonly keepsRoot?: boolean } = {},
): CommandUser | undefined {
  if (process.getuid?.() !== 0 || (keepsRoot && isRoots(owner))) return undefined;
  if (!isRoots(owner)) return { uid: owner.uid, gid: owner.gid };
  const id = FIRST_ID + (createHash("sha256").update(root).digest().readUInt32LE(0) % IDS);
  // If root is an ordinary user of the host and no other user exists, there is no user to become.
  return isKnown(id) ? { uid: id, gid: id } : undefined;
}

/** Whether a folder is root's, or was lent to a command by root. */
export function isRoots({ uid }: CommandUser): boolean {
  return uid === 0 || isLentId(uid);
}

/** Whether an id is one of those that root's folders are used under. */
export function isLentId(id: number): boolean {
  return id >= FIRST_ID && id < FIRST_ID + IDS;
}

/** Whether a user id exists in the user namespace that we run in. */
function isKnown(id: number): boolean {
  const lines = readFileSync("/proc/self/uid_map", "utf8").trim().split("\n");
  return lines.some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return id >= first && id < first + count;
  });
}

/** Whether a user can get to a path: no folder above it is closed to them. */
export async function isReachable(path: string, user: CommandUser): Promise<boolean> {
  for (let above = dirname(path); ; above = dirname(above)) {
    const { uid, gid, mode } = await stat(above);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (above === dirname(above)) return true;
  }
}
