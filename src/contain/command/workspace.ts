import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { Failure } from "../../protocol/failure.ts";
import { errnoOf, pathFailure } from "../paths.ts";
import type { CommandUser } from "./user.ts";

/** The folders that a command may use, prepared for a sandbox. All paths are absolute and contain no links. */
export interface Workspace {
  /** None lies inside another. */
  readonly roots: readonly string[];
  /** Folders inside the roots that must look empty. */
  readonly hiddenFolders: readonly string[];
  /** Files inside the roots that must look empty. */
  readonly hiddenFiles: readonly string[];
  /** Files and folders inside the roots that must not be changed. */
  readonly readOnlyPaths: readonly string[];
  /** Folders between a root and one of these paths. They must not be renamed, or the path could be replaced. */
  readonly pinnedFolders: readonly string[];
  /** Nothing in the roots may be changed. */
  readonly readOnly: boolean;
  /** Who owns the first root. */
  readonly owner: CommandUser;
}

/** A root must not be or contain one of these. */
const SYSTEM_FOLDERS = "/usr /etc /bin /sbin /lib /proc /sys /dev /var /run /boot".split(" ");
/** A root must not lie in one of these. */
const SYSTEM_ONLY = ["/proc", "/sys", "/dev", "/usr/bin", "/usr/lib", "/usr/sbin", "/etc", "/boot"];

/** Resolves the roots and protected paths. Throws `Failure` where they cannot be confined safely. */
export async function prepareWorkspace(
  givenRoots: readonly string[],
  protect: readonly string[],
  { readOnly = false, readOnlyPaths = [] }: { readOnly?: boolean; readOnlyPaths?: readonly string[] } = {},
): Promise<Workspace> {
  const roots = await realRoots(givenRoots);
  const [first] = roots;
  if (first === undefined) throw new Failure("FORBIDDEN", "No folder is open to this tool.");
  const hiddenFolders: string[] = [];
  const hiddenFiles: string[] = [];
  const missing: string[] = [];
  const pinnedFolders = new Set<string>();
  for (const given of protect.map((path) => resolve(path))) {
    const path = await realIfThere(given);
    if (path === undefined) missing.push(given);
    const root = path && roots.find((candidate) => isInside(candidate, path));
    if (path === undefined || root === undefined) continue;
    if (path === root) {
      throw new Failure("FORBIDDEN", "The working folder holds Tackle's own data; choose another.");
    }
    ((await lstat(path)).isDirectory() ? hiddenFolders : hiddenFiles).push(path);
    for (let above = dirname(path); above !== root; above = dirname(above)) pinnedFolders.add(above);
  }
  for (const path of readOnlyPaths) {
    const root = roots.find((candidate) => isInside(candidate, path)) ?? path;
    for (let above = dirname(path); isInside(root, above) && above !== root; above = dirname(above))
      pinnedFolders.add(above);
  }
  for (const path of missing) checkCannotBeMade(path, roots, hiddenFolders);
  const { uid, gid } = await stat(first);
  return {
    roots,
    hiddenFolders: outermost(hiddenFolders),
    hiddenFiles: hiddenFiles.filter((file) => !hiddenFolders.some((folder) => isInside(folder, file))),
    pinnedFolders: [...pinnedFolders]
      .filter((path) => !hiddenFolders.some((folder) => isInside(folder, path)))
      .sort(),
    readOnly,
    readOnlyPaths: readOnlyPaths.filter((path) => !hiddenFolders.some((folder) => isInside(folder, path))),
    owner: { uid, gid },
  };
}

/** Whether a path is a folder or lies in it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * The roots without links. One that is written as lying inside another is left out, and is not even looked at: a
 * command could have put a link to anywhere in its place.
 */
export async function realRoots(given: readonly string[]): Promise<string[]> {
  const real: string[] = [];
  for (const root of outermost(given.map((path) => resolve(path)))) {
    const path = await realpath(root).catch((error: unknown) => {
      throw errnoOf(error) === "ENOENT"
        ? new Failure("NOT_FOUND", "The working folder does not exist.")
        : pathFailure(error, "The working folder");
    });
    checkNotSystem(path);
    real.push(path);
  }
  return outermost(real);
}

function checkNotSystem(root: string): void {
  const encloses = SYSTEM_FOLDERS.some((folder) => isInside(root, folder));
  if (!encloses && !SYSTEM_ONLY.some((folder) => isInside(folder, root))) return;
  throw new Failure(
    "FORBIDDEN",
    "Commands do not run in a folder that belongs to the system. Set TACKLE_ROOTS to your own folder.",
  );
}

/** Keeps the order; a path that lies in another one, or stands twice, is left out. */
function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(other, path)));
}

async function realIfThere(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw pathFailure(error, "Tackle's own data");
  }
}

/** A protected path that is missing could be made by a command, unless it would be in a hidden folder. */
function checkCannotBeMade(path: string, roots: readonly string[], hidden: readonly string[]): void {
  if (!roots.some((root) => isInside(root, path)) || hidden.some((folder) => isInside(folder, path))) return;
  throw new Failure(
    "FORBIDDEN",
    "One of Tackle's own files would be looked for in the working folder, where a command could create it. " +
      "Create it, or move it (TACKLE_DATA, TACKLE_POLICY, TACKLE_MCP, TACKLE_TOOLS_DIR) out of TACKLE_ROOTS.",
  );
}
