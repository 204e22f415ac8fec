import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createDataDirectory } from "./data-directory.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-data-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("it is created with the folders above it, for its owner alone, and may be there already", () => {
  const path = join(folder, "a", "b", "c");
  createDataDirectory(path);
  createDataDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test.each(["", "/below"])("a file in its place is refused in one line (%s)", (below) => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(() => createDataDirectory(file + below)).toThrow(
    new RegExp(
      `^The data directory ${file}${below} cannot be created \\(E(EXIST|NOTDIR)\\)\\. Choose another`,
    ),
  );
});

test.runIf(existsSync("/proc"))("a folder that cannot hold it is refused instead of tried forever", () => {
  expect(() => createDataDirectory("/proc/tackle")).toThrow(
    /^The data directory \/proc\/tackle cannot be created/,
  );
});
