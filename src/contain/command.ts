import type { CommandNetwork, CommandProfile } from "../protocol/commands.ts";
import { Failure } from "../protocol/failure.ts";
import type { Sandbox } from "../protocol/tool.ts";
import { startChild } from "./command/child.ts";
import { type Launch, prepareLaunch } from "./command/launch.ts";
import { type CommandLimits, DEFAULT_LIMITS } from "./command/limits.ts";
import { createLiveOutput } from "./command/live-output.ts";
import { captureOutput, type OutputStream } from "./command/output.ts";
import { createdSince, findSensitive } from "./command/sensitive.ts";
import { watchUsage } from "./command/watch.ts";
import { isInside, prepareWorkspace, realRoots } from "./command/workspace.ts";

/** Bytes that are kept of the beginning and of the end of each stream. */
export const KEPT_OUTPUT_BYTES = 500_000;

export interface ContainedOptions {
  /** The folder to run in: a real path inside the roots. */
  cwd: string;
  roots: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
  sandbox: Sandbox;
  onOutput?(stream: OutputStream, text: string): void;
  limits?: Partial<CommandLimits>;
  /** Paths that the command must neither see nor create. */
  protect?: readonly string[];
  /** The command can change nothing in the roots. */
  readOnly?: boolean;
  /** A home folder, programs and settings. Without it the home is the first root. */
  profile?: CommandProfile;
  /** A network that it shares with others. Without it there is none. */
  network?: Pick<CommandNetwork, "namespaces" | "variables">;
  /** Gets both streams as they come. */
  onBytes?(chunk: Buffer): void;
}

export interface ContainedResult {
  /** As in a shell: 128 plus the signal's number when a signal killed it. */
  exitCode: number;
  signal?: NodeJS.Signals;
  stdout: string;
  stderr: string;
  durationMs: number;
  timedOut: boolean;
  /** The limit that it exceeded, if it was stopped for that. */
  excess?: string;
  truncated: boolean;
  /** Bytes of each stream that were dropped. */
  cutBytes: Record<OutputStream, number>;
  /** New files from which programs of the person run code or take instructions. */
  created: readonly string[];
}

/**
 * Runs a shell command in a sandbox. Resolves when all of its processes have ended. Rejects with CANCELLED when the signal
 * aborts, and with another `Failure` when the sandbox could not be set up.
 */
export async function runContained(command: string, options: ContainedOptions): Promise<ContainedResult> {
  const { sandbox, signal } = options;
  if (signal.aborted) throw cancelled();
  if (command.includes("\0")) throw new Failure("INVALID_INPUT", "A command cannot hold a NUL character.");
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const sensitive = await findSensitive(await realRoots(options.roots), options.cwd);
  const workspace = await prepareWorkspace(options.roots, options.protect ?? [], {
    readOnly: options.readOnly ?? false,
    readOnlyPaths: sensitive.existing,
  });
  if (!workspace.roots.some((root) => isInside(root, options.cwd))) {
    throw new Failure("FORBIDDEN", "The directory is outside the folders that may be used.");
  }
  const launch = await prepareLaunch(command, sandbox, workspace, options.cwd, limits, options);
  try {
    if (signal.aborted) throw cancelled();
    const result = await execute(launch, options, limits);
    return { ...result, created: options.readOnly ? [] : await createdSince(sensitive) };
  } finally {
    await launch.cleanUp();
  }
}

async function execute(
  launch: Launch,
  options: ContainedOptions,
  limits: CommandLimits,
): Promise<Omit<ContainedResult, "created">> {
  const began = performance.now();
  const child = await startChild(launch);
  let stop: { timedOut?: boolean; aborted?: boolean; excess?: string } | undefined;
  function stopBecause(reason: NonNullable<typeof stop>): void {
    if (stop !== undefined) return;
    stop = reason;
    child.kill();
  }
  const outputs = {
    stdout: captureOutput(KEPT_OUTPUT_BYTES),
    stderr: captureOutput(KEPT_OUTPUT_BYTES),
  };
  const live = {
    stdout: createLiveOutput((text) => options.onOutput?.("stdout", text)),
    stderr: createLiveOutput((text) => options.onOutput?.("stderr", text)),
  };
  let printed = 0;
  for (const stream of ["stdout", "stderr"] as const) {
    child.output[stream].on("data", (chunk: Buffer) => {
      outputs[stream].add(chunk);
      if (options.onOutput) live[stream].add(chunk);
      options.onBytes?.(chunk);
      printed += chunk.length;
      if (printed > limits.outputBytes) stopBecause({ excess: "it printed too much" });
    });
  }
  const timeout = setTimeout(() => stopBecause({ timedOut: true }), options.timeoutMs);
  const onAbort = () => stopBecause({ aborted: true });
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  const watch =
    child.pid && watchUsage(child.pid, launch.writes, limits, (excess) => stopBecause({ excess }));
  try {
    const ended = await child.ended().finally(() => {
      for (const stream of Object.values(live)) stream.end();
    });
    const { text: stdout, cutBytes: stdoutCut } = outputs.stdout.finish();
    const { text: stderr, cutBytes: stderrCut } = outputs.stderr.finish();
    if (stop?.aborted) throw cancelled();
    if (stop === undefined && child.sandboxFailed()) throw notStarted(stderr);
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

function cancelled(): Failure {
  return new Failure("CANCELLED", "The command was stopped before it finished.");
}

function notStarted(stderr: string): Failure {
  return new Failure("TOOL_FAILED", "The sandbox could not be set up, so the command did not run.", {
    cause: new Error(stderr.slice(0, 1_000)),
  });
}
