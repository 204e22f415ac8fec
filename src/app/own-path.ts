import { homedir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Returns the full path that a person wrote in a setting. Only shells know `~`: in a file of settings or a unit of systemd it
 * would otherwise be a folder of that name.
 */
export function resolvePath(cwd: string, path: string): string {
  return /^~(?:$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : resolve(cwd, path);
}
