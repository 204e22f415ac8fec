import { constants } from "node:fs";
import { lchown, lstat, open, readdir, readFile } from "node:fs/promises";
import { type CommandUser, isLentId } from "./user.ts";

interface Loan {
  commands: number;
  /** Lending and giving back wait for each other. */
  done: Promise<void>;
}

const loans = new Map<string, Loan>();

/**
 * Gives root's files in a folder to a user for as long as commands run there. Returns how to give them back. Files with a
 * set-user-id bit stay root's: the bit would be lost.
 */
export async function lend(root: string, user: CommandUser): Promise<() => Promise<void>> {
  const loan = loans.get(root) ?? { commands: 0, done: Promise.resolve() };
  loans.set(root, loan);
  loan.commands += 1;
  const next = (work: () => Promise<void>) => {
    loan.done = loan.done.then(work, work);
    return loan.done;
  };
  async function giveBack(): Promise<void> {
    loan.commands -= 1;
    await next(async () => {
      // Another process of ours may have a command there. It gives everything back when that ends.
      if (loan.commands > 0 || (await isUsedElsewhere(user.uid))) return;
      await changeOwners(root, "back");
    });
  }
  await next(() => changeOwners(root, user)).catch(async (thrown: unknown) => {
    await giveBack();
    throw thrown;
  });
  return giveBack;
}

/**
 * Changes the owner of a folder and of everything in it. Works on open folders and never follows a link, so that a command
 * that runs meanwhile cannot lead it elsewhere.
 */
async function changeOwners(folder: string | Buffer, to: CommandUser | "back"): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const here = `/proc/self/fd/${handle.fd}`;
  try {
    const self = `${here}/.`;
    if (to !== "back") await changeOwner(self, to);
    const entries = await readdir(Buffer.from(here), { withFileTypes: true, encoding: "buffer" });
    const paths = entries.map((entry) => ({
      path: Buffer.concat([Buffer.from(`${here}/`), entry.name]),
      isFolder: entry.isDirectory(),
    }));
    // What is gone meanwhile needs no other owner.
    await Promise.all(
      paths.map(({ path, isFolder }) => isFolder || changeOwner(path, to).catch(() => undefined)),
    );
    for (const { path, isFolder } of paths) if (isFolder) await changeOwners(path, to).catch(() => undefined);
    if (to === "back") await changeOwner(self, to);
  } finally {
    await handle.close();
  }
}

async function changeOwner(path: string | Buffer, to: CommandUser | "back"): Promise<void> {
  const found = await lstat(path);
  const isPrivileged = found.isFile() && (found.mode & 0o6000) !== 0;
  if (to !== "back") {
    if (found.uid === 0 && !isPrivileged) await lchown(path, to.uid, found.gid);
  } else if (isLentId(found.uid) || isLentId(found.gid)) {
    await lchown(path, isLentId(found.uid) ? 0 : found.uid, isLentId(found.gid) ? 0 : found.gid);
  }
}

/** Whether a user has processes that another process of ours has started. */
async function isUsedElsewhere(uid: number): Promise<boolean> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(async (pid) => [pid, await factsOf(pid)] as const));
  const facts = new Map(found);
  return found.some(([, one]) => {
    if (one?.uid !== uid) return false;
    let parent = one.parent;
    while (parent !== String(process.pid)) {
      const above = facts.get(parent);
      if (!above) return true;
      parent = above.parent;
    }
    return false;
  });
}

async function factsOf(pid: string): Promise<{ uid: number; parent: string } | undefined> {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => ""); // It has ended meanwhile.
  const [, state, parent = "0", uid] = /^State:\s+(\w).*^PPid:\s+(\d+).*^Uid:\s+(\d+)/ms.exec(text) ?? [];
  return uid === undefined || state === "Z" ? undefined : { uid: Number(uid), parent };
}
