/** Pieces of a line: text and the kind of thing it is, as the style sheet knows it; empty for plain text. */
export type HighlightedLine = [text: string, kind: string][];

/** Code beyond this is shown without colours. */
const MAX_CHARACTERS = 60_000;
const MAX_KEPT = 200;

let worker: Worker | undefined;
let nextId = 1;
const waiting = new Map<number, (lines: HighlightedLine[] | undefined) => void>();
const kept = new Map<string, Promise<HighlightedLine[] | undefined>>();

/** Colours a piece of code, in a worker so that nothing waits for it; undefined where the language is not known. */
export function highlight(language: string, code: string): Promise<HighlightedLine[] | undefined> {
  if (language === "" || code.length > MAX_CHARACTERS) return Promise.resolve(undefined);
  const key = `${language}\n${code}`;
  let known = kept.get(key);
  if (!known) {
    known = ask(language, code);
    kept.set(key, known);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  }
  return known;
}

function ask(language: string, code: string): Promise<HighlightedLine[] | undefined> {
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
  // Colours are a comfort: without the worker code is plain.
  started.addEventListener("error", () => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  return started;
}
