import { chown, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CommandProfile } from "../../protocol/commands.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Passage } from "./become-user.ts";
import { SETTINGS, SYSTEM } from "./bubblewrap.ts";
import { commandEnvironment } from "./environment.ts";
import type { Launch } from "./launch.ts";
import { type CommandLimits, limitedShell } from "./limits.ts";
import { ownNode } from "./own-node.ts";
import { brokeredCalls, seccompFilter } from "./seccomp.ts";
import type { Workspace } from "./workspace.ts";

const STATUS_DESCRIPTOR = 3;
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/** The number of the call that installs a filter and returns where its questions come in. */
const SECCOMP_CALL: Record<string, number> = { x64: 317, arm64: 277 };

/**
 * Describes how to start a command under Landlock, for systems without user namespaces. Landlock confines less than
 * bubblewrap: commands can see the names of files that their user can see.
 */
export async function landlockLaunch(
  command: string,
  python: string,
  workspace: Workspace,
  cwd: string,
  limits: CommandLimits,
  { user }: Passage,
  profile?: CommandProfile,
): Promise<Launch> {
  const filter = seccompFilter(process.arch, { namespaces: false });
  if (filter === undefined)
    throw new Failure("FORBIDDEN", "There is no system call filter for this machine.");
  if (workspace.hiddenFolders.length + workspace.hiddenFiles.length > 0) {
    throw new Failure(
      "FORBIDDEN",
      "Tackle's own data lies in the working folder, and Landlock cannot hide it there. Move it (TACKLE_DATA) out of " +
        "TACKLE_ROOTS, or make bubblewrap work (see `tackle doctor`).",
    );
  }
  const temporary = await realpath(await mkdtemp(join(tmpdir(), "tackle-temporary-")));
  if (user) await chown(temporary, user.uid, user.gid);
  const [root = "/"] = workspace.roots;
  const node = ownNode();
  const env = {
    ...commandEnvironment(profile?.home ?? root, profile, dirname(node.program)),
    TMPDIR: temporary,
    // Git reports a system configuration that it may not read as broken.
    ...(profile?.gitConfig ? { GIT_CONFIG_SYSTEM: profile.gitConfig } : { GIT_CONFIG_NOSYSTEM: "1" }),
  };
  const own = profile ? [profile.home] : [];
  const writable = [...(workspace.readOnly ? [] : [...workspace.roots, ...own]), temporary];
  const programs = profile
    ? [...profile.programs, ...own, ...(profile.gitConfig ? [profile.gitConfig] : [])]
    : [];
  const settings = {
    env,
    parent: process.pid,
    status: STATUS_DESCRIPTOR,
    processes: limits.processes,
    read: [
      ...SYSTEM,
      ...SETTINGS,
      node.program,
      ...(node.npm ? [node.npm] : []),
      ...programs,
      ...workspace.roots,
    ],
    write: [...writable, ...DEVICES],
    own: writable,
    filter: filter.toString("base64"),
    seccomp: SECCOMP_CALL[process.arch],
    brokered: brokeredCalls(),
  };
  const words = [
    python,
    "-IS",
    "-c",
    await readFile(new URL("landlock-helper.py", import.meta.url), "utf8"),
    JSON.stringify(settings),
    ...limitedShell(command, limits, false),
  ];
  return {
    words,
    env,
    cwd,
    writes: writable,
    feeds: new Map(),
    statusDescriptor: STATUS_DESCRIPTOR,
    supervised: true,
    cleanUp: () => rm(temporary, { recursive: true, force: true }),
  };
}
