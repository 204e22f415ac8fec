import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unifiedDiff } from "./diff.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

test("equal texts have no diff", () => {
  expect(unifiedDiff("a", "x\n", "x\n")).toBe("");
});

test("distant changes are separate hunks, with three lines of context", () => {
  const before = lines(30);
  const after = before.with(2, "changed").with(25, "changed too");
  expect(unifiedDiff("a", `${before.join("\n")}\n`, `${after.join("\n")}\n`).split("\n")).toEqual([
    "--- a",
    "+++ a",
    "@@ -1,6 +1,6 @@",
    " line 0",
    " line 1",
    "-line 2",
    "+changed",
    " line 3",
    " line 4",
    " line 5",
    "@@ -23,7 +23,7 @@",
    " line 22",
    " line 23",
    " line 24",
    "-line 25",
    "+changed too",
    " line 26",
    " line 27",
    " line 28",
  ]);
});

test.each([
  ["lines added at the start", "b\nc\n", "a\nb\nc\n"],
  ["everything removed", "a\nb\n", ""],
  ["a new file", "", "a\nb"],
  ["a removed newline at the end", "a\nb\n", "a\nb"],
  ["moved lines", lines(40).join("\n"), lines(40).toReversed().join("\n")],
  [
    "a large change",
    lines(3_000).join("\n"),
    lines(3_000)
      .map((line) => `${line}!`)
      .join("\n"),
  ],
  [
    "close changes",
    `${lines(20).join("\n")}\n`,
    `${lines(20).with(5, "x").with(12, "y").with(19, "z").join("\n")}\n`,
  ],
])("git applies the diff of %s", (_, before, after) => {
  const directory = mkdtempSync(join(tmpdir(), "diff-"));
  try {
    writeFileSync(join(directory, "file"), before);
    execFileSync("git", ["apply", "--unidiff-zero", "-p0", "-"], {
      cwd: directory,
      input: `${unifiedDiff("file", before, after)}\n`,
    });
    expect(readFileSync(join(directory, "file"), "utf8")).toBe(after);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
