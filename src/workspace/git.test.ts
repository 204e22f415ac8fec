import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gitChangesOf } from "./git.ts";

let folder = "";
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tackle-git-"));
  git("init", "-q");
  git("config", "user.email", "a@example.com");
  git("config", "user.name", "A");
  writeFileSync(join(folder, "one.txt"), "one\n");
  git("add", ".");
  git("commit", "-qm", "one");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("counts changed and new files of a folder, and says when there are none", async () => {
  expect(await gitChangesOf(folder)).toBe("without changes");
  writeFileSync(join(folder, "one.txt"), "two\n");
  expect(await gitChangesOf(folder)).toBe("with 1 changed file");
  for (const name of ["a", "b"]) writeFileSync(join(folder, name), name);
  expect(await gitChangesOf(folder)).toBe("with 1 changed and 2 new files");
});

it("runs no file system monitor that the repository names", async () => {
  const ran = join(folder, "ran");
  const monitor = join(folder, ".git", "monitor.sh");
  writeFileSync(monitor, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  git("config", "core.fsmonitor", monitor);
  await gitChangesOf(folder);
  expect(existsSync(ran)).toBe(false);
});

it("says nothing about a folder without a repository", async () => {
  const empty = mkdtempSync(join(tmpdir(), "tackle-none-"));
  expect(await gitChangesOf(empty)).toBeUndefined();
  rmSync(empty, { recursive: true });
});
