import { expect, it } from "vitest";
import { patchOf } from "./compare.ts";

it("shows changed lines with those around them", () => {
  const patch = patchOf({ version: 1, code: "a\nb\nc\n" }, { version: 2, code: "a\nB\nc\n" });
  expect(patch).toContain("--- version 1\n+++ version 2\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
});

it("shows versions that differ everywhere as removed and added, instead of comparing every line with every other", () => {
  const lines = (name: string) => Array.from({ length: 60_000 }, (_, at) => name + at);
  const [before, after] = [lines("a"), lines("b")];
  const patch = patchOf({ version: 1, code: before.join("\n") }, { version: 2, code: after.join("\n") });
  expect(patch.split("\n").slice(1, 6)).toEqual([
    "--- version 1",
    "+++ version 2",
    "@@ -1,60000 +1,60000 @@",
    "-a0",
    "-a1",
  ]);
  expect(patch.endsWith("+b59999\n")).toBe(true);
});
