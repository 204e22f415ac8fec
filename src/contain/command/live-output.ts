import { changeStream, plainPiece } from "../../protocol/plain-text.ts";

/** Characters that are passed on at once. */
export const FREE_CHARACTERS = 32_000;
/** Characters that are passed on each second after that. Every one of them is stored with the run. */
const CHARACTERS_PER_SECOND = 1_000;
const COALESCE_MS = 100;
const SLOW_MS = 1_000;
const COALESCE_CHARACTERS = 4_096;
/** The last lines are always shown. */
const LAST_CHARACTERS = 2_000;

export interface LiveOutput {
  add(chunk: Buffer): void;
  end(): void;
}

/**
 * Passes a program's output on while it runs, in batches and as plain text. If it prints more than a person can follow, only
 * the newest lines are passed on, with a note about how much is left out.
 */
export function createLiveOutput(onText: (text: string) => void): LiveOutput {
  const decoder = new TextDecoder();
  const plain = changeStream(plainPiece);
  let left = FREE_CHARACTERS;
  let refilledAt = performance.now();
  let waiting = "";
  let skipped = 0;
  let timer: NodeJS.Timeout | undefined;

  function keepNewest(characters: number): void {
    if (waiting.length <= characters) return;
    const from = waiting.length - characters;
    const line = waiting.indexOf("\n", from) + 1;
    const start = line > 0 && line < waiting.length ? line : from;
    skipped += start;
    waiting = waiting.slice(start);
  }

  function flush(atLeast = 0): void {
    clearTimeout(timer);
    timer = undefined;
    const now = performance.now();
    left = Math.min(FREE_CHARACTERS, left + ((now - refilledAt) / 1000) * CHARACTERS_PER_SECOND);
    refilledAt = now;
    keepNewest(Math.max(Math.floor(left), atLeast));
    const text = plain.push(waiting.toWellFormed());
    waiting = "";
    if (text === "") return;
    left -= text.length;
    onText(skipped > 0 ? `\n[… ${skipped.toLocaleString("en")} characters are not shown …]\n${text}` : text);
    skipped = 0;
  }

  return {
    add(chunk) {
      waiting += decoder.decode(chunk, { stream: true });
      const plenty = left > COALESCE_CHARACTERS;
      if (waiting.length >= COALESCE_CHARACTERS && plenty) flush();
      else timer ??= setTimeout(() => flush(), plenty ? COALESCE_MS : SLOW_MS);
      if (waiting.length > 2 * FREE_CHARACTERS) keepNewest(FREE_CHARACTERS);
    },
    end() {
      flush(LAST_CHARACTERS);
      const rest = plain.end();
      if (rest !== "") onText(rest);
    },
  };
}
