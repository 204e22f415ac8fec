import { useRef } from "react";

const PAGE = 10;
/** After this long without a key, typing begins a new word. */
const PAUSE_MS = 700;

/** Returns the entry that a key moves to, or undefined if it does not move in lists. */
export function movedBy(key: string, at: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case "ArrowDown":
      return at >= last ? 0 : at + 1;
    case "ArrowUp":
      return at <= 0 ? last : at - 1;
    case "Home":
      return 0;
    case "End":
      return last;
    case "PageDown":
      return Math.min(at + PAGE, last);
    case "PageUp":
      return Math.max(at - PAGE, 0);
  }
  return undefined;
}

/** Returns a function that finds the entry whose text begins with what was typed, from the entry at `at` on. */
export function useTypeAhead(): (key: string, texts: readonly string[], at: number) => number | undefined {
  const typed = useRef({ text: "", until: 0 });
  return (key, texts, at) => {
    const now = performance.now();
    const before = now < typed.current.until ? typed.current.text : "";
    if ([...key].length !== 1 || (key === " " && before === "")) return undefined;
    const text = before + key.toLowerCase();
    typed.current = { text, until: now + PAUSE_MS };
    // The same letter again means the next entry with it.
    const word = /^(.)\1+$/u.test(text) ? key.toLowerCase() : text;
    const first = [...word].length === 1 ? at + 1 : Math.max(at, 0);
    for (let step = 0; step < texts.length; step++) {
      const index = (first + step) % texts.length;
      if (texts[index]?.toLowerCase().startsWith(word)) return index;
    }
    return undefined;
  };
}
