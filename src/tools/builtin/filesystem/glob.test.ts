import { expect, test } from "vitest";
import { cpuTime } from "../../../protocol/testing/cpu-time.ts";
import { globMatcher } from "./glob.ts";

test.each([
  ["*.ts", "src/deep/main.ts", true],
  ["*.ts", "main.tsx", false],
  ["src/*.ts", "src/main.ts", true],
  ["src/*.ts", "src/deep/main.ts", false],
  ["src/**/*.ts", "src/main.ts", true],
  ["src/**/*.ts", "src/a/b/main.ts", true],
  ["**/test/**", "a/test/b/c", true],
  ["./src/*", "src/x", true],
  ["{a,b}/*.{ts,md}", "b/x.md", true],
  ["{a,b}/*.{ts,md}", "c/x.md", false],
  ["file?.txt", "file1.txt", true],
  ["file?.txt", "file.txt", false],
  ["a[1].txt", "a[1].txt", true],
  ["{plain}", "{plain}", true],
])("%s against %s is %s", (glob, path, fits) => {
  expect(globMatcher(glob)(path)).toBe(fits);
});

test("a glob that is built to be slow is still fast", () => {
  const fits = globMatcher(`${"*a".repeat(99)}b`);
  const start = process.cpuUsage();
  expect(fits("a".repeat(4_000))).toBe(false);
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});

test("a brace with many commas that nothing closes is read once", () => {
  expect(cpuTime(() => globMatcher(`{${",".repeat(50_000)}`))).toBeLessThan(500);
});
