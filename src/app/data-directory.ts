import { mkdirSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { Failure } from "../protocol/failure.ts";

/** Returns where everything is stored unless a flag says otherwise. A variable that is empty counts as not set. */
export function defaultDataDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env.TACKLE_DATA || join(homedir() || userInfo().homedir, ".tackle");
}

/** Creates the data directory with the folders above it, unless it is there. Throws INVALID_INPUT if that is not possible. */
export function createDataDirectory(path: string): void {
  try {
    createFolder(path);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    const sentence = `The data directory ${path} cannot be created (${code}). Choose another with --data or TACKLE_DATA.`;
    throw new Failure("INVALID_INPUT", sentence, { cause });
  }
}

/** Creates a folder and those above it, for this user alone. Node's own recursion never ends below a folder that takes no others, such as `/proc`, and calls a read-only disk missing. */
export function createFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const above = dirname(path);
  if (!found && above !== path) createFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    // Another process may have just created it.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw thrown;
  }
}
