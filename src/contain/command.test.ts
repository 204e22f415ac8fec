import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../protocol/tool.ts";
import { detectSandbox } from "./command/detect.ts";
import { cutNote } from "./command/output.ts";
import { missingForProbes, PYTHON, processesWith, until } from "./command/testing/host.ts";
import { type ContainedOptions, type ContainedResult, KEPT_OUTPUT_BYTES, runContained } from "./command.ts";
import { openForRead } from "./paths-open.ts";

const found = await detectSandbox({ without: ["landlock"] });
const landlock = await detectSandbox({ without: ["bubblewrap"] });
const missing = missingForProbes(found);
if (missing) console.log(`Commands are tested without their sandbox only: ${missing}`);
const bare: Sandbox = { tier: "bare", detail: "", improve: "" };
const isRoot = process.getuid?.() === 0;

let folder: string;
let workspace: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tackle-command-")));
  chmodSync(folder, 0o755);
  workspace = join(folder, "workspace");
  mkdirSync(workspace);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, options: Partial<ContainedOptions> = {}): Promise<ContainedResult> {
  return runContained(command, {
    cwd: workspace,
    roots: [workspace],
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    sandbox: found,
    ...options,
  });
}

/** Runs a command that creates a file called `started`; slow machines get more time to reach that point. */
async function runIntoTimeout(command: string, sandbox: Sandbox): Promise<ContainedResult> {
  for (const timeoutMs of [1_000, 6_000]) {
    const result = await run(command, { sandbox, timeoutMs });
    if (existsSync(join(workspace, "started"))) return result;
  }
  return run(command, { sandbox });
}

/** A process that leaves its group and session and keeps running, with a mark to find it by. */
function daemon(mark: string): string {
  return `(setsid sh -c 'setsid sh -c "touch started; while :; do sleep 1; done # ${mark}" & ' &)`;
}

describe.each([
  { name: "the sandbox", sandbox: found, skip: missing !== undefined },
  { name: "a Landlock sandbox", sandbox: landlock, skip: landlock.tier !== "landlock" },
  { name: "no sandbox, as the operator asked for", sandbox: bare, skip: false },
])("a command in $name", ({ sandbox, skip }) => {
  const it = test.skipIf(skip);

  it("that may only read cannot change the workspace", async () => {
    if (sandbox.tier === "bare") return;
    writeFileSync(join(workspace, "kept"), "kept\n");
    const command = "cat kept; echo a > new; echo b > kept; rm -f kept; chmod 0 kept; mv kept moved; true";
    expect(await run(command, { sandbox, readOnly: true })).toMatchObject({ exitCode: 0, stdout: "kept\n" });
    expect(existsSync(join(workspace, "new"))).toBe(false);
    expect(readFileSync(join(workspace, "kept"), "utf8")).toBe("kept\n");
  });

  it("returns its exit code and both streams", async () => {
    const result = await run("echo out; echo err >&2; exit 3", { sandbox });
    expect(result).toMatchObject({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
      timedOut: false,
      truncated: false,
    });
  });

  it("gets nothing of our environment and no input", async () => {
    process.env.TACKLE_TEST_SECRET = "do not tell";
    const { stdout } = await run("cat; env", { sandbox });
    delete process.env.TACKLE_TEST_SECRET;
    const names = [...stdout.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    const given = ["PATH", "HOME", "LANG", "TERM", "PWD", "TMPDIR", "GIT_CONFIG_NOSYSTEM"];
    expect(names.filter((name) => !given.includes(name ?? ""))).toEqual([]);
    expect(stdout).toContain(`HOME=${workspace}`);
  });

  it("can also write its output to /dev/stdout and /dev/stderr", async () => {
    const result = await run("echo out > /dev/stdout; echo err > /dev/stderr", { sandbox });
    expect(result).toMatchObject({ exitCode: 0, stdout: "out\n", stderr: "err\n" });
  });

  it("is stopped at its timeout, and keeps its output so far", async () => {
    const result = await runIntoTimeout("echo first; touch started; sleep 60", sandbox);
    expect(result).toMatchObject({ timedOut: true, stdout: "first\n" });
  });

  it("finds the Node that we run on", async () => {
    const { stdout } = await run("PATH=/opt/tackle/bin:$PATH; node -p 'process.versions.node'", { sandbox });
    if (sandbox.tier === "bubblewrap") expect(stdout.trim()).toBe(process.versions.node);
    else if (sandbox.tier === "landlock") expect(stdout).toMatch(/^\d+\./);
  });

  it("is stopped by an abort", async () => {
    const abort = new AbortController();
    const mark = randomUUID();
    const running = run(`sh -c 'while :; do sleep 1; done # ${mark}'`, { sandbox, signal: abort.signal });
    await until(() => processesWith(mark).length > 0);
    abort.abort();
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
  });

  it("does not start after an abort", async () => {
    await expect(run("touch x", { sandbox, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "CANCELLED",
    });
    expect(existsSync(join(workspace, "x"))).toBe(false);
  });

  it("cannot keep us waiting through a child that holds its output open", async () => {
    const result = await run("sleep 61 & echo done", { sandbox });
    expect(result).toMatchObject({ exitCode: 0, stdout: "done\n", timedOut: false });
  });

  it("is stopped if it prints without end", async () => {
    const result = await run("yes", { sandbox, limits: { outputBytes: 1_000_000 } });
    expect(result.excess).toBe("it printed too much");
    expect(result.stdout.length).toBeLessThan(2 * KEPT_OUTPUT_BYTES + 100);
  });

  it("has its output cut between whole characters, and reports how much is missing", async () => {
    const chunks: string[] = [];
    const { stdout, truncated, cutBytes } = await run(`yes 'añ€😀' | head -n 120000`, {
      sandbox,
      onOutput: (_, text) => chunks.push(text),
    });
    expect(truncated).toBe(true);
    expect(stdout).not.toContain("\uFFFD");
    const [start = "", end = ""] = stdout.split(cutNote(cutBytes.stdout));
    expect(Buffer.byteLength(start + end) + cutBytes.stdout).toBe(1_320_000);
    expect(Buffer.byteLength(start)).toBeGreaterThan(KEPT_OUTPUT_BYTES - 4);
    expect(Buffer.byteLength(end)).toBeGreaterThan(KEPT_OUTPUT_BYTES - 4);
    // Live output always shows the end.
    const shown = chunks.join("");
    expect(end.endsWith(shown.slice(-1_000))).toBe(true);
    expect(shown.length).toBeLessThan(60_000);
    expect(chunks.length).toBeLessThan(60);
  });

  it("keeps control characters in its output", async () => {
    const { stdout } = await run("printf '\\033[31mred\\000\\r\\n\\377'", { sandbox });
    expect(stdout).toBe("\u001b[31mred\0\r\n\uFFFD");
  });

  it("runs only inside the roots", async () => {
    await expect(run("pwd", { sandbox, cwd: folder })).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(run("pwd", { sandbox, cwd: `${workspace}-sibling` })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });

  it.each(["/", "/etc", "/usr", "/proc", "/dev"])("does not run with %s as its workspace", async (root) => {
    await expect(run("true", { sandbox, roots: [root], cwd: root })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });
});

test("without a sandbox no command runs", async () => {
  const none: Sandbox = { tier: "none", detail: "", improve: "Install bubblewrap." };
  await expect(run("touch x", { sandbox: none })).rejects.toMatchObject({
    code: "FORBIDDEN",
    message: expect.stringContaining("Install bubblewrap."),
  });
  expect(existsSync(join(workspace, "x"))).toBe(false);
});

describe.each([
  { name: "bubblewrap", sandbox: found, skip: missing !== undefined },
  { name: "Landlock", sandbox: landlock, skip: landlock.tier !== "landlock" },
])("under $name", ({ sandbox, skip }) => {
  const it = test.skipIf(skip);

  it("daemons are gone after the command has ended", async () => {
    const mark = randomUUID();
    const { exitCode } = await run(`${daemon(mark)}; until [ -e started ]; do sleep 0.1; done`, { sandbox });
    expect(exitCode).toBe(0);
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
  });

  it("daemons are gone after a timeout", async () => {
    const mark = randomUUID();
    expect(await runIntoTimeout(`${daemon(mark)}; sleep 60`, sandbox)).toMatchObject({ timedOut: true });
    expect(existsSync(join(workspace, "started"))).toBe(true);
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
  });

  it("no process survives if we are killed", async () => {
    const mark = randomUUID();
    const script = join(import.meta.dirname, "command/testing/parent.ts");
    const words = [script, `${daemon(mark)}; sleep 60`, workspace, sandbox.tier];
    const parent = spawn(process.execPath, words, { stdio: "ignore" });
    const inside = () => processesWith(mark).filter((pid) => pid !== parent.pid);
    expect(await until(() => inside().length >= 3)).toBe(true);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    expect(await until(() => inside().length === 0)).toBe(true);
  });

  it("its files belong to the owner of the workspace", async () => {
    const owners = isRoot ? [0, 1234] : [process.getuid?.() ?? 0];
    for (const owner of owners) {
      chownSync(workspace, owner, owner);
      const { exitCode, stdout } = await run(`echo hello > by-${owner} && cat by-${owner}`, { sandbox });
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "hello\n" });
      expect(statSync(join(workspace, `by-${owner}`)).uid).toBe(owner);
      expect(statSync(join(workspace, `by-${owner}`)).mode & 0o7777).toBe(0o644);
    }
  });

  test.skipIf(skip || !isRoot)("300 forks fail for every owner of the workspace", async () => {
    const code = `import os, time
n = 0
try:
    for i in range(300):
        if os.fork() == 0: time.sleep(60)
        n += 1
finally: print(n, flush=True)`;
    for (const owner of [0, 1234]) {
      chownSync(workspace, owner, owner);
      const { stdout } = await run(`${PYTHON} -c '${code}'`, { sandbox });
      expect(Number(stdout)).toBeGreaterThan(100);
      expect(Number(stdout)).toBeLessThan(260);
    }
  });
});

test.skipIf(landlock.tier !== "landlock")(
  "Landlock refuses to run if it would have to hide our data",
  async () => {
    const data = join(workspace, "data");
    mkdirSync(data);
    await expect(run("true", { sandbox: landlock, protect: [data] })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  },
);

describe.skipIf(missing)("in the sandbox", () => {
  test("a sandbox that does not start is reported as our failure, not as the command's", async () => {
    for (const owner of isRoot ? [0, 1234] : [process.getuid?.() ?? 0]) {
      chownSync(workspace, owner, owner);
      const broken: Sandbox = { ...found, program: join(folder, "no-bwrap") };
      await expect(run("true", { sandbox: broken })).rejects.toMatchObject({ code: "TOOL_FAILED" });
    }
  });

  test("a fork bomb is contained, and ends with the command", async () => {
    const mark = randomUUID();
    const result = await run(`bomb() { bomb ${mark} | bomb ${mark} & }; bomb; sleep 60`, {
      timeoutMs: 2_000,
    });
    expect(result.timedOut || result.excess !== undefined || result.exitCode !== 0).toBe(true);
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
  });

  test("the total memory of all processes is limited", async () => {
    const code = "import mmap, time; m = mmap.mmap(-1, 300 << 20); m.write(bytes(300 << 20)); time.sleep(60)";
    const { excess, timedOut } = await run(`for i in 1 2 3; do ${PYTHON} -c '${code}' & done; wait`, {
      limits: { totalMemoryBytes: 600 << 20 },
    });
    expect(timedOut).toBe(false);
    // With a control group, the kernel kills them instead, and the command ends by itself.
    if (excess !== undefined) expect(excess).toContain("600 MB of memory");
  });

  test("disk usage is limited", async () => {
    const { excess } = await run(
      "for i in 1 2 3 4 5; do head -c 40000000 /dev/urandom > f$i; done; sleep 60",
      {
        limits: { diskBytes: 50 << 20 },
      },
    );
    expect(excess).toContain("the disk became fuller by 50 MB");
  });

  test.runIf(isRoot)("the error says how to give the owner of the workspace access to it", async () => {
    chownSync(workspace, 1234, 1234);
    chmodSync(folder, 0o700);
    await expect(run("true")).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("chmod o+x"),
    });
  });

  test("a link that it plants does not mislead the host's file tool", async () => {
    const secret = join(folder, "secret");
    writeFileSync(secret, "secret");
    await run(`ln -s ${secret} link; ln -s ${folder} folder; ln -s / root`);
    for (const path of ["link", "folder/secret", `root${secret}`]) {
      await expect(openForRead([workspace], path)).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
  });

  test("a root that it replaces by a link opens nothing", async () => {
    const inner = join(workspace, "inner");
    mkdirSync(inner);
    const target = join(folder, "target");
    mkdirSync(target);
    await run(`rmdir inner && ln -s ${target} inner`);
    const { exitCode } = await run("touch inner/x", { roots: [workspace, inner] });
    expect(exitCode).not.toBe(0);
    expect(existsSync(join(target, "x"))).toBe(false);
  });

  describe("with our own data in the workspace", () => {
    let data: string;
    beforeEach(() => {
      data = join(workspace, "deep", "er", "data");
      mkdirSync(data, { recursive: true });
      writeFileSync(join(data, "key"), "secret");
    });

    test("the folder looks empty and cannot be written", async () => {
      const { stdout } = await run(
        "ls -A deep/er/data; cat deep/er/data/key; touch deep/er/data/policy.json || echo no",
        {
          protect: [data],
        },
      );
      expect(stdout).toBe("no\n");
      expect(existsSync(join(data, "policy.json"))).toBe(false);
      expect(readFileSync(join(data, "key"), "utf8")).toBe("secret");
    });

    test("nothing can replace the folder", async () => {
      const { stdout } = await run(
        `for p in deep deep/er deep/er/data; do mv $p moved && echo moved $p; rm -rf $p && echo removed $p; done
         mount --bind . deep/er/data && echo mounted; umount deep/er/data && echo unmounted`,
        { protect: [data] },
      );
      expect(stdout).toBe("");
      expect(readFileSync(join(data, "key"), "utf8")).toBe("secret");
    });

    test("the folder is hidden under its real name if it is given through a link", async () => {
      const link = join(folder, "link-to-data");
      symlinkSync(data, link);
      const { stdout } = await run("cat deep/er/data/key", { protect: [link] });
      expect(stdout).toBe("");
    });

    test("a protected file looks empty and stays unchanged", async () => {
      const file = join(workspace, "policy.json");
      writeFileSync(file, "{}");
      const { stdout } = await run(
        "cat policy.json; echo x > policy.json; rm -f policy.json; mv policy.json p && echo moved",
        {
          protect: [file],
        },
      );
      expect(stdout).toBe("");
      expect(readFileSync(file, "utf8")).toBe("{}");
    });

    test("missing paths inside a protected folder need no protection of their own", async () => {
      const { stdout } = await run("ls -A deep/er/data", {
        protect: [join(data, "tools"), data, join(data, "key")],
      });
      expect(stdout).toBe("");
    });

    test("no command runs while a protected file is missing and could be created", async () => {
      await expect(run("true", { protect: [join(workspace, "policy.json")] })).rejects.toMatchObject({
        code: "FORBIDDEN",
      });
      await expect(run("true", { protect: [workspace] })).rejects.toMatchObject({ code: "FORBIDDEN" });
      expect((await run("true", { protect: [join(folder, "missing.json")] })).exitCode).toBe(0);
    });
  });
});
