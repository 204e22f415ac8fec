import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const KNOWN = 44;
/** Titles end in the number of the quirk that they are about: `… (12)`. */
const TITLE = /\b(?:test|it|describe)\(\s*"[^"]*\((\d+)(?:,[^)]*)?\)"|\]\)\("[^"]*\((\d+)\)"/g;

test("each of the quirks that vendors are known for has a test of its own", () => {
  const numbers = new Set<number>();
  for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"))) {
    const text = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
    for (const [, plain, table] of text.matchAll(TITLE)) numbers.add(Number(plain ?? table));
  }
  const all = Array.from({ length: KNOWN }, (_, index) => index + 1);
  expect(all.filter((number) => !numbers.has(number))).toEqual([]);
});
