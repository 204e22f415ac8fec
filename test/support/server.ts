import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { writeEmptyDatabase } from "../../src/store/testing/empty.ts";
import { startHosted } from "./hosted-server.ts";
import { isLong } from "./long.ts";

/** The `tackle` command: the bundle that `npm test` and `npm start` build, or the sources. */
export const command = process.env.TACKLE_BUNDLE ?? resolve(import.meta.dirname, "../../bin/tackle.mjs");
export const compiled = resolve(import.meta.dirname, "../../node_modules/.cache/tackle");
const PATH_WITH_NODE = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
/**
 * The command's own flags keep a server small that runs for long, and make its start a fourth slower. Benches, `npm run test:long`,
 * `test/command-flags.test.ts` and `src/cli.test.ts` use them.
 */
const isBrief = process.env.VITEST === "true" && !isLong;
/** The command with what its process takes, in the order of `spawn`. */
export const tackleCommand: readonly [string, ...string[]] = isBrief
  ? [process.execPath, "--max-semi-space-size=32", command]
  : [command];

export interface ServerProcess {
  url: string;
  dataDir: string;
  /** Everything it has printed so far. */
  output(): string;
  /** Lets it end what it does, as at SIGTERM. */
  stop(): Promise<unknown>;
}

/** A server that has its process for itself. */
export interface OwnProcess extends ServerProcess {
  child: ChildProcess;
  /** Sends SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

/** Creates a temporary folder that the test removes. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "tackle-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Writes an empty database to a new data directory, which a server would need longer to create. */
export async function prepareData(dataDir: string): Promise<void> {
  const isNew = !existsSync(dataDir) || readdirSync(dataDir).length === 0;
  if (isBrief && isNew) await writeEmptyDatabase(join(dataDir, "tackle.db"));
}

/** What a server is told, instead of this machine's environment. */
function environment(dataDir: string, env: Record<string, string>): Record<string, string> {
  return {
    PATH: PATH_WITH_NODE,
    HOME: dataDir,
    OLLAMA_BASE_URL: "http://127.0.0.1:9",
    TACKLE_DEMO_TOKENS_PER_SECOND: "0",
    // Tests find sessions by what they asked, and script what models answer.
    TACKLE_TITLE_MODEL: "off",
    // Most tests ask little of a server, and none depends on the speed of its first answers.
    TACKLE_REHEARSE: "0",
    // The command uses this folder anyway. Its threads do so only if it is named here: an eighth of the time of a start.
    NODE_COMPILE_CACHE: compiled,
    ...env,
  };
}

/** Starts a server on a free port. In `npm test` it shares its process with those of other tests in the same worker. */
export async function startServer(dataDir: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  if (!isBrief) return startOwnServer(dataDir, env);
  if (env.DATABASE_URL === undefined) await prepareData(dataDir);
  return { dataDir, ...(await startHosted(dataDir, environment(dataDir, env))) };
}

/** Starts `tackle serve` in a child process on a free port. */
export async function startOwnServer(
  dataDir: string,
  env: Record<string, string> = {},
  program = command,
): Promise<OwnProcess> {
  if (program === command && env.DATABASE_URL === undefined) await prepareData(dataDir);
  const [file, ...before] = program === command ? tackleCommand : [program];
  const child = spawn(file, [...before, "serve", "--port", "0", "--data", dataDir], {
    env: environment(dataDir, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  const ready = Promise.withResolvers<string>();
  const read = (chunk: Buffer) => {
    printed += chunk.toString();
    const url = /https?:\/\/[\d.]+:\d+/.exec(printed)?.[0];
    if (url) ready.resolve(url);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.once("exit", (code) => ready.reject(new Error(`the server ended with ${code}: ${printed}`)));
  const url = await ready.promise;
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  return {
    url,
    dataDir,
    child,
    output: () => printed,
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
  };
}

/** Runs the `tackle` command to its end. Returns its exit code and everything that it printed. */
export function runTackle(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; said: string }> {
  const [file, ...before] = tackleCommand;
  const options = { env: { PATH: PATH_WITH_NODE, NODE_COMPILE_CACHE: compiled, ...env } };
  return new Promise((done) =>
    execFile(file, [...before, ...args], options, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    ),
  );
}

/** Returns settings that use a scripted upstream as the model. */
export function modelAt(url: string): Record<string, string> {
  return {
    OPENAI_API_KEY: "test-key",
    OPENAI_BASE_URL: `${url}/v1`,
    TACKLE_MODEL: "openai/gpt-4o",
  };
}
