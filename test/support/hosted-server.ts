import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { HostAnswer, HostRequest } from "./server-host.ts";

export interface HostedServer {
  url: string;
  /** What it has printed so far, and what other servers of this process have printed meanwhile. */
  output(): string;
  stop(): Promise<void>;
}

interface Host {
  ask(request: (number: number) => HostRequest): Promise<HostAnswer>;
  printed(): string;
}

const PROGRAM = join(import.meta.dirname, "server-host.ts");
const { TACKLE_BUNDLE } = process.env;
/** The product as a library: the bundle that `npm test` has built, or the sources. */
const LIBRARY = TACKLE_BUNDLE
  ? join(dirname(TACKLE_BUNDLE), "index.mjs")
  : resolve(import.meta.dirname, "../../src/index.ts");

/** Each worker of the test runner has one host. */
let host: Host | undefined;

/**
 * Starts a server in the process that serves those of all tests in this worker. It costs a fifth of what a separate process
 * costs. It has the settings in `env`, but not its own environment, signals and exit code.
 */
export async function startHosted(dataDir: string, env: Record<string, string>): Promise<HostedServer> {
  host ??= startHost(env.PATH ?? "", env.NODE_COMPILE_CACHE ?? "");
  const { ask, printed } = host;
  const before = printed().length;
  let started = 0;
  const answer = await ask((number) => {
    started = number;
    return { number, start: { dataDir, env } };
  });
  if (!("url" in answer)) throw new Error(`the server did not start: ${JSON.stringify(answer)}`);
  const { url, setUpToken } = answer;
  const link = setUpToken === undefined ? "" : `${url}/?setup=${setUpToken}\n`;
  let stopped: Promise<HostAnswer> | undefined;
  return {
    url,
    output: () => link + printed().slice(before),
    async stop() {
      stopped ??= ask((number) => ({ number, stop: started }));
      const end = await stopped;
      if ("problem" in end) throw new Error(`the server did not stop: ${end.problem}`);
    },
  };
}

/** The host ends with the worker. */
function startHost(path: string, compiled: string): Host {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--max-semi-space-size=32", PROGRAM, pathToFileURL(LIBRARY).href],
    {
      env: { PATH: path, NODE_COMPILE_CACHE: compiled },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const ended = once(child, "exit").then(([code, signal]): never => {
    host = undefined;
    throw new Error(`the process of the servers ended with ${code ?? signal}: ${printed.slice(-4_000)}`);
  });
  ended.catch(() => {}); // Whoever waits for an answer is told.
  let asked = 0;
  const waiting = new Map<number, (answer: HostAnswer) => void>();
  child.on("message", (answer: HostAnswer) => waiting.get(answer.number)?.(answer));
  return {
    printed: () => printed,
    ask(request) {
      const number = ++asked;
      const { promise, resolve: told } = Promise.withResolvers<HostAnswer>();
      waiting.set(number, told);
      if (child.connected) child.send(request(number));
      return Promise.race([promise, ended]).finally(() => waiting.delete(number));
    },
  };
}
