import { chown, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Failure } from "../../protocol/failure.ts";
import { readableSettings, SYSTEM } from "./bubblewrap.ts";
import { LANDLOCK_HELPER } from "./landlock-helper.ts";
import type { Launch } from "./launch.ts";
import { type CommandLimits, limitedShell } from "./limits.ts";
import { ownNode } from "./own-node.ts";
import { seccompFilter } from "./seccomp.ts";
import type { Workspace } from "./workspace.ts";

const STATUS_DESCRIPTOR = 3;
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/**
 * How to start a command under Landlock, where user namespaces are not to be had. It leaves more open than bubblewrap:
 * that files exist and what they are called can be seen, and their permissions changed where they are one's own.
 */
export async function landlockLaunch(
  command: string,
  python: string,
  workspace: Workspace,
  cwd: string,
  limits: CommandLimits,
): Promise<Launch> {
  const filter = seccompFilter(process.arch, { sockets: false });
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
  const user = process.getuid?.() === 0 && workspace.owner.uid !== 0 ? workspace.owner : null;
  if (user) await chown(temporary, user.uid, user.gid);
  const [home = "/"] = workspace.roots;
  const node = ownNode();
  const settings = {
    env: {
      PATH: `/usr/local/bin:/usr/bin:/bin:${dirname(node.program)}`,
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      TMPDIR: temporary,
      // Git takes a file that it may not read for a broken one.
      GIT_CONFIG_NOSYSTEM: "1",
    },
    parent: process.pid,
    status: STATUS_DESCRIPTOR,
    user,
    processes: limits.processes,
    read: [...SYSTEM, ...readableSettings(), node.program, ...(node.npm ? [node.npm] : [])],
    write: [...workspace.roots, temporary, ...DEVICES],
    filter: filter.toString("base64"),
  };
  const words = [
    python,
    "-I",
    "-c",
    LANDLOCK_HELPER,
    JSON.stringify(settings),
    ...limitedShell(command, limits, false),
  ];
  return {
    words,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      TMPDIR: temporary,
    },
    cwd,
    feeds: new Map(),
    statusDescriptor: STATUS_DESCRIPTOR,
    supervised: true,
    cleanUp: () => rm(temporary, { recursive: true, force: true }),
  };
}
