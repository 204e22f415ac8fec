import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { AppPage } from "../../protocol/apps.ts";
import type { StoredArtifact } from "../../protocol/artifacts.ts";
import type { CompiledComponent } from "./frame/compile.ts";
import type { Content, Shown } from "./frame/content.ts";
import type { ProcessedArtifact, RawArtifact } from "./pipeline.ts";
import { createStoppedTasks } from "./stopped-tasks.ts";

/** A task for the worker process that parses code written by models. */
export type WorkerTask =
  | { task: "warm"; input?: undefined }
  | { task: "process"; input: RawArtifact }
  | { task: "compile"; input: { code: string } }
  | { task: "content"; input: Shown }
  | { task: "app"; input: AppPage }
  | { task: "compare"; input: { before: Version; after: Version } };

type Version = Pick<StoredArtifact, "version" | "code">;

/** No ordinary artifact takes this long. */
const TIMEOUT_MS = 8_000;
const IDLE_MS = 5 * 60_000;
const PROGRAM = fileURLToPath(new URL(`./worker-process${extname(import.meta.url)}`, import.meta.url));

/** Thrown when the code crashed the process, or the process was stopped. */
class Unreadable extends Error {
  constructor() {
    super("The code cannot be read: it is nested too deeply, or too much at once.");
  }
}

let child: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;
let nextId = 0;
const stopped = createStoppedTasks();
/** One task at a time, so that a crash can be attributed. */
let queue: Promise<unknown> = Promise.resolve();

/** Checks and repairs code in the worker process. Never throws because of the code. */
export async function processInWorker(raw: RawArtifact): Promise<ProcessedArtifact> {
  try {
    const processed = await enqueue<ProcessedArtifact>({ task: "process", input: raw });
    // It will be shown soon, so it is compiled in advance. Errors are reported when it is shown.
    if (raw.type === "react" && processed.ok) compileInWorker(processed.code).catch(() => undefined);
    return processed;
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { code: raw.code, issues: [{ severity: "error", message: thrown.message }], ok: false };
  }
}

/** Renders the content of an artifact's page in the worker process. */
export function renderInWorker(shown: Shown): Promise<Content> {
  return enqueue<Content>({ task: "content", input: shown });
}

/** Renders the page of an app in the worker process. */
export function renderAppInWorker(page: AppPage): Promise<Content> {
  return enqueue<Content>({ task: "app", input: page });
}

/** Compares two versions in the worker process. Returns a patch. */
export function compareInWorker(before: Version, after: Version): Promise<string> {
  const of = ({ version, code }: Version) => ({ version, code });
  return enqueue<string>({ task: "compare", input: { before: of(before), after: of(after) } });
}

const MAX_COMPILED = 16;
const compiled = new Map<string, Promise<CompiledComponent>>();

/** Compiles a component in the worker process. The newest results are cached. */
export function compileInWorker(code: string): Promise<CompiledComponent> {
  const known = compiled.get(code);
  if (known) return known;
  const pending = enqueue<CompiledComponent>({ task: "compile", input: { code } });
  compiled.set(code, pending);
  pending.catch(() => compiled.delete(code));
  const [oldest] = compiled.keys();
  if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
  return pending;
}

/** Starts the process and loads its libraries in advance. */
export function warmUpWorker(): void {
  enqueue({ task: "warm" }).catch(() => undefined); // The next task reports the error.
}

function enqueue<Result>(work: WorkerTask): Promise<Result> {
  const done = queue.then(() => ask<Result>(work));
  queue = done.catch(() => undefined); // The caller gets the error from `done`.
  return done;
}

async function ask<Result>(work: WorkerTask): Promise<Result> {
  if (stopped.has(work)) throw new Unreadable();
  const worker = openProcess();
  const id = nextId++;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const onExit = () => reject(new Unreadable());
  const onMessage = (answer: { id: number; result?: Result; error?: string; overflowed?: boolean }) => {
    if (answer.id !== id) return;
    if (answer.overflowed) onExit();
    else if (answer.error === undefined) resolve(answer.result as Result);
    else reject(new Error(answer.error));
  };
  const timeout = setTimeout(() => {
    stopped.add(work);
    worker.kill("SIGKILL");
  }, TIMEOUT_MS);
  worker.on("message", onMessage);
  worker.once("exit", onExit);
  worker.ref();
  worker.channel?.ref();
  try {
    worker.send({ id, ...work });
    return await promise;
  } finally {
    clearTimeout(timeout);
    worker.off("message", onMessage);
    worker.off("exit", onExit);
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
    // It gets no keys of ours.
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
