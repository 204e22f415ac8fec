import { existsSync } from "node:fs";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Failure } from "../../protocol/failure.ts";
import type { SearchAnswer, SearchOptions } from "../../protocol/search.ts";
import type { Database } from "./database.ts";
import { isComplete, searchPath } from "./search-state.ts";

export type SearchQuestion = { id: number } & ({ userId: string; options: SearchOptions } | { scrub: true });
/** `look` asks for changes to be taken in, `end` for the thread to end. */
export type SearchRequest = SearchQuestion | "look" | "end";
export type SearchResponse =
  | { id: number; answer: SearchAnswer }
  | { id: number; error: string }
  /** Changes up to this one are in the index. */
  | { indexed: number };

const TRIM_AT_ONCE = 100;
/** How long changes wait until they are indexed, unless somebody searches. */
const LOOK_MS = 5_000;
/** The thread takes 24 MB, and ends after this time without work. */
const IDLE_MS = 20_000;
/** How long closing waits for the thread to end on its own. */
const END_MS = 1_000;

/**
 * Searches in its own thread, which also keeps the index up to date, so that neither holds up the event loop. The thread
 * runs while there is something to do.
 */
export function searchOf(database: Database) {
  const trim = database.prepare(
    `DELETE FROM search_changes WHERE seq IN (SELECT seq FROM search_changes WHERE seq <= ? LIMIT ${TRIM_AT_ONCE})`,
  );
  const pending = database.prepare("SELECT 1 FROM search_changes WHERE seq > ? LIMIT 1");
  const anything = database.prepare(
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM files)",
  );
  const waiting = new Map<number, PromiseWithResolvers<SearchAnswer>>();
  let worker: Worker | undefined;
  let nextId = 1;
  /** Changes up to this one are in the index, and are being removed. */
  let indexed = 0;
  let trimming = false;
  let closed = false;
  let looking: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(new URL(`./search-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: database.path,
      name: "search index",
    });
    started.unref();
    started.on("message", take);
    started.on("error", (error) => fail(started, error));
    started.on("exit", () => fail(started, new Error("the search thread has ended")));
    return started;
  }

  /** Changes are indexed a while after the first of them. Nothing happens on a server that is not used. */
  function lookSoon(): void {
    looking ??= setTimeout(look, LOOK_MS).unref();
  }

  function look(): void {
    looking = undefined;
    if (!closed && pending.get(indexed)) post("look");
  }

  function post(request: SearchRequest): Worker {
    worker ??= start();
    worker.postMessage(request);
    endLater();
    return worker;
  }

  function endLater(): void {
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (waiting.size > 0) return endLater();
      worker?.postMessage("end" satisfies SearchRequest);
      worker = undefined;
    }, IDLE_MS).unref();
  }

  function take(response: SearchResponse): void {
    endLater();
    if ("indexed" in response) {
      if (response.indexed <= indexed) return;
      indexed = response.indexed;
      if (!trimming) removeChanges();
      return;
    }
    const request = waiting.get(response.id);
    waiting.delete(response.id);
    if (waiting.size === 0) worker?.unref();
    if ("answer" in response) request?.resolve(response.answer);
    else request?.reject(unavailable(new Error(response.error)));
  }

  /** A few at a time, so that others are served meanwhile. */
  function removeChanges(): void {
    trimming = !closed && database.transaction(() => trim.run(indexed), { durable: false }) === TRIM_AT_ONCE;
    if (trimming) setImmediate(removeChanges);
  }

  function fail(ended: Worker, cause: unknown): void {
    if (worker !== ended) return;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(unavailable(cause));
    waiting.clear();
  }

  function ask(request: { userId: string; options: SearchOptions } | { scrub: true }): Promise<SearchAnswer> {
    const id = nextId++;
    const settled = Promise.withResolvers<SearchAnswer>();
    waiting.set(id, settled);
    // A caller that waits for an answer keeps the process alive.
    post({ id, ...request }).ref();
    return settled.promise;
  }

  return {
    methods: {
      search: (userId: string, options: SearchOptions): Promise<SearchAnswer> => ask({ userId, options }),
      startIndexing(): void {
        database.onCommit(lookSoon);
        if (anything.get() && (pending.get(0) || !isComplete(database.path))) post("look");
      },
    },
    /** Removes what was deleted from the files of the index, if there is one. */
    async scrub(): Promise<void> {
      if (worker || existsSync(searchPath(database.path))) await ask({ scrub: true });
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(looking);
      clearTimeout(idle);
      const ended = worker;
      worker = undefined;
      ended?.postMessage("end" satisfies SearchRequest);
      const late = setTimeout(() => void ended?.terminate(), END_MS);
      await new Promise((resolve) => (ended ? ended.once("exit", resolve) : resolve(undefined)));
      clearTimeout(late);
    },
  };
}

function unavailable(cause: unknown): Failure {
  return new Failure("INTERNAL", "The search isn’t available right now. Try again in a moment.", { cause });
}
