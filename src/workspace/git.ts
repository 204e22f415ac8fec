import { dirname, join, resolve } from "node:path";
import { readText } from "./read-text.ts";

const MOST_BYTES = 1_000;
const MOST_PARENTS = 40;
/** Nothing that the repository names is run, as far as git can be told so. The sandbox contains the rest. */
const STATUS =
  "git -c core.fsmonitor= -c core.hooksPath=/dev/null status --porcelain --untracked-files=normal --ignore-submodules=all";

/** Runs a command that can change nothing, in a sandbox. Returns what it prints, or undefined if it fails or there is no sandbox. */
export type ReadByCommand = (command: string, folder: string) => Promise<string | undefined>;

/** Names of branches are chosen by others. Only those that cannot say much are told. */
const BRANCH = /^ref: refs\/heads\/([\w./-]{1,100})$/;

/** Says on which branch a folder is, in a few words. Reads git's own files: running git could run what the repository says. */
export async function gitStateOf(folder: string): Promise<string | undefined> {
  let one = folder;
  for (let depth = 0; depth < MOST_PARENTS; depth++) {
    const head = await headOf(one);
    if (head !== undefined) {
      const branch = BRANCH.exec(head)?.[1];
      if (branch !== undefined) return `on the git branch ${branch}`;
      const commit = /^[\da-f]{40,64}$/.exec(head)?.[0];
      return commit === undefined ? undefined : `at the git commit ${commit.slice(0, 10)}, on no branch`;
    }
    const parent = dirname(one);
    if (parent === one) return undefined;
    one = parent;
  }
  return undefined;
}

/**
 * Counts what differs from the last commit, in a few words. Undefined if git is missing, slow or refuses. Git may run what the
 * repository's settings name, such as filters, and commands may have put them there: so it runs where commands do.
 */
export async function gitChangesOf(folder: string, read: ReadByCommand): Promise<string | undefined> {
  const printed = await read(STATUS, folder);
  if (printed === undefined) return undefined; // What is not known is not told.
  const lines = printed.split("\n").filter((line) => line !== "");
  const added = lines.filter((line) => line.startsWith("??")).length;
  const changed = lines.length - added;
  if (lines.length === 0) return "without changes";
  const counts = [changed > 0 && `${changed} changed`, added > 0 && `${added} new`].filter(Boolean);
  return `with ${counts.join(" and ")} ${lines.length === 1 ? "file" : "files"}`;
}

async function headOf(folder: string): Promise<string | undefined> {
  const direct = await firstLine(folder, join(folder, ".git", "HEAD"));
  if (direct !== undefined) return direct;
  // In a linked worktree, `.git` is a file that says where the rest is.
  const link = await firstLine(folder, join(folder, ".git"));
  const elsewhere = link === undefined ? undefined : /^gitdir: (.+)$/.exec(link)?.[1];
  if (elsewhere === undefined) return undefined;
  const git = resolve(folder, elsewhere);
  return firstLine(git, join(git, "HEAD"));
}

async function firstLine(base: string, file: string): Promise<string | undefined> {
  const read = await readText(base, file, MOST_BYTES).catch(() => undefined);
  return read === undefined || "refused" in read ? undefined : read.text.split("\n", 1)[0]?.trim();
}
