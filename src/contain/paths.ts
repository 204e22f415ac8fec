import { realpath } from "node:fs/promises";
import { isAbsolute, normalize, relative, resolve, sep } from "node:path";
import { cutText } from "../protocol/clean-text.ts";
import { Failure, type FailureCode, toFailure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";

const MAX_PATH_LENGTH = 4_096;
const MAX_SHOWN_LENGTH = 200;

/** A path inside the roots. It may not exist, or be a link: open it without following links to find out. */
export interface Place {
  /** The root that contains it, with all links resolved. */
  readonly root: string;
  /** The names below the root. None is empty, `.` or `..`. */
  readonly names: readonly string[];
  /** The path as the caller gave it. Messages show this and never a path of the host. */
  readonly shown: string;
}

/**
 * Resolves a path inside the roots. Relative paths start in the first root, and paths that leave the roots are refused.
 * Percent signs and backslashes are ordinary characters of a name.
 */
export async function resolveInside(
  roots: readonly string[],
  path: string,
  shown = showPath(path),
): Promise<Place> {
  const [first] = roots;
  if (first === undefined) throw new Failure("FORBIDDEN", "No folder is open to this tool.");
  if (path.includes("\0") || !path.isWellFormed()) {
    throw new Failure("INVALID_INPUT", "The path contains characters that no path can have.");
  }
  if (path.length > MAX_PATH_LENGTH) {
    throw new Failure("INVALID_INPUT", `The path is too long: at most ${MAX_PATH_LENGTH} characters.`);
  }
  const absolute = resolve(first, path);
  for (const root of roots) {
    const given = resolve(root);
    const real = await realPath(given);
    // A root may be given through a link. Callers may use either of its paths.
    for (const base of [given, real]) {
      const names = namesBelow(base, absolute);
      if (names === undefined) continue;
      if (real === undefined) throw new Failure("NOT_FOUND", "The working folder does not exist.");
      return { root: real, names, shown };
    }
  }
  throw new Failure(
    "FORBIDDEN",
    `"${shown}" is outside the folders that may be used. Give a path relative to the working folder.`,
  );
}

/** The names from a folder down to a path; undefined when the path is elsewhere. */
function namesBelow(base: string | undefined, path: string): string[] | undefined {
  if (base === undefined) return undefined;
  const below = relative(base, path);
  if (below === "") return [];
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) return undefined;
  return below.split(sep);
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw pathFailure(error, "The working folder");
  }
}

/** A path as messages show it: one short line. */
export function showPath(path: string): string {
  return cutText(printable(normalize(path)), MAX_SHOWN_LENGTH);
}

/** Text with its control characters escaped, so that a file name cannot fake a line of output. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

/** The system's error code, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return isObject(error) && typeof error.code === "string" ? error.code : undefined;
}

const SYSTEM_ERRORS: Readonly<
  Record<string, readonly [code: FailureCode, sentence: (shown: string) => string]>
> = {
  ENOENT: ["NOT_FOUND", (shown) => `There is no "${shown}".`],
  ELOOP: ["FORBIDDEN", (shown) => `"${shown}" is or lies behind a symbolic link; links are not followed.`],
  EACCES: ["FORBIDDEN", (shown) => `The system does not permit this on "${shown}".`],
  EROFS: ["FORBIDDEN", (shown) => `"${shown}" is on a read-only disk.`],
  ENOTDIR: ["INVALID_INPUT", (shown) => `A part of "${shown}" is a file, not a folder.`],
  EISDIR: ["INVALID_INPUT", (shown) => `"${shown}" is a folder.`],
  EINVAL: ["INVALID_INPUT", (shown) => `"${shown}" is not a possible path here.`],
  ENXIO: ["INVALID_INPUT", notRegularSentence],
  EEXIST: ["CONFLICT", (shown) => `"${shown}" already exists or is not empty.`],
  EXDEV: ["INVALID_INPUT", (shown) => `"${shown}" is on another disk; write it there and delete it here.`],
  ENOSPC: ["STORAGE_FULL", (shown) => `There is no room left for "${shown}".`],
  EMFILE: ["RESOURCE_EXHAUSTED", () => "Too many files are open. Trying again later may help."],
};
const SAME_ERRORS: Readonly<Record<string, string>> = {
  EPERM: "EACCES",
  ENAMETOOLONG: "EINVAL",
  EILSEQ: "EINVAL",
  ENODEV: "ENXIO",
  ENOTEMPTY: "EEXIST",
  EDQUOT: "ENOSPC",
  EFBIG: "ENOSPC",
  ENFILE: "EMFILE",
};

/** Turns an error of the system into a `Failure`. The original message holds host paths, so it is only kept as the cause. */
export function pathFailure(error: unknown, shown: string): Failure {
  if (error instanceof Failure) return error;
  const errno = errnoOf(error);
  if (errno === undefined) return toFailure(error);
  const [code, sentence] = SYSTEM_ERRORS[SAME_ERRORS[errno] ?? errno] ?? [
    "TOOL_FAILED",
    () => `The system could not do this with "${shown}".`,
  ];
  return new Failure(code, sentence(shown), { cause: error });
}

/** The failure for devices, pipes and sockets, which are never opened. */
export function notRegular(shown: string): Failure {
  return new Failure("INVALID_INPUT", notRegularSentence(shown));
}

function notRegularSentence(shown: string): string {
  return `"${shown}" is neither a regular file nor a folder.`;
}
