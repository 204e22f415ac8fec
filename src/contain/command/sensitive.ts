import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInside } from "./workspace.ts";

/** Files and folders from which programs of the person run code or take instructions. */
const IN_GIT = [".git/hooks", ".git/config", ".git/commondir"];
const SENSITIVE = [".vscode", ".idea", ".mcp.json", ".agents"];

/** What a command must not change in its folders, and what it must not create without the person hearing of it. */
export interface SensitivePaths {
  /** Real paths that exist. A mount can protect them. */
  readonly existing: readonly string[];
  /** Nothing can protect what does not exist, so it is looked for afterwards. */
  readonly missing: readonly string[];
}

/** Finds the sensitive paths of the roots and of all folders between them and the working directory. */
export async function findSensitive(roots: readonly string[], cwd: string): Promise<SensitivePaths> {
  const existing = new Set<string>();
  const missing: string[] = [];
  for (const root of roots) {
    for (const folder of foldersFrom(root, cwd)) {
      // In a worktree, `.git` is a file that says where the repository is.
      const isFile = await lstat(join(folder, ".git")).then(
        (found) => !found.isDirectory(),
        () => false, // There is none.
      );
      for (const name of [...(isFile ? [".git"] : IN_GIT), ...SENSITIVE]) {
        const path = join(folder, name);
        const real = await realpath(path).catch(() => undefined); // Missing, or a link to nowhere.
        if (real === undefined) missing.push(path);
        else if (isInside(root, real) && real !== root) existing.add(real);
      }
    }
  }
  return { existing: [...existing], missing };
}

/** Returns those missing paths that a command has created, relative to its root. */
export async function createdSince({ missing }: SensitivePaths): Promise<string[]> {
  const created: string[] = [];
  for (const path of missing) if (await isNew(path)) created.push(path);
  return created;
}

async function isNew(path: string): Promise<boolean> {
  if (path.endsWith("/.git/config")) return false; // Every new repository has one.
  try {
    if (!path.endsWith("/.git/hooks")) return (await lstat(path)) !== undefined;
    return (await readdir(path)).some((name) => !name.endsWith(".sample"));
  } catch {
    return false; // Still missing.
  }
}

function foldersFrom(root: string, cwd: string): string[] {
  const folders = [root];
  if (!isInside(root, cwd)) return folders;
  for (let folder = cwd; folder !== root; folder = dirname(folder)) folders.push(folder);
  return folders;
}
