import { expect, test } from "vitest";
import { addRules, isIgnored } from "./ignore.ts";

const ignores = (text: string, name: string) => isIgnored(addRules(undefined, 0, text), [name], false);

test("blanks at the end of a rule don't count, but a blank behind a backslash does", () => {
  expect(ignores("a.txt \t ", "a.txt")).toBe(true);
  expect(ignores(" \t", " ")).toBe(false);
  expect(ignores("a\\  ", "a ")).toBe(true);
  expect(ignores("a\\  ", "a")).toBe(false);
});

test("a line of 100,000 blanks holds nobody up", () => {
  const before = process.threadCpuUsage();
  expect(ignores(`${" ".repeat(100_000)}x`, "x")).toBe(false);
  const { user, system } = process.threadCpuUsage(before);
  // Trying each blank again takes seconds, for a file that any account can write.
  expect((user + system) / 1000).toBeLessThan(1_000);
});
