import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Failure } from "../../../protocol/failure.ts";
import type { Counted, CountTask } from "./count.ts";
import type { Page, RawPage } from "./read-page.ts";

const CONVERT_MS = 8_000;
const COUNT_MS = 4_000;
/** Threads at a time. Further pages wait, and half of them are for pages only. */
const MAX_THREADS = 4;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 };

let threads = 0;
const waiting: (() => void)[] = [];

/** What a thread is started for. */
export type ThreadTask = RawPage | CountTask;

/**
 * Converts a page to text in a worker thread, which is terminated when it needs too much time or memory, so that no page
 * can block the server. Returns undefined for anything but text.
 */
export async function convertPage(
  raw: RawPage,
  signal: AbortSignal,
  timeoutMs = CONVERT_MS,
): Promise<Page | undefined> {
  while (threads >= MAX_THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
  return (await inThread<Page | null>(raw, signal, timeoutMs)) ?? undefined;
}

/**
 * Counts the pages of a PDF or the rows of a spreadsheet, in such a thread too. Returns nothing if the file can't be read, takes
 * long, or the threads are busy: nobody waits for a number.
 */
export async function countFile(task: CountTask, signal: AbortSignal): Promise<Counted> {
  const isCountable = task.mimeType === "application/pdf" || task.mimeType.includes("spreadsheetml");
  if (!isCountable || threads >= MAX_THREADS / 2) return {};
  try {
    return await inThread<Counted>(task, signal, COUNT_MS);
  } catch {
    return {}; // Whoever reads the file says what is wrong with it.
  }
}

async function inThread<Result>(task: ThreadTask, signal: AbortSignal, timeoutMs: number): Promise<Result> {
  threads += 1;
  try {
    signal.throwIfAborted();
    return await runThread<Result>(task, signal, timeoutMs);
  } finally {
    threads -= 1;
    waiting.shift()?.();
  }
}

async function runThread<Result>(task: ThreadTask, signal: AbortSignal, timeoutMs: number): Promise<Result> {
  const worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: task,
    resourceLimits: RESOURCE_LIMITS,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  // The libraries print warnings about the page.
  worker.stdout.resume();
  worker.stderr.resume();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const timer = setTimeout(() => reject(unreadable("takes too long to read")), timeoutMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  worker.once("message", resolve);
  worker.once("error", (cause) => reject(unreadable("could not be read: it is damaged or too large", cause)));
  worker.once("exit", () => reject(unreadable("could not be read")));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    await worker.terminate();
  }
}

function unreadable(what: string, cause?: unknown): Failure {
  return new Failure("TOOL_FAILED", `The page was fetched, but it ${what}. Trying again will not help.`, {
    cause,
  });
}
