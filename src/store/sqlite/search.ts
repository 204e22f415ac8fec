import { existsSync } from "node:fs";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Failure } from "../../protocol/failure.ts";
import type { SearchAnswer, SearchOptions } from "../../protocol/search.ts";
import type { Database } from "./database.ts";
import { searchPath } from "./search-index.ts";

export type SearchRequest = { id: number } & ({ userId: string; options: SearchOptions } | { scrub: true });
export type SearchResponse =
  | { id: number; answer: SearchAnswer }
  | { id: number; error: string }
  /** Changes up to this one are in the index. */
  | { indexed: number };

const TRIM_AT_ONCE = 100;

/** Searches in a thread of its own, which also keeps the index up to date, so that neither holds up the event loop. */
export function searchOf(database: Database) {
  const trim = database.prepare(
    `DELETE FROM search_changes WHERE seq IN (SELECT seq FROM search_changes WHERE seq <= ? LIMIT ${TRIM_AT_ONCE})`,
  );
  const waiting = new Map<number, PromiseWithResolvers<SearchAnswer>>();
  let worker: Worker | undefined;
  let nextId = 1;
  /** Changes up to this one are in the index, and are being removed. */
  let indexed = 0;
  let trimming = false;
  let closed = false;

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

  function take(response: SearchResponse): void {
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
    worker ??= start();
    // Whoever waits for an answer keeps the process alive.
    worker.ref();
    worker.postMessage({ id, ...request } satisfies SearchRequest);
    return settled.promise;
  }

  return {
    methods: {
      search: (userId: string, options: SearchOptions): Promise<SearchAnswer> => ask({ userId, options }),
      startIndexing(): void {
        worker ??= start();
      },
    },
    /** Removes what was deleted from the files of the index, if there is one. */
    async scrub(): Promise<void> {
      if (worker || existsSync(searchPath(database.path))) await ask({ scrub: true });
    },
    async close(): Promise<void> {
      closed = true;
      const ended = worker;
      worker = undefined;
      await ended?.terminate();
    },
  };
}

function unavailable(cause: unknown): Failure {
  return new Failure("INTERNAL", "The search isn’t available right now. Try again in a moment.", { cause });
}
