import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { detectSandbox } from "../../../contain/command/detect.ts";
import { createCommandServices } from "../../../contain/command-services.ts";
import { changedLater, snapshotLater } from "../../../contain/later-files.ts";
import type { AskPerson } from "../../../protocol/questions.ts";
import { toolContext } from "../testing/context.ts";
import tool from "./index.ts";

const sandbox = await detectSandbox();
const runs = test.runIf(sandbox.tier !== "none");

let folder: string;
let workspace: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tackle-later-")));
  workspace = join(folder, "work");
  mkdirSync(join(workspace, ".github/workflows"), { recursive: true });
  writeFileSync(join(workspace, ".github/workflows/ci.yml"), "on: push\n");
  writeFileSync(join(workspace, "package.json"), '{"scripts":{}}\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command; the person, if there is one, answers so. Returns its result and what they were asked. */
async function execute(command: string, answer: string | undefined) {
  const asked: string[] = [];
  const ask: AskPerson = async (question) => {
    asked.push(question);
    // While nobody has answered, nothing runs it.
    expect(existsSync(join(workspace, ".envrc"))).toBe(false);
    return answer;
  };
  const parsed = tool.parse({ command });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { output } = await tool.run(parsed.value, toolContext({ roots: [workspace], sandbox, ask }));
  return { asked, result: JSON.parse(String(output)) };
}
const onDisk = (path: string) => readFileSync(join(workspace, path), "utf8");

runs.each([
  [".envrc", "echo 'rm -rf ~' > .envrc"],
  ["AGENTS.md", "mkdir -p lib && echo obey > AGENTS.md"],
  [".bashrc", "npm --version; echo evil > .bashrc"],
  ["lib/.vscode/tasks.json", "mkdir -p lib/.vscode; echo '{}' > lib/.vscode/tasks.json"],
])("removes %s again if nobody answers", async (path, command) => {
  const { asked, result } = await execute(command, undefined);
  expect(asked).toEqual([expect.stringContaining("run later, outside of the sandbox: ")]);
  expect(result.put_back).toEqual([path]);
  expect(existsSync(join(workspace, path))).toBe(false);
});

runs.each([
  ["another folder for git's settings", ".git/commondir", "mkdir -p .git; echo ../evil > .git/commondir"],
  ["a link for git's hooks", ".git/hooks", "mkdir -p .git evil; ln -s ../evil .git/hooks"],
  [
    "a submodule with a skipped name",
    ".git/modules/target/config",
    "mkdir -p .git/modules/target; echo > .git/modules/target/config",
  ],
  [
    "a repository without .git",
    "lib/HEAD",
    "mkdir -p lib/objects lib/refs; echo > lib/config; echo > lib/HEAD",
  ],
  ["a link for the folder around workflows", "sub/.github", "mkdir sub; ln -s ../evil sub/.github"],
  ["a file too large to keep", "package.json", "head -c 2000000 /dev/zero >> package.json"],
  [
    "settings that git was told to write",
    "lib/.git/config",
    "git init -q lib; git config -f lib/.git/config core.fsmonitor evil",
  ],
  ["what git was told to run", ".bashrc", "git -c alias.x='!echo evil >.bashrc' x"],
])("is not blinded by %s", async (_, path, command) => {
  const { result } = await execute(command, undefined);
  expect(result.put_back).toContain(path);
});

test("is not blinded by more files than are looked at", async () => {
  mkdirSync(join(workspace, "a/b"), { recursive: true });
  mkdirSync(join(workspace, "z"));
  for (let at = 0; at <= 20_000; at++) writeFileSync(join(workspace, `a/b/${at}`), "");
  const before = await snapshotLater([workspace]);
  writeFileSync(join(workspace, "z/.bashrc"), "evil");
  expect((await changedLater(before)).map(({ path }) => path)).toEqual(["z/.bashrc"]);
});

test("is not blinded by files that a command makes, and takes nothing that is there for deleted", async () => {
  mkdirSync(join(workspace, "lib"));
  const before = await snapshotLater([workspace]);
  for (let at = 0; at <= 20_000; at++) writeFileSync(join(workspace, `${at}`), "");
  for (const path of [".github/workflows/new.yml", "lib/.envrc"])
    writeFileSync(join(workspace, path), "evil");
  mkdirSync(join(workspace, ".vscode"));
  writeFileSync(join(workspace, ".vscode/tasks.json"), "evil");
  const changed = await changedLater(before);
  expect(changed.map(({ path, after }) => [path, after])).toEqual(
    [".github/workflows/new.yml", ".vscode/tasks.json", "lib/.envrc"].map((path) => [path, "evil"]),
  );
});

runs("notices a change of a file that was too large to keep", async () => {
  writeFileSync(join(workspace, "lib.pth"), "x".repeat(2_000_000));
  const { asked } = await execute("echo y >> lib.pth", undefined);
  expect(asked[0]).toContain("lib.pth was changed");
});

runs("puts back what was changed or deleted, and leaves other files alone", async () => {
  const command = 'echo x > a.txt; rm -r .github; echo \'{"scripts":{"postinstall":"evil"}}\' > package.json';
  const { asked, result } = await execute(command, "Put back");
  expect(asked[0]).toContain("postinstall");
  expect(result.put_back).toEqual([".github/workflows/ci.yml", "package.json"]);
  expect(onDisk(".github/workflows/ci.yml")).toBe("on: push\n");
  expect(onDisk("package.json")).toBe('{"scripts":{}}\n');
  expect(onDisk("a.txt")).toBe("x\n");
});

runs("does not write through a link that the command has put in the way", async () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "tackle-outside-")));
  try {
    mkdirSync(join(outside, "workflows"));
    await execute(`rm -r .github; ln -s ${outside} .github`, undefined);
    expect(existsSync(join(outside, "workflows/ci.yml"))).toBe(false);
    expect(lstatSync(join(workspace, ".github")).isDirectory()).toBe(true);
    expect(onDisk(".github/workflows/ci.yml")).toBe("on: push\n");
  } finally {
    rmSync(outside, { recursive: true });
  }
});

runs("keeps what the person keeps", async () => {
  const { result } = await execute("echo 'use flake' > .envrc; rm package.json", "Keep");
  expect(existsSync(join(workspace, "package.json"))).toBe(false);
  expect(result).not.toHaveProperty("put_back");
  expect(onDisk(".envrc")).toBe("use flake\n");
});

runs("lets Git change its files unasked", async () => {
  const { asked } = await execute("git init -q", undefined);
  expect(asked).toEqual([]);
  expect(existsSync(join(workspace, ".git/config"))).toBe(true);
});

runs(
  "says when a background command ends that files have changed which run later, and leaves them",
  async () => {
    const commands = createCommandServices({ sandbox, dataDir: join(folder, "data"), closed: [], env: {} });
    try {
      const parsed = tool.parse({ command: "echo evil > .envrc; echo x > a.txt", background: true });
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
      const context = { ...toolContext({ roots: [workspace], sandbox, commands }), sessionId: "s" };
      const { commandId } = JSON.parse(String((await tool.run(parsed.value, context)).output));
      const { state, reason } = await commands.background.output("s", commandId, { waitMs: 10_000 });
      expect(state).toBe("exited");
      expect(reason).toMatch(/run later, outside of the sandbox.*: \.envrc$/);
      expect(onDisk(".envrc")).toBe("evil\n");
    } finally {
      await commands.close();
    }
  },
);
