import { expect, test } from "vitest";
import { regexMatcher, textMatcher } from "./matcher.ts";

const HARMFUL = "^(a+)+$";
const VICTIM = `${"a".repeat(60)}!`;
const never = new AbortController().signal;

test("stops a regular expression that never ends, without blocking anything else", async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 10);
  const matcher = regexMatcher(HARMFUL, true, 500, never);
  await expect(matcher.find(VICTIM, 1)).rejects.toMatchObject({ code: "TOOL_TIMEOUT", retryable: false });
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(1);
  await matcher.close();
});

test("stops on an abort", async () => {
  const controller = new AbortController();
  const matcher = regexMatcher(HARMFUL, true, 60_000, controller.signal);
  const lines = matcher.find(VICTIM, 1);
  controller.abort();
  await expect(lines).rejects.toMatchObject({ name: "AbortError" });
});

test("both kinds return lines with their numbers, up to the limit, and count all of them", async () => {
  const text = "Alpha\nbeta\n  alphabet\n";
  const regex = regexMatcher("[A]LPHA", false, 10_000, never);
  const expected = [
    { line: 1, column: 0 },
    { line: 3, column: 2 },
  ];
  expect(await regex.find(text, 10)).toEqual({ count: 2, matches: expected });
  expect(await regex.find(text, 1)).toEqual({ count: 2, matches: expected.slice(0, 1) });
  expect(await textMatcher("ALPHA", false).find(text, 10)).toEqual({ count: 2, matches: expected });
  expect(await textMatcher("alpha", true).find(text, 10)).toEqual({ count: 1, matches: expected.slice(1) });
  await regex.close();
});

test("a query with a line break is matched across lines", async () => {
  const text = "one\ntwo\none\n  two\n";
  const regex = regexMatcher("one\\n\\s*two", true, 10_000, never);
  const expected = [
    { line: 1, column: 0 },
    { line: 3, column: 0 },
  ];
  expect(await regex.find(text, 10)).toEqual({ count: 2, matches: expected });
  expect(await textMatcher("one\ntwo", true).find(text, 10)).toEqual({
    count: 1,
    matches: expected.slice(0, 1),
  });
  await regex.close();
});

test.each([
  ["(?i)FOO", "a foo"],
  ['say\\"', 'say"'],
  ["\\d+\\-x", "12-x"],
  ["^end$", "end\r"],
])("the regular expression %s is understood as other engines do", async (source, text) => {
  const regex = regexMatcher(source, true, 10_000, never);
  expect(await regex.find(text, 1)).toMatchObject({ count: 1 });
  await regex.close();
});
