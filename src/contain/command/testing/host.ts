import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Sandbox } from "../../../protocol/tool.ts";
import { type ContainedOptions, type ContainedResult, runContained } from "../../command.ts";

export const PYTHON = "/usr/bin/python3";

/** A host with secrets around a workspace: real sockets, files and processes. */
export interface ProbedHost {
  readonly workspace: string;
  readonly outside: string;
  readonly secret: string;
  readonly secretFile: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly unixSocket: string;
  readonly abstractSocket: string;
  readonly sleeper: { pid: number; mark: string };
  /** Our data directory, closed to others, and a key in it. */
  readonly dataDir: string;
  readonly keyFile: string;
  /** What processes share by number or by name. Anybody may use them. */
  readonly ipc: { memory: number; semaphores: number; queue: number; named: string };
  /** Makes the data directory as it was. */
  restore(): void;
  run(command: string, sandbox: Sandbox, options?: Partial<ContainedOptions>): Promise<ContainedResult>;
  close(): Promise<void>;
}

/** Sets up the host. The secret is in a file outside the workspace and in our own environment. */
export async function openProbedHost(): Promise<ProbedHost> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tackle-probes-")));
  const [workspace, outside] = [join(folder, "workspace"), join(folder, "outside")];
  // Permissions of the folder must not be what protects the rest.
  chmodSync(folder, 0o755);
  for (const path of [workspace, outside]) mkdirSync(path);
  const secret = `secret-${randomUUID()}`;
  const secretFile = join(outside, "secret.txt");
  writeFileSync(secretFile, secret);
  process.env.TACKLE_PROBE_SECRET = secret;
  const mark = `sleeper-${randomUUID()}`;
  const sleeper = spawn("/bin/sh", ["-c", "read line", mark], { stdio: ["pipe", "ignore", "ignore"] });
  const dataDir = join(folder, "data");
  const keyFile = join(dataDir, "key");
  function restore(): void {
    chmodSync(outside, 0o755);
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o700);
    rmSync(keyFile, { force: true });
    writeFileSync(keyFile, secret, { mode: 0o600 });
  }
  restore();
  const shared = await shareMemory();
  const unixSocket = join(outside, "service.sock");
  const abstractSocket = `tackle-${randomUUID()}`;
  const servers = await Promise.all([
    greet({ port: 0, host: "127.0.0.1" }),
    greet({ path: unixSocket }),
    greet({ path: `\0${abstractSocket}` }),
  ]);
  const udp = createSocket("udp4", (message, { port }) => udp.send(message, port, "127.0.0.1"));
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  return {
    workspace,
    outside,
    secret,
    secretFile,
    tcpPort: portOf(servers),
    udpPort: udp.address().port,
    unixSocket,
    abstractSocket,
    sleeper: { pid: sleeper.pid ?? 0, mark },
    dataDir,
    keyFile,
    ipc: shared.ipc,
    restore,
    run: (command, sandbox, options) =>
      runContained(command, {
        cwd: workspace,
        roots: [workspace],
        timeoutMs: 120_000,
        signal: new AbortController().signal,
        sandbox,
        ...options,
      }),
    close: () => close(servers, udp, [sleeper, shared.holder], folder),
  };
}

async function greet(address: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => {}); // The probe may hang up at any time.
    socket.end("hello");
  });
  server.listen(address);
  await once(server, "listening");
  return server;
}

function portOf([server]: Server[]): number {
  return (server?.address() as AddressInfo | undefined)?.port ?? 0;
}

/** Makes memory, semaphores and queues of the machine, as long as a process holds them. */
async function shareMemory(): Promise<{ ipc: ProbedHost["ipc"]; holder: ChildProcess }> {
  const named = `/tackle-${randomUUID()}`;
  const holder = spawn(PYTHON, ["-I", "-c", SHARE, named], { stdio: ["pipe", "pipe", "ignore"] });
  holder.on("error", () => {}); // Without Python nothing is probed.
  const numbers = await new Promise<number[]>((resolve) => {
    holder.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString().trim().split(" ").map(Number)));
    holder.once("close", () => resolve([]));
  });
  const [memory = -1, semaphores = -1, queue = -1] = numbers;
  return { ipc: { memory, semaphores, queue, named }, holder };
}

const SHARE = `
import ctypes, os, sys
libc = ctypes.CDLL(None)
name = sys.argv[1]
memory, semaphores, queue = libc.shmget(0, 4096, 0o1666), libc.semget(0, 1, 0o1666), libc.msgget(0, 0o1666)
os.umask(0)
libc.mq_open(name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
file = os.open("/dev/shm" + name, os.O_CREAT | os.O_RDWR, 0o666)
print(memory, semaphores, queue, flush=True)
sys.stdin.read()
libc.shmctl(memory, 0, None); libc.semctl(semaphores, 0, 0); libc.msgctl(queue, 0, None)
libc.mq_unlink(name.encode()); os.unlink("/dev/shm" + name)
`;

async function close(
  servers: Server[],
  udp: Socket,
  [sleeper, holder]: [ChildProcess, ChildProcess],
  folder: string,
): Promise<void> {
  delete process.env.TACKLE_PROBE_SECRET;
  for (const server of servers) server.close();
  udp.close();
  sleeper.kill("SIGKILL");
  holder.stdin?.end();
  rmSync(folder, { recursive: true, force: true });
}

/** Processes of the host whose command line contains a text. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && commandLineOf(pid).includes(text));
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // It has ended in the meantime.
  }
}

/** Waits for a condition, a limited number of times. */
export async function until(condition: () => boolean): Promise<boolean> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (condition()) return true;
    await delay(25);
  }
  return condition();
}

/** Returns why the probes cannot run here, or undefined if they can. */
export function missingForProbes(sandbox: Sandbox): string | undefined {
  if (sandbox.tier !== "bubblewrap" && sandbox.tier !== "landlock") return sandbox.detail;
  return existsSync(PYTHON) ? undefined : `The probes are written in Python and ${PYTHON} is not there.`;
}
