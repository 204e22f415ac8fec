import { expect, test } from "vitest";
import { fenceFor } from "./fence.ts";

test("a fence is longer than every run of backticks in the text", () => {
  expect(fenceFor("plain `text` and ``more``")).toBe("```");
  expect(fenceFor("a ``` and ````` b")).toBe("``````");
});

test("a text may have any number of fences", () => {
  expect(fenceFor("```\n".repeat(500_000))).toBe("````");
});
