import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { detectSandbox } from "../../../contain/command/detect.ts";
import { shortenFinally } from "../../../loop/long-results.ts";
import type { Sandbox, ToolContext, ToolProgress } from "../../../protocol/tool.ts";
import { toolContext } from "../testing/context.ts";
import { memoryUndoJournal } from "../testing/undo-journal.ts";
import tool from "./index.ts";

const sandbox = await detectSandbox();
const missing = sandbox.tier === "none";
if (missing) console.log(`execute_command is not tested with a sandbox: ${sandbox.detail}`);

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "tackle-execute-")));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

function context(overrides: Partial<ToolContext> = {}): ToolContext {
  return toolContext({ roots: [workspace], sandbox, ...overrides });
}

async function execute(args: Record<string, unknown>, overrides: Partial<ToolContext> = {}) {
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return tool.run(parsed.value, context(overrides));
}

test.runIf(missing && process.env.CI)("CI has a sandbox", () => {
  expect(sandbox.tier).not.toBe("none");
});

test("is offered only with a folder and a sandbox", () => {
  const none: Sandbox = { tier: "none", detail: "", improve: "" };
  const working: Sandbox = { ...none, tier: "bubblewrap" };
  const offered = (settings: { roots: string[]; sandbox?: Sandbox }) =>
    tool.available({ env: {}, ...settings });
  expect(offered({ roots: ["/project"], sandbox: working })).toBe(true);
  expect(offered({ roots: [], sandbox: working })).toBe(false);
  expect(offered({ roots: ["/project"], sandbox: none })).toBe(false);
  expect(offered({ roots: ["/project"] })).toBe(false);
});

test("refuses to run without a sandbox, even if it is called anyway", async () => {
  await expect(execute({ command: "true" }, { sandbox: undefined })).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
});

test("counts as reading only if the command reads, and knows danger", () => {
  expect(tool.effectOf({ command: "git status && ls" })).toBe("read");
  expect(tool.effectOf({ command: "git status > a" })).toBe("write");
  expect(tool.riskOf?.({ command: "npm test" })).toEqual({ risk: "medium" });
  expect(tool.riskOf?.({ command: "sudo ls" })).toMatchObject({ risk: "high" });
});

test("limits its arguments", () => {
  const ok = (args: unknown) => tool.parse(args).ok;
  expect(ok({ command: "x".repeat(10_000), timeoutSeconds: 300 })).toBe(true);
  expect(ok({ command: "x".repeat(10_001) })).toBe(false);
  expect(ok({ command: "" })).toBe(false);
  expect(ok({ command: "a\0b" })).toBe(false);
  for (const timeoutSeconds of [0, 301, 1.5, -1, "30"])
    expect(ok({ command: "x", timeoutSeconds })).toBe(false);
  expect(tool.parse({ command: "x" })).toMatchObject({ value: { timeoutSeconds: 30 } });
  expect(tool.timeoutMs).toBeGreaterThan(300_000);
});

test("shows an approver the exact command and directory, with hidden characters spelled out", async () => {
  const preview = (args: unknown) => tool.preview(args, context());
  expect(await preview({ command: "git log --format='%h'\nls", cwd: "sub" })).toBe(
    "git log --format='%h'\nls\n\nin sub",
  );
  expect(await preview({ command: "ls" })).toBe("ls");
  expect(await preview({ command: "ls", background: true })).toBe("ls\n\nin the background");
  expect(await preview({ command: "rm x\r\u001b[2Kls \u202e" })).toContain(
    "rm x⟨U+000D⟩⟨U+001B⟩[2Kls ⟨U+202E⟩",
  );
});

describe.skipIf(missing)("a command", () => {
  test("returns its exit code and output, to programs and to the model", async () => {
    const { output, data } = await execute({ command: "echo hello; echo oh >&2; exit 4" });
    expect(data).toEqual({
      exit_code: 4,
      stdout: "hello\n",
      stderr: "oh\n",
      duration_ms: expect.any(Number),
    });
    expect(JSON.parse(output)).toEqual(data);
  });

  test("runs in the working folder, or in a directory below it", async () => {
    mkdirSync(join(workspace, "sub"));
    await execute({ command: "echo here > a" });
    await execute({ command: "echo there > a", cwd: "sub" });
    expect(readFileSync(join(workspace, "a"), "utf8")).toBe("here\n");
    expect(readFileSync(join(workspace, "sub/a"), "utf8")).toBe("there\n");
  });

  test.each(["..", "/", "/etc", "sub/../..", "../workspace-evil"])("does not run in %s", async (cwd) => {
    await expect(execute({ command: "pwd", cwd })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("does not run in a link, a file or a missing folder", async () => {
    symlinkSync("/etc", join(workspace, "link"));
    writeFileSync(join(workspace, "file"), "");
    await expect(execute({ command: "pwd", cwd: "link" })).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(execute({ command: "pwd", cwd: "link/ssl" })).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(execute({ command: "pwd", cwd: "file" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(execute({ command: "pwd", cwd: "missing" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("that takes too long is stopped, and is not retried automatically", async () => {
    await expect(execute({ command: "sleep 60", timeoutSeconds: 1 })).rejects.toMatchObject({
      code: "TOOL_TIMEOUT",
      retryable: false,
      message: expect.stringContaining("within 1 s"),
    });
  });

  test("that takes too long still returns its output, as untrusted text", async () => {
    const command = "echo 17 of 20 tests passed; sleep 60";
    await expect(execute({ command, timeoutSeconds: 3 })).rejects.toMatchObject({
      untrusted: true,
      message: expect.stringMatching(/ends with:\n17 of 20 tests passed$/),
    });
  });

  test("shows its output while it runs", async () => {
    const shown: ToolProgress[] = [];
    await execute({ command: "echo one; echo two >&2" }, { progress: (progress) => shown.push(progress) });
    const chunks = (phase: string) =>
      shown.filter((piece) => piece.phase === phase).map((piece) => piece.chunk);
    expect(chunks("stdout").join("")).toBe("one\n");
    expect(chunks("stderr").join("")).toBe("two\n");
  });

  test("that prints a lot keeps both ends, and reports how much is missing", async () => {
    const { output, data } = await execute({
      command: "echo begin; head -c 1250000 /dev/zero | tr '\\0' x; echo; echo end; echo failed >&2",
    });
    expect(data).toMatchObject({ exit_code: 0, stderr: "failed\n", truncated: true });
    const kept = (data as { stdout: string }).stdout;
    expect(kept).toMatch(/^begin\nx+\n\[… 250,011 bytes were cut here …\]\nx+\nend\n$/);
    expect(JSON.parse(output)).toEqual(data);
  });

  test("reaches the model without colors, and with the last state of its progress lines", async () => {
    const command = "printf '\\033[32mok\\033[0m\\n10%%\\r50%%\\r100%%\\n'; printf '\\033[2Jbad\\r\\n' >&2";
    const { data } = await execute({ command });
    expect(data).toMatchObject({ stdout: "ok\n100%\n", stderr: "bad\n" });
  });

  test("that prints many lines shows the model mostly the end, cut between lines", async () => {
    const { output } = await execute({ command: "seq 1 20000; echo why >&2; exit 1" });
    const shown = JSON.parse(shortenFinally(output, tool)?.output ?? "");
    expect(shown).toMatchObject({ exit_code: 1, stderr: "why\n" });
    const lines: string[] = shown.stdout.split("\n");
    const gap = lines.findIndex((line) => line.startsWith("[…"));
    expect(lines[gap]).toMatch(/^\[… \d+ bytes, \d+ lines omitted …\]$/);
    expect(Number(lines[gap - 1])).toBe(gap);
    expect(lines.slice(gap + 1, -1).map(Number)).toEqual(
      Array.from({ length: lines.length - gap - 2 }, (_, index) => 20_000 - (lines.length - gap - 3) + index),
    );
    const [head, tail] = shown.stdout.split(lines[gap]);
    expect(tail.length / head.length).toBeCloseTo(4, 0);
    expect(shown.stdout.length).toBeLessThan(30_100);
  });

  test("sees none of Tackle's own data in the working folder", async () => {
    const data = join(workspace, ".tackle");
    mkdirSync(data);
    writeFileSync(join(data, "key"), "secret");
    const { output } = await execute(
      { command: "ls -A .tackle; touch .tackle/policy.json" },
      { protectedPaths: [data] },
    );
    expect(JSON.parse(output)).toMatchObject({ exit_code: 1, stdout: "" });
  });

  test("is recorded as irreversible, unless it only reads", async () => {
    const undo = memoryUndoJournal();
    await execute({ command: "echo one >a\necho two" }, { undo });
    await execute({ command: "ls" }, { undo });
    expect(undo.entries).toMatchObject([{ summary: "run echo one >a echo two", reversible: false }]);
  });

  test("that was judged to only read can change nothing, even if it tries", async () => {
    writeFileSync(join(workspace, "a"), "");
    const git = "git -c init.defaultBranch=main init -q . && git add a && git config diff.external ./evil.sh";
    writeFileSync(join(workspace, "evil.sh"), "#!/bin/sh\necho written > written\n", { mode: 0o755 });
    await execute({ command: git });
    writeFileSync(join(workspace, "a"), "changed");
    await execute({ command: "git diff" });
    expect(existsSync(join(workspace, "written"))).toBe(false);
    await execute({ command: "git diff; true > b" });
    expect(existsSync(join(workspace, "written"))).toBe(true);
  });

  test("is stopped together with its call", async () => {
    const abort = new AbortController();
    const running = execute(
      { command: "echo started; sleep 60" },
      { signal: abort.signal, progress: () => abort.abort() },
    );
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
  });
});
