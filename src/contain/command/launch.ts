import { chown, mkdtemp, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { CommandNetwork, CommandProfile } from "../../protocol/commands.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Sandbox } from "../../protocol/tool.ts";
import { openPassage, type Passage } from "./become-user.ts";
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
import type { CommandUser } from "./user.ts";
import type { Workspace } from "./workspace.ts";

/** How to start a process: everything that differs between the kinds of sandbox. */
export interface Launch {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Another user to become before the program starts. */
  readonly user?: CommandUser;
  /** Bytes that the program reads from descriptors above the standard three. */
  readonly feeds: ReadonlyMap<number, Uint8Array>;
  /** Open files of ours that the program gets under these numbers. */
  readonly descriptors?: ReadonlyMap<number, number>;
  /** Where the sandbox reports its status, which tells its own failures from the command's. */
  readonly statusDescriptor?: number;
  /** On SIGTERM, the program ends everything that it started. */
  readonly supervised?: boolean;
  /** The folders on disk that it can write to. */
  readonly writes: readonly string[];
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
    case "bubblewrap":
    case "landlock": {
      const node = ownNode();
      const settings = profile?.gitConfig ? [profile.gitConfig] : [];
      const read = [...(profile?.programs ?? []), ...settings, node.program, ...(node.npm ? [node.npm] : [])];
      const passage = await openPassage(workspace, sandbox, {
        cwd: tier === "landlock" ? cwd : "/",
        home: profile?.home,
        read,
        pin: tier === "landlock",
      });
      const make =
        tier === "landlock"
          ? landlockLaunch(command, program ?? "python3", workspace, cwd, limits, passage, profile)
          : bubblewrapLaunch(command, program ?? "bwrap", workspace, cwd, limits, passage, extras);
      const launch = await make.catch(async (thrown: unknown) => {
        await passage.close();
        throw thrown;
      });
      return inControlGroup(through(passage, launch), limits);
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

/** Starts the sandbox as the command's user. */
function through({ user, words, close }: Passage, launch: Launch): Launch {
  async function cleanUp(): Promise<void> {
    await launch.cleanUp();
    await close();
  }
  if (words) return { ...launch, words: [...words, ...launch.words], cleanUp };
  return { ...launch, ...(user && { user }), cleanUp };
}

/** Root can limit all processes of a command together. It has to join the group before it becomes another user. */
async function inControlGroup(launch: Launch, limits: CommandLimits): Promise<Launch> {
  if (process.getuid?.() !== 0 || launch.user) return launch;
  const group = await createControlGroup(limits);
  if (!group) return launch;
  const join = ["/bin/sh", "-c", 'echo $$ >"$1" && shift && exec "$@"', "sh", group.joinFile];
  async function cleanUp(): Promise<void> {
    await launch.cleanUp();
    await group?.remove();
  }
  return { ...launch, words: [...join, ...launch.words], cleanUp };
}

async function bubblewrapLaunch(
  command: string,
  program: string,
  workspace: Workspace,
  cwd: string,
  limits: CommandLimits,
  { reaches }: Passage,
  { profile, network }: LaunchExtras,
): Promise<Launch> {
  const node = (await reaches(process.execPath)) ? ownNode() : undefined;
  const filter = seccompFilter();
  const programs: string[] = [];
  for (const path of profile?.programs ?? []) if (await reaches(path)) programs.push(path);
  const temporary = profile && !workspace.readOnly ? await temporaryIn(profile.home) : undefined;
  const extras = {
    profile,
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
    writes: [...workspace.roots, ...(profile ? [profile.home] : [])],
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
async function temporaryIn(home: string): Promise<string> {
  const folder = await mkdtemp(join(home, ".tmp-"));
  const { uid, gid } = await stat(home);
  if (uid !== process.getuid?.()) await chown(folder, uid, gid);
  return folder;
}

function plainLaunch(words: string[], workspace: Workspace, cwd: string, profile?: CommandProfile): Launch {
  const [root = "/"] = workspace.roots;
  const env = {
    ...commandEnvironment(profile?.home ?? root, profile),
    ...(profile?.gitConfig ? { GIT_CONFIG_SYSTEM: profile.gitConfig } : {}),
  };
  return { words, env, cwd, writes: workspace.roots, feeds: new Map(), cleanUp: async () => {} };
}
