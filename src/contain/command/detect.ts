import { constants } from "node:fs";
import { access, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { Sandbox } from "../../protocol/tool.ts";
import { runContained } from "../command.ts";
import { seccompFilter } from "./seccomp.ts";

const PROBE_TIMEOUT_MS = 10_000;
const MARK = "contained";

export interface DetectOptions {
  /** The operator allows unconfined commands (TACKLE_UNSAFE_COMMANDS=1). */
  unsafe?: boolean;
  /** Tiers that are not tried. */
  without?: readonly Sandbox["tier"][];
  /** Where to look for programs, in the form of PATH. */
  searchPath?: string;
}

/** Finds the best sandbox that works here by running a command in it. Never throws. */
export async function detectSandbox(options: DetectOptions = {}): Promise<Sandbox> {
  const best = await bestSandbox(options);
  if (best.tier !== "none" || !options.unsafe) return best;
  return {
    tier: "bare",
    detail:
      "Commands run without a sandbox, because TACKLE_UNSAFE_COMMANDS is set: they can do whatever you can.",
    improve: best.improve,
  };
}

async function bestSandbox({
  without = [],
  searchPath = usualSearchPath(),
}: DetectOptions): Promise<Sandbox> {
  const wanted = (tier: Sandbox["tier"]) => !without.includes(tier);
  if (process.platform === "darwin" && wanted("macos")) return macos();
  if (process.platform !== "linux") {
    return none(
      "Commands can be confined on Linux and macOS only.",
      "Run Tackle on Linux, for example in WSL or a container.",
    );
  }
  const first = wanted("bubblewrap") ? await bubblewrap(searchPath) : none("bubblewrap is not wanted.", "");
  if (first.tier !== "none" || !wanted("landlock")) return first;
  const second = await landlock(searchPath, first.improve);
  if (typeof second !== "string") return second;
  return { ...first, improve: `${first.improve} Landlock, which contains less, would do as well: ${second}` };
}

/** Returns what is missing where Landlock does not work. */
async function landlock(searchPath: string, improve: string): Promise<Sandbox | string> {
  const program = await findProgram("python3", searchPath);
  if (program === undefined) return "install python3, on Linux 6.12 or newer.";
  if (seccompFilter() === undefined) return "it needs an x64 or arm64 processor.";
  const sandbox: Sandbox = {
    tier: "landlock",
    program,
    detail:
      `Commands run under Landlock${asUser()}, with a system call filter: no network, changes in the open folders alone; ` +
      "names and sizes of other files can be seen.",
    improve: `bubblewrap contains more: ${improve}`,
  };
  const problem = await problemWith(sandbox);
  return problem === undefined ? sandbox : `it does not work here (${problem}).`;
}

async function bubblewrap(searchPath: string): Promise<Sandbox> {
  const program = await findProgram("bwrap", searchPath);
  if (program === undefined) {
    return none(
      "bubblewrap is not installed.",
      "Install the package bubblewrap, version 0.8 or newer, and start again.",
    );
  }
  const filter = seccompFilter()
    ? "with a system call filter"
    : `without a system call filter on ${process.arch}`;
  const sandbox: Sandbox = {
    tier: "bubblewrap",
    program,
    detail: `Commands run in bubblewrap${asUser()}, ${filter}: no network, no host processes, writes in the open folders alone.`,
    improve: "",
  };
  const problem = await problemWith(sandbox);
  if (problem === undefined) return sandbox;
  const improve = improvementFor(problem);
  // On some systems only root may make user namespaces.
  const asRoot: Sandbox = {
    ...sandbox,
    keepsRoot: true,
    detail: `Commands run in bubblewrap, as root without any capability, ${filter}: no network, no host processes, writes in the open folders alone.`,
    improve: `To let commands run as a user without privileges: ${improve}`,
  };
  if (process.getuid?.() === 0 && (await problemWith(asRoot)) === undefined) return asRoot;
  return none(`bubblewrap is installed but does not work here (${problem}).`, improve);
}

/** Root does not run commands as root. */
function asUser(): string {
  return process.getuid?.() === 0 ? " as a user without privileges" : "";
}

/** How an administrator can fix a common problem. */
function improvementFor(problem: string): string {
  if (/unknown option/i.test(problem)) return "Install bubblewrap 0.8 or newer and start again.";
  return (
    "Allow user namespaces: on Ubuntu an AppArmor profile for bwrap, or " +
    "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`; on Debian `sysctl kernel.unprivileged_userns_clone=1`; " +
    "in Docker `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`."
  );
}

async function macos(): Promise<Sandbox> {
  const problem = await problemWith({ tier: "macos", detail: "", improve: "" });
  if (problem !== undefined)
    return none(`sandbox-exec does not work here (${problem}).`, "Run Tackle in a Linux container.");
  return {
    tier: "macos",
    detail:
      "Commands run under sandbox-exec: no network, writes in the open folders alone; host processes can be listed.",
    improve: "On Linux, bubblewrap confines them further.",
  };
}

/** Runs a command in the sandbox. Returns a problem, or undefined where it works. */
async function problemWith(sandbox: Sandbox): Promise<string | undefined> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tackle-sandbox-")));
  try {
    const result = await runContained(`echo ${MARK} > proof && cat proof`, {
      cwd: folder,
      roots: [folder],
      timeoutMs: PROBE_TIMEOUT_MS,
      signal: new AbortController().signal,
      sandbox,
    });
    if (result.exitCode === 0 && result.stdout.trim() === MARK) return undefined;
    return oneLine(result.stderr) || `it ended with ${result.exitCode}`;
  } catch (error) {
    return oneLine(reasonOf(error));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
}

function oneLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 200);
}

/** The system's folders come first, because other folders in PATH may belong to anyone. */
function usualSearchPath(): string {
  return ["/usr/bin", "/bin", "/usr/local/bin", process.env.PATH ?? ""].join(delimiter);
}

async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  const folders = searchPath.split(delimiter).filter((path) => isAbsolute(path));
  for (const folder of folders) {
    const path = join(folder, name);
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false, // Not in this folder.
    );
    if (found) return path;
  }
  return undefined;
}

function none(detail: string, improve: string): Sandbox {
  return { tier: "none", detail: `${detail} Commands are not offered.`, improve };
}
