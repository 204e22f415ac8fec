import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const KNOWN = 44;
/** Titles end in the number of the quirk that they cover: `… (12)`. */
const TITLE = /\b(?:test|it|describe)\(\s*"[^"]*\((\d+)(?:,[^)]*)?\)"|\]\)\("[^"]*\((\d+)\)"/g;

test("every known quirk of a vendor has a test", () => {
  const numbers = new Set<number>();
  for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"))) {
    const text = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
    for (const [, plain, table] of text.matchAll(TITLE)) numbers.add(Number(plain ?? table));
  }
  const all = Array.from({ length: KNOWN }, (_, index) => index + 1);
  expect(all.filter((number) => !numbers.has(number))).toEqual([]);
});
