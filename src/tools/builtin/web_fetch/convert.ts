import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Failure } from "../../../protocol/failure.ts";
import type { Counted, CountTask } from "./count.ts";
import type { Page, RawPage } from "./read-page.ts";

const CONVERT_MS = 8_000;
/** A tenth of a second on an idle machine. On a busy one, the start of a thread alone can take seconds. */
const COUNT_MS = 15_000;
/** How long a document waits while others are counted. */
const LINE_MS = 4_000;
/** Threads at a time. Further pages wait. */
const MAX_THREADS = 4;
/** Threads that count, besides those. */
const MAX_COUNTING = 2;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 };

let threads = 0;
const waiting: (() => void)[] = [];
let counting = 0;
const inLine = new Set<() => void>();

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
  threads += 1;
  try {
    signal.throwIfAborted();
    return (await runThread<Page | null>(raw, signal, timeoutMs)) ?? undefined;
  } finally {
    threads -= 1;
    waiting.shift()?.();
  }
}

/**
 * Counts the pages of a PDF or the rows of a spreadsheet, in such a thread too. Returns nothing if the file can't be read or takes
 * long, or others do.
 */
export async function countFile(task: CountTask, signal: AbortSignal): Promise<Counted> {
  const isCountable = task.mimeType === "application/pdf" || task.mimeType.includes("spreadsheetml");
  if (!isCountable || !(await startsCounting())) return {};
  try {
    signal.throwIfAborted();
    return await runThread<Counted>(task, signal, COUNT_MS);
  } catch {
    return {}; // The reader of the file reports what is wrong with it.
  } finally {
    counting -= 1;
    for (const look of inLine) look();
  }
}

/** Waits for one of the threads that count, and takes it. Returns false if that takes long. */
async function startsCounting(): Promise<boolean> {
  const until = performance.now() + LINE_MS;
  while (counting >= MAX_COUNTING) {
    const left = until - performance.now();
    if (left <= 0) return false;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(look, left);
      inLine.add(look);
      function look(): void {
        clearTimeout(timer);
        inLine.delete(look);
        resolve();
      }
    });
  }
  counting += 1;
  return true;
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
