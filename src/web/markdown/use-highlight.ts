import { useEffect, useRef, useState } from "react";
import { type Colored, Highlighter, MOST_COLORED, recallColors } from "./highlight.ts";

/** Colors code as it grows. Returns the beginning of it that has colors. */
export function useHighlight(language: string, code: string): Colored | undefined {
  const [colored, setColored] = useState(() => recallColors(language, code));
  const highlighter = useRef<Highlighter>(undefined);
  useEffect(() => {
    highlighter.current = new Highlighter(language, setColored);
    return () => highlighter.current?.end();
  }, [language]);
  const isDone = colored?.text === code;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language has another highlighter
  useEffect(() => {
    if (!isDone) highlighter.current?.write(code);
  }, [language, code, isDone]);
  return colored && code.length <= MOST_COLORED && code.startsWith(colored.text) ? colored : undefined;
}
