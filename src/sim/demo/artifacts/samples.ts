import { readFileSync } from "node:fs";

const read = new Map<string, string>();

/** Returns a file of samples/ with each placeholder, a word or a color, replaced by its value. */
export function fillSample(name: string, values: Readonly<Record<string, string>> = {}): string {
  const text = read.get(name) ?? readFileSync(new URL(`samples/${name}`, import.meta.url), "utf8");
  read.set(name, text);
  const placeholders = Object.keys(values);
  if (placeholders.length === 0) return text;
  // In one pass, so that a value may contain a placeholder.
  return text.replace(new RegExp(placeholders.join("|"), "g"), (found) => values[found] ?? found);
}
