import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { detectSandbox } from "../contain/command/detect.ts";
import { createReadByCommand } from "../contain/read-by-command.ts";
import { gitChangesOf as countChanges } from "./git.ts";

const sandbox = await detectSandbox();
const runs = it.runIf(sandbox.tier !== "none");
const read = createReadByCommand(
  { principal: { id: "local", kind: "owner" }, roots: [], fetchAllow: [], sandbox, now: () => new Date() },
  60_000,
);
const gitChangesOf = (place: string) => countChanges(place, read ?? (async () => undefined));
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

runs("counts changed and new files of a folder, and says when there are none", async () => {
  expect(await gitChangesOf(folder)).toBe("without changes");
  writeFileSync(join(folder, "one.txt"), "two\n");
  expect(await gitChangesOf(folder)).toBe("with 1 changed file");
  for (const name of ["a", "b"]) writeFileSync(join(folder, name), name);
  expect(await gitChangesOf(folder)).toBe("with 1 changed and 2 new files");
});

runs("runs no file system monitor that the repository names", async () => {
  const ran = join(folder, "ran");
  const monitor = join(folder, ".git", "monitor.sh");
  writeFileSync(monitor, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  git("config", "core.fsmonitor", monitor);
  await gitChangesOf(folder);
  expect(existsSync(ran)).toBe(false);
});

runs("does not let a repository out of the sandbox that a command has made", async () => {
  const outside = mkdtempSync(join(tmpdir(), "tackle-outside-"));
  const ran = join(outside, "ran");
  const planted = join(folder, "planted");
  for (const name of ["HEAD", "refs", "objects"])
    cpSync(join(folder, ".git", name), join(planted, name), { recursive: true });
  mkdirSync(join(planted, "info"));
  writeFileSync(join(planted, "config"), `[filter "x"]\n\tclean = touch ${ran}; cat\n`);
  writeFileSync(join(planted, "info", "attributes"), "* filter=x\n");
  writeFileSync(join(folder, ".git", "commondir"), "../planted\n");
  writeFileSync(join(folder, "one.txt"), "two\n");
  expect(await gitChangesOf(folder)).toBe("with 1 changed and 1 new files");
  // Outside of the sandbox, this repository runs it.
  git("status");
  expect(existsSync(ran)).toBe(true);
  rmSync(ran);
  await gitChangesOf(folder);
  expect(existsSync(ran)).toBe(false);
  rmSync(outside, { recursive: true });
});

it("says nothing about a folder without a repository", async () => {
  const empty = mkdtempSync(join(tmpdir(), "tackle-none-"));
  expect(await gitChangesOf(empty)).toBeUndefined();
  rmSync(empty, { recursive: true });
});
