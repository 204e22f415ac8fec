import { expect, it } from "vitest";
import { isWholePatch } from "./patch.ts";

const HUNK = "@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 3;";

it("accepts a patch whose hunks have as many lines as they say", () => {
  expect(isWholePatch(`--- a.ts\n+++ a.ts\n${HUNK}\n`)).toBe(true);
  expect(isWholePatch(`diff --git a/a.ts b/a.ts\n${HUNK}\n\\ No newline at end of file`)).toBe(true);
  expect(isWholePatch(`${HUNK}\n@@ -9 +9 @@\n-x\n+y`)).toBe(true);
});

it("refuses one that was counted wrong, in either direction", () => {
  expect(isWholePatch(`${HUNK}\n+const c = 4;`)).toBe(false);
  expect(isWholePatch("@@ -1,9 +1,9 @@\n const a = 1;\n-const b = 2;")).toBe(false);
  expect(isWholePatch("@@ -1,9 +1,9 @@\n-x\ndiff --git a/b.ts b/b.ts")).toBe(false);
});
