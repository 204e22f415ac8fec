import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Failure } from "../../../protocol/failure.ts";
import type { Page, RawPage } from "./read-page.ts";

const CONVERT_MS = 8_000;
/** Threads at a time. Further pages wait. */
const MAX_THREADS = 4;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 };

let threads = 0;
const waiting: (() => void)[] = [];

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
    return await convertInThread(raw, signal, timeoutMs);
  } finally {
    threads -= 1;
    waiting.shift()?.();
  }
}

async function convertInThread(
  raw: RawPage,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Page | undefined> {
  const worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: raw,
    resourceLimits: RESOURCE_LIMITS,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  // The libraries print warnings about the page.
  worker.stdout.resume();
  worker.stderr.resume();
  const { promise, resolve, reject } = Promise.withResolvers<Page | undefined>();
  const timer = setTimeout(() => reject(unreadable("takes too long to read")), timeoutMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  worker.once("message", (page: Page | null) => resolve(page ?? undefined));
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
