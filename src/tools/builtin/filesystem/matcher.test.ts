import { expect, test } from "vitest";
import { regexMatcher, textMatcher } from "./matcher.ts";

const HARMFUL = "^(a+)+$";
const VICTIM = `${"a".repeat(60)}!`;
const never = new AbortController().signal;

test("stops a regular expression that never ends, without blocking anything else", async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 10);
  const matcher = regexMatcher(HARMFUL, 500, never);
  await expect(matcher.lines(VICTIM, 1)).rejects.toMatchObject({ code: "TOOL_TIMEOUT", retryable: false });
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(5);
  await matcher.close();
});

test("stops on an abort", async () => {
  const controller = new AbortController();
  const matcher = regexMatcher(HARMFUL, 60_000, controller.signal);
  const lines = matcher.lines(VICTIM, 1);
  controller.abort();
  await expect(lines).rejects.toMatchObject({ name: "AbortError" });
});

test("both kinds return lines with their numbers, up to the limit", async () => {
  const text = "Alpha\nbeta\nalphabet\n";
  const regex = regexMatcher("^ALPHA", 10_000, never);
  const expected = [
    { line: 1, text: "Alpha" },
    { line: 3, text: "alphabet" },
  ];
  expect(await regex.lines(text, 10)).toEqual(expected);
  expect(await regex.lines(text, 1)).toEqual(expected.slice(0, 1));
  expect(await textMatcher("ALPHA").lines(text, 10)).toEqual(expected);
  await regex.close();
});
