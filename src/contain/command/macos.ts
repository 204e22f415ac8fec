import type { CommandProfile } from "../../protocol/commands.ts";
import type { Workspace } from "./workspace.ts";

/** Programs, libraries and their settings, read-only. */
const SYSTEM = "/usr /bin /sbin /System /Library/Developer /opt/homebrew /private/var/db/dyld".split(" ");
const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty"];

/** Returns the `sandbox-exec` call in front of the command: no network, and writes only in the workspace. */
export function macosArguments(workspace: Workspace, profile?: CommandProfile): string[] {
  const subpaths = (paths: readonly string[]) => paths.map((path) => `(subpath ${quoted(path)})`).join(" ");
  const hidden = [...workspace.hiddenFolders, ...workspace.hiddenFiles];
  const homes = profile ? [profile.home] : [];
  const readable = profile
    ? [...homes, ...profile.programs, ...(profile.gitConfig ? [profile.gitConfig] : [])]
    : [];
  const rules = [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow file-read-metadata)",
    `(allow file-read* (literal "/") ${subpaths([...SYSTEM, ...DEVICES, ...workspace.roots, ...readable])})`,
    `(allow file-write* ${subpaths([...DEVICES, ...(workspace.readOnly ? [] : [...workspace.roots, ...homes])])})`,
    ...(workspace.readOnlyPaths.length > 0
      ? [`(deny file-write* ${subpaths(workspace.readOnlyPaths)})`]
      : []),
    ...(hidden.length > 0 ? [`(deny file* ${subpaths(hidden)})`] : []),
    // Renaming a parent folder would expose what is hidden in it.
    ...workspace.pinnedFolders.map((folder) => `(deny file-write-unlink (literal ${quoted(folder)}))`),
  ].join("\n");
  return ["/usr/bin/sandbox-exec", "-p", rules];
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}
