import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { LocalServer } from "./settings.ts";

/** All that a server is given of our environment: keys of ours are not its business. */
const GIVEN_VARIABLES = ["PATH", "HOME", "LANG", "TMPDIR"];
const MAX_MESSAGE_BYTES = 10_000_000;
const MAX_COMPLAINT = 2_000;
/** How long a server may take to end once its input is closed, and again once it was asked to. */
const END_GRACE_MS = 1_000;

/**
 * A server as a child process, spoken to over its standard input and output. No shell is involved: arguments arrive as
 * they are. It leads a process group of its own, so that whatever it starts ends with it.
 */
export class LocalTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly server: LocalServer;
  private readonly incoming = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  private child: ChildProcessWithoutNullStreams | undefined;
  private ended: Promise<void> = Promise.resolve();
  private complaint = "";

  constructor(server: LocalServer) {
    this.server = server;
  }

  async start(): Promise<void> {
    const { args, env, cwd } = this.server;
    const program = await findProgram(this.server);
    const child = spawn(program, args, {
      cwd,
      env: { ...givenEnvironment(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      detached: true,
      windowsHide: true,
    });
    this.child = child;
    endWithUs(this);
    this.ended = new Promise((resolve) => {
      child.once("close", () => {
        running.delete(this);
        this.kill("SIGKILL"); // What it left behind in its group.
        this.child = undefined;
        resolve();
        this.onclose?.();
      });
    });
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("data", (chunk: Buffer) => this.read(chunk));
    child.stdout.on("error", (error) => this.onerror?.(error));
    child.stderr.on("data", (chunk: Buffer) => {
      this.complaint = (this.complaint + chunk.toString("utf8")).slice(-MAX_COMPLAINT);
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        running.delete(this);
        this.child = undefined;
        reject(error);
      });
    });
    child.on("error", (error) => this.onerror?.(error));
  }

  /** The end of what it wrote to its standard error, where programs tell why they end. */
  lastWords(): string {
    return this.complaint;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { child } = this;
    if (!child?.stdin.writable) throw new Error("the server is not running");
    if (child.stdin.write(serializeMessage(message))) return;
    await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), this.ended]);
  }

  /** Closes its input, then asks it to end, then ends it. */
  async close(): Promise<void> {
    const { child } = this;
    if (!child) return;
    child.stdin.end();
    if (await this.endsWithin(END_GRACE_MS)) return;
    this.kill("SIGTERM");
    if (await this.endsWithin(END_GRACE_MS)) return;
    this.kill("SIGKILL");
    // A grandchild that left the group may hold the pipes open; it is not waited for.
    child.stdout.destroy();
    child.stderr.destroy();
    await this.endsWithin(END_GRACE_MS);
  }

  private read(chunk: Buffer): void {
    try {
      this.incoming.append(chunk);
    } catch (error) {
      this.incoming.clear();
      this.onerror?.(error instanceof Error ? error : new Error("a message is too large"));
      this.kill("SIGKILL");
      return;
    }
    for (;;) {
      try {
        const message = this.incoming.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // One line that is not a message, such as a greeting, does not end the connection.
        this.onerror?.(error instanceof Error ? error : new Error("a line is not a message"));
      }
    }
  }

  private async endsWithin(milliseconds: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds);
    });
    try {
      return await Promise.race([this.ended.then(() => true), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends a signal to it and all that it started. */
  kill(signal: NodeJS.Signals): void {
    const pid = this.child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") this.child?.kill(signal);
    }
  }
}

const running = new Set<LocalTransport>();

/** However we end, our servers do not stay behind. */
function endWithUs(transport: LocalTransport): void {
  if (running.size === 0) {
    process.off("exit", endAll);
    process.on("exit", endAll);
  }
  running.add(transport);
}

function endAll(): void {
  for (const transport of running) transport.kill("SIGKILL");
}

function givenEnvironment(): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of GIVEN_VARIABLES) {
    const value = process.env[name];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** The file that a command stands for; it is never looked for in the folder that we happen to be in. */
async function findProgram({ command, cwd, env }: LocalServer): Promise<string> {
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder?.isDirectory()) throw new Error(`there is no folder "${cwd}" to run it in`);
  const hasFolder = /[/\\]/.test(command);
  const folders = (env.PATH ?? process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  const candidates = hasFolder ? [resolve(cwd, command)] : folders.map((folder) => join(folder, command));
  for (const candidate of candidates) {
    const runs = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return candidate;
  }
  throw new Error(`there is no program "${command}"${hasFolder ? "" : " on the PATH"}`);
}
