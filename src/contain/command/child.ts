import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants, devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { Failure } from "../../protocol/failure.ts";
import { inheritedDescriptors } from "./inherited.ts";
import type { Launch } from "./launch.ts";
import type { OutputStream } from "./output.ts";
import { createOutputPipes, type OutputPipes, releaseDescriptors } from "./pipes.ts";

/** How long the output may stay open after the command has ended. */
const CLOSE_GRACE_MS = 2_000;
const MAX_STATUS_CHARACTERS = 10_000;

/** A started command. */
export interface Child {
  readonly pid: number | undefined;
  readonly output: Record<OutputStream, Readable>;
  /** Kills all of its processes. */
  kill(): void;
  /** Resolves when it has ended and its output is read. No process of it is left then. */
  ended(): Promise<{ exitCode: number; signal?: NodeJS.Signals }>;
  /** Whether the sandbox failed before it started the command. */
  sandboxFailed(): boolean;
}

/** Starts a command in its own process group and session. */
export async function startChild(launch: Launch): Promise<Child> {
  const pipes = await createOutputPipes().catch((error: unknown) => {
    throw new Failure("TOOL_FAILED", "The command's output could not be connected.", { cause: error });
  });
  const child = spawnWith(launch, pipes);
  const ending = watchEnd(child, pipes);
  const kill = () => (launch.supervised ? endSupervised(child) : killGroup(child));
  running.set(child, kill);
  killAllOnExit();
  for (const [descriptor, bytes] of launch.feeds) {
    const feed = child.stdio[descriptor] as Writable | undefined;
    feed?.on("error", () => {}); // It ended before it read this.
    feed?.end(bytes);
  }
  return {
    pid: child.pid,
    output: { stdout: pipes.stdout.reader, stderr: pipes.stderr.reader },
    kill,
    ended: () => ending,
    sandboxFailed: followStatus(child, launch.statusDescriptor),
  };
}

function spawnWith(launch: Launch, pipes: OutputPipes): ChildProcess {
  const [program = "", ...words] = launch.words;
  const nothing = openSync(devNull, "r");
  try {
    const stdio = descriptorsFor(launch, pipes, nothing);
    return spawn(program, words, {
      cwd: launch.cwd,
      env: { ...launch.env },
      stdio,
      detached: true,
      ...launch.user,
    });
  } finally {
    closeSync(nothing);
    releaseDescriptors(pipes);
  }
}

/** The stdio of the process. Descriptors that we inherited are closed for it. */
function descriptorsFor(launch: Launch, pipes: OutputPipes, nothing: number): ("ignore" | "pipe" | number)[] {
  const found = new Map<number, "pipe" | number>();
  for (const descriptor of inheritedDescriptors()) found.set(descriptor, nothing);
  for (const descriptor of launch.feeds.keys()) found.set(descriptor, "pipe");
  for (const [descriptor, ours] of launch.descriptors ?? []) found.set(descriptor, ours);
  if (launch.statusDescriptor !== undefined) found.set(launch.statusDescriptor, "pipe");
  found.set(1, pipes.stdout.descriptor).set(2, pipes.stderr.descriptor);
  return Array.from(
    { length: Math.max(...found.keys()) + 1 },
    (_, descriptor) => found.get(descriptor) ?? "ignore",
  );
}

/** Waits until the process has ended and its output is read. Kills the rest of its group. */
async function watchEnd(
  child: ChildProcess,
  pipes: OutputPipes,
): Promise<{ exitCode: number; signal?: NodeJS.Signals }> {
  const readers = [pipes.stdout.reader, pipes.stderr.reader];
  const closed = Promise.all(
    [child, ...readers].map((end) => new Promise((resolve) => end.once("close", resolve))),
  );
  function cutOff(): void {
    for (const stream of [...readers, ...child.stdio]) stream?.destroy();
  }
  for (const reader of readers) reader.on("error", cutOff);
  try {
    const { code, signal } = await exitOf(child);
    killGroup(child);
    const grace = setTimeout(cutOff, CLOSE_GRACE_MS);
    await closed;
    clearTimeout(grace);
    if (signal === null) return { exitCode: code ?? 1 };
    return { exitCode: 128 + constants.signals[signal], signal };
  } catch (error) {
    cutOff();
    throw new Failure("TOOL_FAILED", "The sandbox could not be started.", { cause: error });
  } finally {
    running.delete(child);
  }
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** The sandbox only reports an exit code if it started the command. */
function followStatus(child: ChildProcess, descriptor: number | undefined): () => boolean {
  if (descriptor === undefined) return () => false;
  let text = "";
  const stream = child.stdio[descriptor] as Readable | undefined;
  stream?.on("error", () => {}); // A missing report counts as failed.
  stream?.on("data", (chunk: Buffer) => {
    if (text.length < MAX_STATUS_CHARACTERS) text += chunk.toString();
  });
  return () => !text.includes('"exit-code"');
}

/** How to kill each running child. */
const running = new Map<ChildProcess, () => void>();
let exitIsWatched = false;

/** Kills all children on exit, for sandboxes that do not end with their parent. */
function killAllOnExit(): void {
  if (exitIsWatched) return;
  exitIsWatched = true;
  process.on("exit", () => {
    for (const end of running.values()) end();
  });
}

/** Asks the supervisor to end everything, and kills it if it does not. */
function endSupervised(child: ChildProcess): void {
  child.kill("SIGTERM");
  const impatience = setTimeout(() => killGroup(child), CLOSE_GRACE_MS);
  child.once("exit", () => clearTimeout(impatience));
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // The group has no processes left.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") child.kill("SIGKILL");
  }
}
