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
import { settlesWithin } from "../../protocol/abortable.ts";
import type { LocalServer } from "./settings.ts";

/** The variables of our environment that a server gets. It must not see our keys. */
const GIVEN_VARIABLES = ["PATH", "HOME", "LANG", "TMPDIR"];
const MAX_MESSAGE_BYTES = 10_000_000;
const MAX_COMPLAINT = 2_000;
/** How long a server may take to end after its input is closed, and again after SIGTERM. */
const END_GRACE_MS = 1_000;

/**
 * A server that runs as a child process and communicates over standard input and output. It is started without a shell,
 * and in its own process group, so that everything that it starts ends with it.
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
  wasStarted = false;

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
        this.kill("SIGKILL"); // Other processes of its group.
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
    this.wasStarted = true;
  }

  /** By these two, the library knows that this is a local server: silence means that it is an older one. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  get stderr(): null {
    return null;
  }

  /** The end of its standard error, where programs usually say why they end. */
  lastWords(): string {
    return this.complaint;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { child } = this;
    if (!child?.stdin.writable) throw new Error("the server is not running");
    if (child.stdin.write(serializeMessage(message))) return;
    await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), this.ended]);
  }

  /** Closes its input, then sends SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    const { child } = this;
    if (!child) return;
    child.stdin.end();
    if (await this.endsWithin(END_GRACE_MS)) return;
    this.kill("SIGTERM");
    if (await this.endsWithin(END_GRACE_MS)) return;
    this.kill("SIGKILL");
    // A grandchild that left the group may keep the pipes open.
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
        // A line that is not a message, such as a greeting, does not end the connection.
        this.onerror?.(error instanceof Error ? error : new Error("a line is not a message"));
      }
    }
  }

  private endsWithin(milliseconds: number): Promise<boolean> {
    return settlesWithin(this.ended, milliseconds);
  }

  /** Sends a signal to its process group. */
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

/** Makes sure that the server ends when this process does. */
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

function givenEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(GIVEN_VARIABLES.map((name) => [name, process.env[name]]));
}

/** Finds the program of a command. The current folder is never searched. */
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
