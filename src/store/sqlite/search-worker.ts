import { parentPort, workerData } from "node:worker_threads";
import type { SearchQuestion, SearchRequest, SearchResponse } from "./search.ts";
import { openSearchIndex } from "./search-index.ts";
import { searcherOf } from "./search-query.ts";

/** How long it works on the index before it listens again. */
const SLICE_MS = 10;
/** How long a search waits for the index to catch up, and the first one for a new index. */
const PATIENCE_MS = 150;
const SCRUB_TRIES = 40;

const index = openSearchIndex(String(workerData));
const search = searcherOf(index);
let filled = false;
let isFirst = true;
let timer: NodeJS.Timeout | undefined;
let isOpen = true;

function tell(response: SearchResponse): void {
  parentPort?.postMessage(response);
}

function catchUp(forMs: number): boolean {
  const { seq, done } = index.catchUp(performance.now() + forMs);
  tell({ indexed: seq });
  return done;
}

function work(): void {
  clearTimeout(timer);
  const caughtUp = catchUp(SLICE_MS);
  if (caughtUp && !filled) filled = index.fill(performance.now() + SLICE_MS);
  if (!caughtUp || !filled) timer = setTimeout(work, 1);
}

async function scrub(): Promise<void> {
  while (!catchUp(SLICE_MS * 10));
  for (let tries = 0; isOpen && !index.scrub() && tries < SCRUB_TRIES; tries++)
    await new Promise((resume) => setTimeout(resume, SLICE_MS));
}

async function answer(request: SearchQuestion): Promise<void> {
  const { id } = request;
  try {
    if ("scrub" in request) {
      await scrub();
      return tell({ id, answer: { results: [], complete: true } });
    }
    const caughtUp = catchUp(PATIENCE_MS);
    if (isFirst && !filled) filled = index.fill(performance.now() + PATIENCE_MS);
    isFirst = false;
    const complete = caughtUp && filled;
    tell({ id, answer: { results: search(request.userId, request.options), complete } });
  } catch (error) {
    tell({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

function end(): void {
  clearTimeout(timer);
  isOpen = false;
  // The last one to close the index also removes its log.
  index.close();
  parentPort?.close();
}

parentPort?.on("message", (request: SearchRequest) => {
  if (request === "look") work();
  else if (request === "end") end();
  else void answer(request);
});
work();
// A process that died may have deleted something and not scrubbed the log.
void scrub();
