import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { createDataDirectory, defaultDataDirectory } from "./data-directory.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-data-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("an empty HOME and an empty TACKLE_DATA don't make the current folder the data directory", () => {
  vi.stubEnv("HOME", "");
  expect(defaultDataDirectory({ TACKLE_DATA: "" })).toBe(join(userInfo().homedir, ".tackle"));
  expect(defaultDataDirectory({ TACKLE_DATA: "here" })).toBe("here");
  vi.unstubAllEnvs();
});

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
