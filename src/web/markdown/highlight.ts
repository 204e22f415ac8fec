import { cached } from "./cache.ts";

/** The pieces of a line: text and its token kind, as in the style sheet; empty for plain text. */
export type HighlightedLine = [text: string, kind: string][];

/** Longer code is shown without colors. */
const MAX_CHARACTERS = 60_000;
const MAX_CACHED = 200;

let worker: Worker | undefined;
let nextId = 1;
const waiting = new Map<number, (lines: HighlightedLine[] | undefined) => void>();
const highlighted = new Map<string, Promise<HighlightedLine[] | undefined>>();

/** Highlights code in a worker. Returns undefined for an unknown language. */
export function highlight(language: string, code: string): Promise<HighlightedLine[] | undefined> {
  if (language === "" || code.length > MAX_CHARACTERS) return Promise.resolve(undefined);
  return cached(highlighted, `${language}\n${code}`, MAX_CACHED, () => askWorker(language, code));
}

function askWorker(language: string, code: string): Promise<HighlightedLine[] | undefined> {
  worker ??= startWorker();
  const id = nextId++;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({ id, language, code });
  });
}

function startWorker(): Worker {
  const started = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<{ id: number; lines?: HighlightedLine[] }>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  });
  // Without the worker, code has no colors.
  started.addEventListener("error", () => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  return started;
}
