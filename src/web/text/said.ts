import { saidEnglish } from "./said-english.ts";
import type { Values } from "./translate.ts";

const KNOWN = Object.entries(saidEnglish).map(([key, text]) => ({
  key,
  // What appears in braces is a value. Everything else stands for itself.
  pattern: new RegExp(`^${text.replace(/[.?()]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+)")}$`),
}));

/** Finds the text that says the same as a sentence of the server, with the values in it. */
export function findSaid(sentence: string): { key: string; values: Values } | undefined {
  for (const { key, pattern } of KNOWN) {
    const found = pattern.exec(sentence);
    if (found) return { key, values: { ...found.groups } };
  }
  return undefined;
}
