import { realpath } from "node:fs/promises";
import { isAbsolute, normalize, relative, resolve, sep } from "node:path";
import { Failure, toFailure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";

const MAX_PATH_LENGTH = 4_096;
const MAX_SHOWN_LENGTH = 200;

/** A place inside the roots. Nothing is known yet of what is there: only opening it without following links tells. */
export interface Place {
  /** The root it lies in, with all links resolved. */
  readonly root: string;
  /** The way from the root, one name each: none is empty, `.` or `..`. */
  readonly names: readonly string[];
  /** What the caller called it: messages show this and never a path of the host. */
  readonly shown: string;
}

/**
 * Finds the place that a path names. Relative paths start in the first root; whatever would leave the roots is refused.
 * Percent signs, backslashes and the like are ordinary characters of a name.
 */
export async function resolveInside(
  roots: readonly string[],
  path: string,
  shown = showPath(path),
): Promise<Place> {
  const [first] = roots;
  if (first === undefined) throw new Failure("FORBIDDEN", "No folder is open to this tool.");
  if (path.includes("\0") || !path.isWellFormed()) {
    throw new Failure("INVALID_INPUT", "The path holds characters that no path can have.");
  }
  if (path.length > MAX_PATH_LENGTH) {
    throw new Failure("INVALID_INPUT", `The path is too long: at most ${MAX_PATH_LENGTH} characters.`);
  }
  const absolute = resolve(first, path);
  for (const root of roots) {
    const given = resolve(root);
    const real = await realPath(given);
    // A root may be named through a link; both of its names are the caller's to use.
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

/** The names that lead from a folder down to a path; undefined when it lies elsewhere. */
function namesBelow(base: string | undefined, path: string): string[] | undefined {
  if (base === undefined) return undefined;
  const way = relative(base, path);
  if (way === "") return [];
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
  return way.split(sep);
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw pathFailure(error, "The working folder");
  }
}

/** A path as a message shows it: on one line, not longer than a line. */
export function showPath(path: string): string {
  const plain = printable(normalize(path));
  return plain.length > MAX_SHOWN_LENGTH ? `${plain.slice(0, MAX_SHOWN_LENGTH)}…` : plain;
}

/** Text with its control characters spelled out: a file's name must not be able to fake a line of ours. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

/** The system's code of an error: `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return isObject(error) && typeof error.code === "string" ? error.code : undefined;
}

/** What an error of the system means for the person; its own text, which holds paths of the host, stays inside. */
export function pathFailure(error: unknown, shown: string): Failure {
  if (error instanceof Failure) return error;
  const options = { cause: error };
  switch (errnoOf(error)) {
    case undefined:
      return toFailure(error);
    case "ENOENT":
      return new Failure("NOT_FOUND", `There is no "${shown}".`, options);
    case "ELOOP":
      return new Failure(
        "FORBIDDEN",
        `"${shown}" is or lies behind a symbolic link; links are not followed.`,
        options,
      );
    case "EACCES":
    case "EPERM":
      return new Failure("FORBIDDEN", `The system does not permit this on "${shown}".`, options);
    case "EROFS":
      return new Failure("FORBIDDEN", `"${shown}" is on a read-only disk.`, options);
    case "ENOTDIR":
      return new Failure("INVALID_INPUT", `A part of "${shown}" is a file, not a folder.`, options);
    case "EISDIR":
      return new Failure("INVALID_INPUT", `"${shown}" is a folder.`, options);
    case "ENAMETOOLONG":
    case "EINVAL":
    case "EILSEQ":
      return new Failure("INVALID_INPUT", `"${shown}" is not a possible path here.`, options);
    case "ENXIO":
    case "ENODEV":
      return notRegular(shown);
    case "ENOTEMPTY":
    case "EEXIST":
      return new Failure("CONFLICT", `"${shown}" already exists or is not empty.`, options);
    case "EXDEV":
      return new Failure(
        "INVALID_INPUT",
        `"${shown}" is on another disk; write it there and delete it here.`,
        options,
      );
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new Failure("STORAGE_FULL", `There is no room left for "${shown}".`, options);
    case "EMFILE":
    case "ENFILE":
      return new Failure(
        "RESOURCE_EXHAUSTED",
        "Too many files are open. Trying again later may help.",
        options,
      );
    default:
      return new Failure("TOOL_FAILED", `The system could not do this with "${shown}".`, options);
  }
}

/** Devices, pipes and sockets are never opened. */
export function notRegular(shown: string): Failure {
  return new Failure("INVALID_INPUT", `"${shown}" is neither a regular file nor a folder.`);
}
