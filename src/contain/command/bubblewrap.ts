import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { CommandProfile } from "../../protocol/commands.ts";
import { commandEnvironment } from "./environment.ts";
import type { CommandLimits } from "./limits.ts";
import type { OwnNode } from "./own-node.ts";
import type { Workspace } from "./workspace.ts";

/** Descriptors that bubblewrap inherits besides the standard three. */
export const SECCOMP_DESCRIPTOR = 3;
export const STATUS_DESCRIPTOR = 4;
export const PASSWD_DESCRIPTOR = 5;
export const GROUP_DESCRIPTOR = 6;
export const ARGUMENTS_DESCRIPTOR = 7;
/** Namespaces to join first. They are closed before bubblewrap starts. */
export const USER_DESCRIPTOR = 8;
export const NETWORK_DESCRIPTOR = 9;

/**
 * The user id inside the sandbox. It is never 0: programs that run as root try to change file owners, which fails because
 * no other user exists in the sandbox.
 */
const INSIDE_ID = 1000;
/** Where its own home folder is mounted. */
export const HOME = "/home/sandbox";
export const PASSWD = `user:x:${INSIDE_ID}:${INSIDE_ID}:user:${HOME}:/bin/sh\n`;
export const GROUP = `user:x:${INSIDE_ID}:\n`;

/** Where our Node is mounted. The system's Node comes first on the path. */
const NODE_FOLDER = "/opt/tackle";
const SHARED_MEMORY_BYTES = 32 * 1024 * 1024;

/** Programs and libraries, mounted read-only. Symbolic links stay symbolic links. */
export const SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store".split(" ");
/** Files and folders of /etc that commands may read. None holds a password, a key or a host name. */
export const SETTINGS = `
  alternatives ld.so.cache ld.so.conf ld.so.conf.d localtime timezone nsswitch.conf services protocols mime.types magic
  terminfo fonts ssl/certs ssl/openssl.cnf ca-certificates pki/ca-trust pki/tls/certs crypto-policies ImageMagick-6 texmf
  perl`
  .trim()
  .split(/\s+/)
  .map((name) => `/etc/${name}`);

/** What a command gets besides the workspace. */
export interface BubblewrapExtras {
  profile?: CommandProfile;
  /** The name of a folder for temporary files in the home folder. */
  temporary?: string;
  /** What of the profile's programs can be mounted. */
  programs?: readonly string[];
  /** It joins the network namespace that it is started in. */
  sharesNetwork?: boolean;
  variables?: Readonly<Record<string, string>>;
}

/** Returns the command-line options for bubblewrap. */
export async function bubblewrapArguments(
  workspace: Workspace,
  cwd: string,
  limits: CommandLimits,
  node: OwnNode | undefined,
  withSeccomp: boolean,
  { profile, temporary, programs, sharesNetwork, variables }: BubblewrapExtras = {},
): Promise<string[]> {
  const [root = "/"] = workspace.roots;
  const bind = workspace.readOnly ? "--ro-bind" : "--bind";
  const env = {
    ...commandEnvironment(profile ? HOME : root, profile, `${NODE_FOLDER}/bin`),
    ...(temporary ? { TMPDIR: join(HOME, temporary) } : {}),
    ...variables,
  };
  return [
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
    ...(sharesNetwork ? ["--share-net"] : []),
    ...["--cap-drop", "ALL", "--uid", String(INSIDE_ID), "--gid", String(INSIDE_ID), "--hostname", "sandbox"],
    ...["--clearenv", ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value])],
    ...(await systemArguments()),
    ...(node ? nodeArguments(node) : []),
    ...SETTINGS.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--ro-bind-data", String(PASSWD_DESCRIPTOR), "/etc/passwd"],
    ...["--ro-bind-data", String(GROUP_DESCRIPTOR), "/etc/group"],
    ...["--proc", "/proc", "--dev", "/dev"],
    ...temporaryFolder("/dev/shm", SHARED_MEMORY_BYTES),
    ...temporaryFolder("/tmp", limits.temporaryBytes),
    ...["--symlink", "/tmp", "/var/tmp"],
    ...(profile?.gitConfig ? ["--ro-bind", profile.gitConfig, "/etc/gitconfig"] : []),
    ...(programs ?? []).flatMap((path) => ["--ro-bind-try", path, path]),
    ...(profile ? [bind, profile.home, HOME] : []),
    // A mount point cannot be renamed, so folders around hidden paths are bind-mounted onto themselves.
    ...[...workspace.roots, ...workspace.pinnedFolders].flatMap((folder) => [bind, folder, folder]),
    ...workspace.readOnlyPaths.flatMap((path) => ["--ro-bind", path, path]),
    ...workspace.hiddenFolders.flatMap(hideFolder),
    ...workspace.hiddenFiles.flatMap((file) => ["--ro-bind", "/dev/null", file]),
    // Otherwise the root would be an unlimited disk in memory, and the host's root could write to files in /proc.
    ...["--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/"],
    ...["--chdir", cwd],
    ...(withSeccomp ? ["--seccomp", String(SECCOMP_DESCRIPTOR)] : []),
    ...["--json-status-fd", String(STATUS_DESCRIPTOR)],
  ];
}

function temporaryFolder(path: string, bytes: number): string[] {
  return ["--perms", "1777", "--size", String(bytes), "--tmpfs", path];
}

function hideFolder(folder: string): string[] {
  return ["--size", "4096", "--tmpfs", folder, "--remount-ro", folder];
}

function nodeArguments({ program, npm }: OwnNode): string[] {
  const words = ["--ro-bind", program, `${NODE_FOLDER}/bin/node`];
  if (npm === undefined) return words;
  const folder = `${NODE_FOLDER}/lib/node_modules/npm`;
  return [
    ...words,
    ...["--ro-bind", npm, folder],
    ...["--symlink", `${folder}/bin/npm-cli.js`, `${NODE_FOLDER}/bin/npm`],
    ...["--symlink", `${folder}/bin/npx-cli.js`, `${NODE_FOLDER}/bin/npx`],
  ];
}

async function systemArguments(): Promise<string[]> {
  const entries = await Promise.all(
    SYSTEM.map(async (path) => {
      const link = await lstat(path).then(
        (stats) => stats.isSymbolicLink(),
        () => undefined, // It does not exist on this system.
      );
      if (link === undefined) return [];
      return link ? ["--symlink", await readlink(path), path] : ["--ro-bind", path, path];
    }),
  );
  return entries.flat();
}
