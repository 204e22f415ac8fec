import { chown, mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { CommandNetwork, CommandProfile } from "../../protocol/commands.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Sandbox } from "../../protocol/tool.ts";
import {
  ARGUMENTS_DESCRIPTOR,
  bubblewrapArguments,
  GROUP,
  GROUP_DESCRIPTOR,
  NETWORK_DESCRIPTOR,
  PASSWD,
  PASSWD_DESCRIPTOR,
  SECCOMP_DESCRIPTOR,
  STATUS_DESCRIPTOR,
  USER_DESCRIPTOR,
} from "./bubblewrap.ts";
import { createControlGroup } from "./cgroup.ts";
import { commandEnvironment } from "./environment.ts";
import { landlockLaunch } from "./landlock.ts";
import { type CommandLimits, limitedShell } from "./limits.ts";
import { macosArguments } from "./macos.ts";
import { joinNetwork } from "./network.ts";
import { ownNode } from "./own-node.ts";
import { seccompFilter } from "./seccomp.ts";
import { isReachable, userFor, type Workspace } from "./workspace.ts";

/** How to start a process: everything that differs between the kinds of sandbox. */
export interface Launch {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Another user to become before the program starts. */
  readonly user?: { uid: number; gid: number };
  /** Bytes that the program reads from descriptors above the standard three. */
  readonly feeds: ReadonlyMap<number, Uint8Array>;
  /** Open files of ours that the program gets under these numbers. */
  readonly descriptors?: ReadonlyMap<number, number>;
  /** Where the sandbox reports its status, which tells its own failures from the command's. */
  readonly statusDescriptor?: number;
  /** On SIGTERM, the program ends everything that it started. */
  readonly supervised?: boolean;
  cleanUp(): Promise<void>;
}

/** What a command gets besides the workspace. */
export interface LaunchExtras {
  profile?: CommandProfile;
  network?: Pick<CommandNetwork, "namespaces" | "variables">;
}

/** Describes how to start a command in a sandbox. Throws FORBIDDEN if there is none. */
export async function prepareLaunch(
  command: string,
  sandbox: Sandbox,
  workspace: Workspace,
  cwd: string,
  limits: CommandLimits,
  extras: LaunchExtras = {},
): Promise<Launch> {
  const { profile } = extras;
  const { tier, program } = sandbox;
  switch (tier) {
    case "bubblewrap": {
      const launch = bubblewrapLaunch(command, program ?? "bwrap", workspace, cwd, limits, extras);
      return inControlGroup(await launch, workspace, limits);
    }
    case "landlock": {
      const launch = landlockLaunch(command, program ?? "python3", workspace, cwd, limits, profile);
      return inControlGroup(await launch, workspace, limits);
    }
    case "macos": {
      const words = [...macosArguments(workspace, profile), ...limitedShell(command, limits, false)];
      return plainLaunch(words, workspace, cwd, profile);
    }
    case "bare":
      return plainLaunch(limitedShell(command, limits, false), workspace, cwd, profile);
    default:
      throw new Failure("FORBIDDEN", `Commands cannot run here: there is no sandbox. ${sandbox.improve}`);
  }
}

/** The kernel does not limit root's processes, so commands in a workspace that root owns run in a control group. */
async function inControlGroup(launch: Launch, workspace: Workspace, limits: CommandLimits): Promise<Launch> {
  if (process.getuid?.() !== 0 || workspace.owner.uid !== 0) return launch;
  const group = await createControlGroup(limits);
  if (!group) return launch;
  const join = ["/bin/sh", "-c", 'echo $$ >"$1" && shift && exec "$@"', "sh", group.joinFile];
  async function cleanUp(): Promise<void> {
    await launch.cleanUp();
    await group?.remove();
  }
  return { ...launch, words: [...join, ...launch.words], cleanUp };
}

/**
 * The user on the host decides who owns the files that a command writes. An ordinary user stays the same. Root becomes the
 * owner of the workspace. If root owns it, the command keeps root's id, because no other user could write there. Such a
 * process has no capabilities, sees only what is mounted for it, cannot write to /proc and cannot set a set-user-id bit.
 */
async function bubblewrapLaunch(
  command: string,
  program: string,
  workspace: Workspace,
  cwd: string,
  limits: CommandLimits,
  { profile, network }: LaunchExtras,
): Promise<Launch> {
  const user = userFor(workspace.owner);
  const reachable = async (path: string) => user === undefined || isReachable(path, user);
  for (const root of workspace.roots) if (!(await reachable(root))) throw notReachable();
  const node = (await reachable(process.execPath)) ? ownNode() : undefined;
  const filter = seccompFilter();
  const programs: string[] = [];
  for (const path of profile?.programs ?? []) if (await reachable(path)) programs.push(path);
  const temporary = profile && !workspace.readOnly ? await temporaryIn(profile.home, user) : undefined;
  const extras = {
    ...(profile && { profile }),
    ...(temporary && { temporary: basename(temporary) }),
    ...(network && { sharesNetwork: true, variables: network.variables }),
    programs,
  };
  const options = await bubblewrapArguments(workspace, cwd, limits, node, filter !== undefined, extras);
  // Passed through a descriptor, so that they do not appear in the process list.
  const words = [
    ...(network ? joinNetwork(USER_DESCRIPTOR, NETWORK_DESCRIPTOR) : []),
    program,
    "--args",
    String(ARGUMENTS_DESCRIPTOR),
    "--",
    ...limitedShell(command, limits, true),
  ];
  const feeds = new Map<number, Uint8Array>([
    [PASSWD_DESCRIPTOR, Buffer.from(PASSWD)],
    [GROUP_DESCRIPTOR, Buffer.from(GROUP)],
    [ARGUMENTS_DESCRIPTOR, Buffer.from(`${options.join("\0")}\0`)],
  ]);
  if (filter) feeds.set(SECCOMP_DESCRIPTOR, filter);
  return {
    words,
    // The command can read the environment of the sandbox's first process, so that is empty.
    env: {},
    cwd: "/",
    ...(user && { user }),
    feeds,
    ...(network && {
      descriptors: new Map([
        [USER_DESCRIPTOR, network.namespaces[0]],
        [NETWORK_DESCRIPTOR, network.namespaces[1]],
      ]),
    }),
    statusDescriptor: STATUS_DESCRIPTOR,
    cleanUp: async () => {
      if (temporary) await rm(temporary, { recursive: true, force: true });
    },
  };
}

/** Makes a folder for temporary files on disk. The one in memory is too small to build things in. */
async function temporaryIn(home: string, user: { uid: number; gid: number } | undefined): Promise<string> {
  const folder = await mkdtemp(join(home, ".tmp-"));
  if (user) await chown(folder, user.uid, user.gid);
  return folder;
}

function notReachable(): Failure {
  return new Failure(
    "FORBIDDEN",
    "The working folder belongs to a user who cannot reach it, because a folder above it is closed to them. " +
      "Open that folder to them (chmod o+x), or give the working folder to the user that runs Tackle (chown -R).",
  );
}

function plainLaunch(words: string[], workspace: Workspace, cwd: string, profile?: CommandProfile): Launch {
  const [root = "/"] = workspace.roots;
  const env = {
    ...commandEnvironment(profile?.home ?? root, profile),
    ...(profile?.gitConfig ? { GIT_CONFIG_SYSTEM: profile.gitConfig } : {}),
  };
  return { words, env, cwd, feeds: new Map(), cleanUp: async () => {} };
}
