import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { CompiledComponent } from "./frame/compile.ts";
import type { Content, Shown } from "./frame/content.ts";
import type { ProcessedArtifact, RawArtifact } from "./pipeline.ts";

/** Work for the process that reads what models wrote. */
export type Order =
  | { task: "warm"; input?: undefined }
  | { task: "process"; input: RawArtifact }
  | { task: "compile"; input: { code: string } }
  | { task: "content"; input: Shown };

/** What no honest artifact takes. */
const LONGEST_MS = 8_000;
const IDLE_MS = 5 * 60_000;
const PROGRAM = fileURLToPath(new URL(`./worker-process${extname(import.meta.url)}`, import.meta.url));

/** Thrown where the process died of the code, or had to be ended. */
class Unreadable extends Error {}

let child: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;
let nextId = 0;
/** One order at a time: so it is known which one a crash belongs to. */
let queue: Promise<unknown> = Promise.resolve();

/** Takes what a model wrote through all checks and repairs of its type, in a process of its own. Never throws for what is in the code. */
export async function processInWorker(raw: RawArtifact): Promise<ProcessedArtifact> {
  try {
    const processed = await order<ProcessedArtifact>({ task: "process", input: raw });
    // It will be shown: it is compiled before anybody asks. Whoever asks hears of trouble.
    if (raw.type === "react" && processed.ok) compileInWorker(processed.code).catch(() => undefined);
    return processed;
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { code: raw.code, issues: [{ severity: "error", message: thrown.message }], ok: false };
  }
}

/** What shows an artifact, made in that process. */
export function renderInWorker(shown: Shown): Promise<Content> {
  return order<Content>({ task: "content", input: shown });
}

const MAX_COMPILED = 16;
const compiled = new Map<string, Promise<CompiledComponent>>();

/** A component as a frame that is ready runs it. The newest are kept. */
export function compileInWorker(code: string): Promise<CompiledComponent> {
  const known = compiled.get(code);
  if (known) return known;
  const ordered = order<CompiledComponent>({ task: "compile", input: { code } });
  compiled.set(code, ordered);
  ordered.catch(() => compiled.delete(code));
  const [oldest] = compiled.keys();
  if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
  return ordered;
}

/** Has the process started and everything loaded by the time that it is needed. */
export function warmUpWorker(): void {
  order({ task: "warm" }).catch(() => undefined); // Whoever really needs it hears of the trouble.
}

function order<Result>(work: Order): Promise<Result> {
  const done = queue.then(() => ask<Result>(work));
  queue = done.catch(() => undefined); // Its own caller hears of it.
  return done;
}

async function ask<Result>(work: Order): Promise<Result> {
  const worker = openProcess();
  const id = nextId++;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const heard = (answer: { id: number; result?: Result; error?: string }) => {
    if (answer.id !== id) return;
    if (answer.error === undefined) resolve(answer.result as Result);
    else reject(new Error(answer.error));
  };
  const died = () =>
    reject(new Unreadable("The code cannot be read: it is nested too deeply, or too much at once."));
  const late = setTimeout(() => worker.kill("SIGKILL"), LONGEST_MS);
  worker.on("message", heard);
  worker.once("exit", died);
  worker.ref();
  worker.channel?.ref();
  try {
    worker.send({ id, ...work });
    return await promise;
  } finally {
    clearTimeout(late);
    worker.off("message", heard);
    worker.off("exit", died);
    worker.unref();
    worker.channel?.unref();
  }
}

function openProcess(): ChildProcess {
  clearTimeout(idle);
  idle = setTimeout(() => child?.disconnect(), IDLE_MS);
  idle.unref();
  if (child?.connected) return child;
  const started = fork(PROGRAM, [], {
    // Nothing of ours: it needs no keys.
    env: { PATH: process.env.PATH, NODE_ENV: "production" },
    execArgv: ["--max-old-space-size=512", "--disable-warning=ExperimentalWarning"],
    stdio: "ignore",
  });
  started.on("error", () => started.kill("SIGKILL"));
  started.once("exit", () => {
    if (child === started) child = undefined;
  });
  child = started;
  return started;
}
