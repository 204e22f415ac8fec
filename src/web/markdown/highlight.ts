import { cached } from "./cache.ts";

/** The pieces of a line: text and its token kind, as in the style sheet; empty for plain text. */
export type HighlightedLine = [text: string, kind: string][];

/** Code, as far as it has colors. */
export interface Colored {
  text: string;
  lines: HighlightedLine[];
}

/** What the worker is asked: lines that follow those before, and the last one, which may still grow. */
export interface HighlightRequest {
  id: number;
  /** The code to which the lines belong. */
  of: number;
  language: string;
  whole: string;
  last: string;
}

/** What the worker answers. Without lines, it does not know the language. */
export interface HighlightAnswer {
  id: number;
  whole?: HighlightedLine[];
  last?: HighlightedLine;
}

/** Longer code is shown without colors. */
export const MOST_COLORED = 60_000;
const MAX_CACHED = 200;
/** While code is being written, its colors follow this often. */
const PAUSE_MS = 200;

let worker: Worker | undefined;
let nextId = 1;
const waiting = new Map<number, (answer: HighlightAnswer) => void>();
const finished = new Map<string, Colored>();

/** Returns the colors of code that was on the screen before. */
export function recallColors(language: string, code: string): Colored | undefined {
  return finished.get(`${language}\n${code}`);
}

/** Colors code in a worker, also while it is being written: the worker sees each line once, and the last one as it grows. */
export class Highlighter {
  readonly #language: string;
  readonly #show: (colored: Colored) => void;
  #of = nextId++;
  /** The whole lines that have their colors. */
  #text = "";
  #lines: HighlightedLine[] = [];
  #wanted = "";
  #shown: Colored = { text: "", lines: [] };
  #isBusy = false;
  #hasEnded = false;

  constructor(language: string, show: (colored: Colored) => void) {
    this.#language = language;
    this.#show = show;
    this.#hasEnded = language === "";
  }

  /** Colors the code, which is usually what it was before and more. */
  write(code: string): void {
    this.#wanted = code;
    if (!this.#isBusy) void this.#work();
  }

  /** Keeps the colors for the next time, and frees what the worker knows about the code. */
  end(): void {
    this.#hasEnded = true;
    const shown = this.#shown;
    if (shown.text === "") return;
    cached(finished, `${this.#language}\n${shown.text}`, MAX_CACHED, () => shown);
    worker?.postMessage({ ended: this.#of });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (!this.#hasEnded && this.#wanted !== this.#shown.text && this.#wanted.length <= MOST_COLORED) {
      const code = this.#wanted;
      if (!code.startsWith(this.#text)) this.#startAgain();
      const end = code.lastIndexOf("\n") + 1;
      const { whole, last } = await this.#ask(code.slice(this.#text.length, end), code.slice(end));
      if (!whole || !last) {
        this.#hasEnded = true;
        return;
      }
      this.#text = code.slice(0, end);
      this.#lines = [...this.#lines, ...whole];
      this.#shown = { text: code, lines: [...this.#lines, last] };
      if (!this.#hasEnded) this.#show(this.#shown);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.#isBusy = false;
  }

  #startAgain(): void {
    worker?.postMessage({ ended: this.#of });
    this.#of = nextId++;
    this.#text = "";
    this.#lines = [];
  }

  #ask(whole: string, last: string): Promise<HighlightAnswer> {
    worker ??= startWorker();
    const request = { id: nextId++, of: this.#of, language: this.#language, whole, last };
    return new Promise((resolve) => {
      waiting.set(request.id, resolve);
      worker?.postMessage(request satisfies HighlightRequest);
    });
  }
}

function startWorker(): Worker {
  const started = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  // Without the worker, code has no colors.
  started.addEventListener("error", () => {
    for (const [id, resolve] of waiting) resolve({ id });
    waiting.clear();
  });
  return started;
}
