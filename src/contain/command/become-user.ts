import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { Failure } from "../../protocol/failure.ts";
import type { Sandbox } from "../../protocol/tool.ts";
import { lend } from "./lend.ts";
import { type CommandUser, isReachable, isRoots, userFor } from "./user.ts";
import type { Workspace } from "./workspace.ts";

/** Node cannot map folders. Only root needs it, so nothing in a person's search path counts. */
const PYTHON = ["/usr/bin/python3", "/usr/local/bin/python3"].find((path) => existsSync(path));
const CHECK_MS = 10_000;

/** How a command comes to run as its own user and to reach the workspace. */
export interface Passage {
  /** The user to become. Undefined if we are not root and stay who we are. */
  readonly user?: CommandUser;
  /** What starts the sandbox as that user. Without it, the caller that starts the process changes its user. */
  readonly words?: readonly string[];
  /** Whether paths in the workspace that must not be changed are read-only already. */
  readonly isPinned: boolean;
  /** Whether the user can get to a path that was asked for. */
  reaches(path: string): Promise<boolean>;
  /** Must be called when the command has ended. */
  close(): Promise<void>;
}

interface PassageOptions {
  cwd: string;
  home: string | undefined;
  /** Paths outside the workspace that the command reads if its user can. */
  read: readonly string[];
  /** Make paths read-only that must not be changed, because the sandbox itself cannot. */
  pin: boolean;
}

/** Opens the workspace to a user without privileges. Throws FORBIDDEN if they cannot get to it. */
export async function openPassage(
  workspace: Workspace,
  sandbox: Sandbox,
  options: PassageOptions,
): Promise<Passage> {
  const { roots, owner } = workspace;
  const user = userFor(owner, roots[0] ?? "/", sandbox);
  const nothing = async () => {};
  if (!user) return { isPinned: false, reaches: async () => true, close: nothing };
  if (owner.uid === 0 && (await canBeMapped(roots, user))) {
    const home = options.home !== undefined && (await stat(options.home)).uid === 0 ? [options.home] : [];
    const folders = [...roots, ...home].map((path): [string, boolean] => [path, workspace.readOnly]);
    for (const path of options.read)
      if (existsSync(path) && !(await isReachable(path, user))) folders.push([path, true]);
    const pinned = options.pin ? pinnedOf(workspace) : [];
    const words = await becoming(user, { folders, pinned, cwd: options.cwd });
    return { user, words, isPinned: options.pin, reaches: async () => true, close: nothing };
  }
  for (const root of roots) if (!(await isReachable(root, user))) throw notReachable();
  const giveBacks: (() => Promise<void>)[] = [];
  if (isRoots(owner)) for (const root of roots) giveBacks.push(await lend(root, user));
  return {
    user,
    ...(PYTHON && { words: await becoming(user, { folders: [], pinned: [], cwd: options.cwd }) }),
    isPinned: false,
    reaches: async (path) => existsSync(path) && isReachable(path, user),
    async close() {
      for (const giveBack of giveBacks) await giveBack();
    },
  };
}

/** Folders above what must not be changed cannot be renamed either. */
function pinnedOf({ pinnedFolders, readOnlyPaths }: Workspace): [string, boolean][] {
  return [
    ...pinnedFolders.map((path): [string, boolean] => [path, false]),
    ...readOnlyPaths.map((path): [string, boolean] => [path, true]),
  ];
}

async function becoming(user: CommandUser, settings: object): Promise<string[]> {
  const program = await readFile(new URL("become-user.py", import.meta.url), "utf8");
  return [PYTHON ?? "python3", "-IS", "-c", program, JSON.stringify({ ...user, ...settings })];
}

const checks = new Map<string, Promise<boolean>>();

/** Whether folders of root's can be shown to a user as their own. Not every file system and container can. */
export async function canBeMapped(folders: readonly string[], user: CommandUser): Promise<boolean> {
  if (PYTHON === undefined) return false;
  for (const folder of folders) {
    const check = checks.get(folder) ?? tryMapping(folder, user);
    checks.set(folder, check);
    if (!(await check)) return false;
  }
  return true;
}

async function tryMapping(folder: string, user: CommandUser): Promise<boolean> {
  const settings = { folders: [[folder, false]], pinned: [], cwd: "/" };
  const [program = "", ...words] = await becoming(user, settings);
  const test = ["/bin/sh", "-c", '[ -O "$1" ]', "sh", folder];
  const done = promisify(execFile)(program, [...words, ...test], { timeout: CHECK_MS, env: {} });
  return done.then(
    () => true,
    () => false, // The kernel, the file system or the container does not allow it.
  );
}

function notReachable(): Failure {
  return new Failure(
    "FORBIDDEN",
    "Commands run as a user without privileges, who cannot reach the working folder, because a folder above it is closed " +
      "to them. Open that folder to them (chmod o+x), or move the working folder.",
  );
}
