import { Failure } from "../../protocol/failure.ts";
import type { Sandbox } from "../../protocol/tool.ts";
import {
  ARGUMENTS_DESCRIPTOR,
  bubblewrapArguments,
  GROUP,
  GROUP_DESCRIPTOR,
  PASSWD,
  PASSWD_DESCRIPTOR,
  SECCOMP_DESCRIPTOR,
  STATUS_DESCRIPTOR,
} from "./bubblewrap.ts";
import { createControlGroup } from "./cgroup.ts";
import { landlockLaunch } from "./landlock.ts";
import { type CommandLimits, limitedShell } from "./limits.ts";
import { macosArguments } from "./macos.ts";
import { ownNode } from "./own-node.ts";
import { seccompFilter } from "./seccomp.ts";
import { isReachable, type Workspace } from "./workspace.ts";

/** A process to start: everything about it that differs between the kinds of sandbox. */
export interface Launch {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Another user to become before the program starts. */
  readonly user?: { uid: number; gid: number };
  /** What the program reads from descriptors above the usual three. */
  readonly feeds: ReadonlyMap<number, Uint8Array>;
  /** Where the sandbox reports, so that its own failure is told from the command's. */
  readonly statusDescriptor?: number;
  /** The program itself ends what it started, when it is asked to end. */
  readonly supervised?: boolean;
  cleanUp(): Promise<void>;
}

/** Says how to start a command in a sandbox. */
export async function prepareLaunch(
  command: string,
  sandbox: Sandbox,
  workspace: Workspace,
  cwd: string,
  limits: CommandLimits,
): Promise<Launch> {
  switch (sandbox.tier) {
    case "bubblewrap": {
      const launch = await bubblewrapLaunch(command, sandbox.program ?? "bwrap", workspace, cwd, limits);
      return inControlGroup(launch, workspace, limits);
    }
    case "landlock": {
      const launch = await landlockLaunch(command, sandbox.program ?? "python3", workspace, cwd, limits);
      return inControlGroup(launch, workspace, limits);
    }
    case "macos": {
      const words = [...macosArguments(workspace), ...limitedShell(command, limits, false)];
      return plainLaunch(words, workspace, cwd);
    }
    case "bare":
      return plainLaunch(limitedShell(command, limits, false), workspace, cwd);
    default:
      throw new Failure("FORBIDDEN", `Commands cannot run here: there is no sandbox. ${sandbox.improve}`);
  }
}

/** The kernel does not limit the number of root's processes by itself, so those of a root-owned workspace get a group. */
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
 * Who the command is on the host decides who owns what it writes. An ordinary user stays who they are. Root becomes the
 * owner of the workspace; where that is root itself, it stays root in name, for as another user it could not write there.
 * Such a process has no capability anywhere, sees only what is mounted for it, cannot write to /proc and cannot set a
 * set-user-id bit; only its number of processes has to be counted by a control group, because root is exempt elsewhere.
 */
async function bubblewrapLaunch(
  command: string,
  program: string,
  workspace: Workspace,
  cwd: string,
  limits: CommandLimits,
): Promise<Launch> {
  const user = process.getuid?.() === 0 && workspace.owner.uid !== 0 ? workspace.owner : undefined;
  const reachable = async (path: string) => user === undefined || isReachable(path, user);
  for (const root of workspace.roots) if (!(await reachable(root))) throw notReachable();
  const node = (await reachable(process.execPath)) ? ownNode() : undefined;
  const filter = seccompFilter();
  const options = await bubblewrapArguments(workspace, cwd, limits, node, filter !== undefined);
  // Handed over by a descriptor, so that they are not in the list of processes.
  const words = [
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
    // The sandbox's first process shows its environment to the command, so it has none.
    env: {},
    cwd: "/",
    ...(user && { user }),
    feeds,
    statusDescriptor: STATUS_DESCRIPTOR,
    cleanUp: async () => {},
  };
}

function notReachable(): Failure {
  return new Failure(
    "FORBIDDEN",
    "The working folder belongs to a user who cannot reach it, because a folder above it is closed to them. " +
      "Open that folder to them (chmod o+x), or give the working folder to the user that runs Tackle (chown -R).",
  );
}

function plainLaunch(words: string[], workspace: Workspace, cwd: string): Launch {
  const [home = "/"] = workspace.roots;
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
  };
  return { words, env, cwd, feeds: new Map(), cleanUp: async () => {} };
}
