import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Principal } from "../protocol/principal.ts";
import { detectSandbox } from "./command/detect.ts";
import { type ContainedOptions, type ContainedResult, runContained } from "./command.ts";
import { createCommandServices } from "./command-services.ts";

const bubblewrap = await detectSandbox({ without: ["landlock"] });
const landlock = await detectSandbox({ without: ["bubblewrap"] });
const owner: Principal = { id: "owner", kind: "owner" };
const ann: Principal = { id: "ann", kind: "account" };
const bob: Principal = { id: "bob", kind: "account" };

let folder: string;
let workspace: string;
let person: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tackle-profile-")));
  workspace = join(folder, "workspace");
  person = join(folder, "person");
  for (const path of [workspace, person, join(person, "tool/bin"), join(person, "tool/lib")])
    mkdirSync(path, { recursive: true });
  vi.stubEnv("HOME", person);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function services() {
  const PATH = `${join(person, "tool/bin")}:/usr/bin:/bin:relative:${join(folder, "data")}`;
  const closed = [join(folder, "data")];
  return createCommandServices({ sandbox: bubblewrap, dataDir: join(folder, "data"), closed, env: { PATH } });
}

async function run(
  command: string,
  principal: Principal,
  options: Partial<ContainedOptions> = {},
): Promise<ContainedResult> {
  const profile = await services().profileFor({
    principal,
    sessionId: undefined,
    runId: undefined,
    roots: [workspace],
  });
  return runContained(command, {
    cwd: workspace,
    roots: [workspace],
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    sandbox: bubblewrap,
    profile,
    ...options,
  });
}

describe.each([
  { name: "bubblewrap", sandbox: bubblewrap },
  { name: "Landlock", sandbox: landlock },
])("a command in $name", ({ sandbox }) => {
  const it = test.skipIf(sandbox.tier === "none");

  it("has a home and caches outside of the project, which stay", async () => {
    const { stdout } = await run(
      'echo kept > ~/kept; echo "$HOME $npm_config_cache $PIP_CACHE_DIR"; ls -A',
      ann,
      {
        sandbox,
      },
    );
    const [home = "", ...caches] = stdout.trim().split(" ");
    expect(home).not.toContain(workspace);
    expect(caches.every((cache) => cache.startsWith(home))).toBe(true);
    expect((await run("cat ~/kept; ls -A", ann, { sandbox })).stdout).toBe("kept\n");
  });

  it("sees nothing of another person's home", async () => {
    const { stdout } = await run("echo secret > ~/mine; cd; pwd -P", ann, { sandbox });
    const other = await run(`cat ~/mine; cat '${stdout.trim()}/mine'; ls -A ~ | grep -v tmp`, bob, {
      sandbox,
    });
    expect(other.stdout).toBe("");
  });

  it("cannot change its home if it may only read", async () => {
    await run("echo kept > ~/kept", ann, { sandbox });
    const { stdout } = await run("echo x > ~/kept; echo y > ~/new; cat ~/kept; ls ~/new", ann, {
      sandbox,
      readOnly: true,
    });
    expect(stdout).toBe("kept\n");
  });

  it("of the local user finds their programs, and the parts of these", async () => {
    writeFileSync(join(person, "tool/lib/words"), "hello\n");
    writeFileSync(join(person, "tool/secret"), "token");
    writeFileSync(
      join(person, "tool/bin/greet"),
      `#!/bin/sh\ncat ${person}/tool/lib/words ${person}/tool/secret\n`,
      {
        mode: 0o755,
      },
    );
    const mine = await run("greet; echo x > $(command -v greet)", owner, { sandbox });
    expect(mine.stdout).toBe("hello\n");
    expect(readFileSync(join(person, "tool/bin/greet"), "utf8")).toContain("words");
    const others = await run("greet", ann, { sandbox });
    expect(others.exitCode).toBe(127);
  });

  it("commits under the local user's name, with their safe settings only", async () => {
    writeFileSync(
      join(person, ".gitconfig"),
      "[user]\n\tname = Ann Ö. Example\n\temail = ann@example.org\n[credential]\n\thelper = store\n[core]\n\tpager = evil\n",
    );
    const command =
      "git init -q -b main . && touch a && git add a && git commit -qm one && git log --format='%an <%ae>' && git config --list";
    const { stdout } = await run(command, owner, { sandbox });
    expect(stdout).toContain("Ann Ö. Example <ann@example.org>");
    expect(stdout).not.toMatch(/credential|pager/);
    expect((await run("git config user.name", ann, { sandbox })).stdout).toBe("");
  });
});

describe.skipIf(bubblewrap.tier === "none")("sensitive files of a project", () => {
  beforeEach(() => {
    execFileSync("git", ["init", "-q", "-b", "main", workspace]);
    for (const name of [".vscode", ".agents"]) mkdirSync(join(workspace, name));
    writeFileSync(join(workspace, ".vscode/tasks.json"), "{}");
    writeFileSync(join(workspace, ".mcp.json"), "{}");
  });

  test("cannot be changed, replaced or moved away", async () => {
    const { stdout } = await run(
      `echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.fsmonitor ./evil
       echo x > .vscode/tasks.json; touch .agents/new; echo x > .mcp.json
       for path in .git .git/hooks .git/config .vscode .agents .mcp.json; do mv $path moved && echo moved $path; rm -rf $path; done
       cat .mcp.json .vscode/tasks.json`,
      ann,
    );
    expect(stdout).toBe("{}{}");
    expect(existsSync(join(workspace, ".git/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(workspace, ".git/config"), "utf8")).not.toContain("fsmonitor");
  });

  test("do not keep Git from working", async () => {
    const command =
      "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git switch -qc other && touch f && git add f && " +
      "git -c user.name=a -c user.email=a@b commit -qm two && git stash list && git gc -q && git log --oneline | wc -l";
    expect(await run(command, ann)).toMatchObject({ exitCode: 0, stdout: "2\n" });
  });

  test("that a command creates are reported", async () => {
    const { created } = await run("mkdir .idea && touch .idea/workspace.xml", ann);
    expect(created).toEqual([join(workspace, ".idea")]);
    expect((await run("true", ann)).created).toEqual([]);
  });

  test("are protected in the folders above the working directory too", async () => {
    mkdirSync(join(workspace, "deep/er/.vscode"), { recursive: true });
    await run("echo x > .vscode/a; echo x > ../../.vscode/a", ann, { cwd: join(workspace, "deep/er") });
    expect(existsSync(join(workspace, "deep/er/.vscode/a"))).toBe(false);
    expect(existsSync(join(workspace, ".vscode/a"))).toBe(false);
  });
});
