import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants, devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { Failure } from "../../protocol/failure.ts";
import type { Sandbox } from "../../protocol/tool.ts";
import { inheritedDescriptors } from "./inherited.ts";
import { type Launch, prepareLaunch } from "./launch.ts";
import { type CommandLimits, DEFAULT_LIMITS } from "./limits.ts";
import { captureOutput, type OutputStream } from "./output.ts";
import { watchUsage } from "./watch.ts";
import { isInside, prepareWorkspace } from "./workspace.ts";

/** What is kept of each stream. */
export const KEPT_OUTPUT_BYTES = 100_000;
/** How long the output may stay open after the command has ended: only what left the sandbox could hold it. */
const CLOSE_GRACE_MS = 2_000;
const MAX_STATUS_CHARACTERS = 10_000;

export interface ContainedOptions {
  /** The folder to run in: a real path inside the roots. */
  cwd: string;
  roots: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
  sandbox: Sandbox;
  onOutput?(stream: OutputStream, text: string): void;
  limits?: Partial<CommandLimits>;
  /** Paths that the command must neither see nor make. */
  protect?: readonly string[];
}

export interface ContainedResult {
  /** As a shell tells it: 128 and the signal's number when it was killed by one. */
  exitCode: number;
  signal?: NodeJS.Signals;
  stdout: string;
  stderr: string;
  durationMs: number;
  timedOut: boolean;
  /** Why it was stopped, when it used too much of something. */
  excess?: string;
  truncated: boolean;
  /** Bytes of each stream that are not kept. */
  cutBytes: Record<OutputStream, number>;
}

/**
 * Runs a shell command in a sandbox. It resolves when nothing of the command is left, however it ended; it rejects with
 * `CANCELLED` when the signal aborts, and with another `Failure` when the sandbox could not be set up.
 */
export async function runContained(command: string, options: ContainedOptions): Promise<ContainedResult> {
  const { sandbox, signal } = options;
  if (signal.aborted) throw cancelled();
  if (command.includes("\0")) throw new Failure("INVALID_INPUT", "A command cannot hold a NUL character.");
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const workspace = await prepareWorkspace(options.roots, options.protect ?? []);
  if (!workspace.roots.some((root) => isInside(root, options.cwd))) {
    throw new Failure("FORBIDDEN", "The directory is outside the folders that may be used.");
  }
  const launch = await prepareLaunch(command, sandbox, workspace, options.cwd, limits);
  try {
    return await execute(launch, options, limits);
  } finally {
    await launch.cleanUp();
  }
}

async function execute(
  launch: Launch,
  options: ContainedOptions,
  limits: CommandLimits,
): Promise<ContainedResult> {
  const began = performance.now();
  const child = start(launch);
  const status = readStatus(child, launch.statusDescriptor);
  let stop: { timedOut?: boolean; aborted?: boolean; excess?: string } | undefined;
  function stopBecause(reason: NonNullable<typeof stop>): void {
    stop ??= reason;
    killGroup(child);
  }
  const outputs = {
    stdout: captureOutput(KEPT_OUTPUT_BYTES, (text) => options.onOutput?.("stdout", text)),
    stderr: captureOutput(KEPT_OUTPUT_BYTES, (text) => options.onOutput?.("stderr", text)),
  };
  let printed = 0;
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.on("data", (chunk: Buffer) => {
      outputs[stream].add(chunk);
      printed += chunk.length;
      if (printed > limits.outputBytes) stopBecause({ excess: "it printed too much" });
    });
  }
  const timeout = setTimeout(() => stopBecause({ timedOut: true }), options.timeoutMs);
  const onAbort = () => stopBecause({ aborted: true });
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  const watch = child.pid && watchUsage(child.pid, options.cwd, limits, (excess) => stopBecause({ excess }));
  try {
    const ended = await ending(child);
    const { text: stdout, cutBytes: stdoutCut } = outputs.stdout.finish();
    const { text: stderr, cutBytes: stderrCut } = outputs.stderr.finish();
    if (stop?.aborted) throw cancelled();
    if (stop === undefined && status.failed()) throw notStarted(stderr);
    return {
      ...ended,
      stdout,
      stderr,
      durationMs: Math.round(performance.now() - began),
      timedOut: stop?.timedOut ?? false,
      ...(stop?.excess === undefined ? {} : { excess: stop.excess }),
      truncated: stdoutCut + stderrCut > 0,
      cutBytes: { stdout: stdoutCut, stderr: stderrCut },
    };
  } finally {
    clearTimeout(timeout);
    options.signal.removeEventListener("abort", onAbort);
    if (watch) watch.stop();
  }
}

function start(launch: Launch): ChildProcess {
  const [program = "", ...words] = launch.words;
  const nothing = openSync(devNull, "r");
  // Its own group and session: so that all of it can be killed, and has no terminal.
  const child = spawn(program, words, {
    cwd: launch.cwd,
    env: { ...launch.env },
    stdio: descriptorsFor(launch, nothing),
    detached: true,
    ...launch.user,
  });
  closeSync(nothing);
  running.add(child);
  killAllOnExit();
  for (const [descriptor, bytes] of launch.feeds) {
    const feed = child.stdio[descriptor] as Writable | undefined;
    feed?.on("error", () => {}); // It ended before it read this; how it ended says more.
    feed?.end(bytes);
  }
  return child;
}

/** What the process finds behind each descriptor; what we ourselves were left with is not handed on. */
function descriptorsFor(launch: Launch, nothing: number): ("ignore" | "pipe" | number)[] {
  const own = [
    ...launch.feeds.keys(),
    ...(launch.statusDescriptor === undefined ? [] : [launch.statusDescriptor]),
  ];
  const inherited = inheritedDescriptors();
  const highest = Math.max(2, ...own, ...inherited);
  return Array.from({ length: highest + 1 }, (_, descriptor) => {
    if (descriptor === 1 || descriptor === 2 || own.includes(descriptor)) return "pipe";
    return inherited.includes(descriptor) ? nothing : "ignore";
  });
}

/** Resolves when the process has ended and its output is read, and has made sure that nothing of its group is left. */
function ending(child: ChildProcess): Promise<{ exitCode: number; signal?: NodeJS.Signals }> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    child.once("error", (error) => {
      running.delete(child);
      reject(new Failure("TOOL_FAILED", "The sandbox could not be started.", { cause: error }));
    });
    child.once("exit", () => {
      killGroup(child);
      grace = setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
      }, CLOSE_GRACE_MS);
    });
    child.once("close", (code, signal) => {
      clearTimeout(grace);
      running.delete(child);
      if (signal === null) resolve({ exitCode: code ?? 1 });
      else resolve({ exitCode: 128 + constants.signals[signal], signal });
    });
  });
}

/** Follows what the sandbox reports: it tells of an exit code only when the command was reached. */
function readStatus(child: ChildProcess, descriptor: number | undefined): { failed(): boolean } {
  if (descriptor === undefined) return { failed: () => false };
  let text = "";
  const stream = child.stdio[descriptor] as Readable | undefined;
  stream?.on("error", () => {}); // Then there is no report, which counts as failed.
  stream?.on("data", (chunk: Buffer) => {
    if (text.length < MAX_STATUS_CHARACTERS) text += chunk.toString();
  });
  return { failed: () => !text.includes('"exit-code"') };
}

const running = new Set<ChildProcess>();
let exitIsWatched = false;

/** Where the sandbox does not die with us by itself, we take it along. */
function killAllOnExit(): void {
  if (exitIsWatched) return;
  exitIsWatched = true;
  process.on("exit", () => {
    for (const child of running) killGroup(child);
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // Nobody is left in it.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") child.kill("SIGKILL");
  }
}

function cancelled(): Failure {
  return new Failure("CANCELLED", "The command was stopped before it finished.");
}

function notStarted(stderr: string): Failure {
  return new Failure("TOOL_FAILED", "The sandbox could not be set up, so the command did not run.", {
    cause: new Error(stderr.slice(0, 1_000)),
  });
}
