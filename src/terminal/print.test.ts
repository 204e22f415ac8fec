import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FIXTURE } from "./testing/pseudo-terminal.ts";

interface Result {
  stdout: string;
  stderr: string;
  code: number | null;
  log: Record<string, unknown>[];
}

interface Run {
  stdin?: string;
  /** Called with everything on stdout so far. */
  onOutput?(text: string, child: ReturnType<typeof spawn>): void;
}

function tackle(args: string[], { stdin, onOutput }: Run = {}): Promise<Result> {
  const logFile = join(mkdtempSync(join(tmpdir(), "tackle-print-")), "log.jsonl");
  const child = spawn(process.execPath, [FIXTURE, ...args], {
    env: { ...process.env, FAKE_CHAT_LOG: logFile },
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (data) => {
    stdout += data;
    onOutput?.(stdout, child);
  });
  child.stderr?.setEncoding("utf8").on("data", (data) => {
    stderr += data;
  });
  child.stdin?.end(stdin);
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ stdout, stderr, code, log: readLog(logFile) }));
  });
}

function readLog(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, { encoding: "utf8", flag: "a+" }).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

describe("one turn without questions", () => {
  it("prints the answer unchanged, and nothing else", async () => {
    const { stdout, stderr, code } = await tackle(["-p", "hello"]);
    expect({ stdout, stderr, code }).toEqual({
      stdout: "Hello, **world**.\n\n- one\n- two\n",
      stderr: "",
      code: 0,
    });
  });

  it("says so when the server lost a part of the answer and sends it again", async () => {
    const { stdout, stderr } = await tackle(["-p", "lost"]);
    expect(stdout).toBe("half an ans\na whole answer\n");
    expect(stderr).toMatch(/shown again from the start/);
  });

  it("ends the last line", async () => {
    expect((await tackle(["-p", "echo this"])).stdout).toBe("You said: echo this\n");
  });

  it("adds piped input to the prompt", async () => {
    const { log } = await tackle(["-p", "explain"], { stdin: "some\ntext\n" });
    expect(log).toEqual([{ send: { message: "explain\n\nsome\ntext", attended: false } }]);
    expect((await tackle(["-p"], { stdin: "only this" })).log).toEqual([
      { send: { message: "only this", attended: false } },
    ]);
  });

  it("accepts a prompt that looks like an option", async () => {
    expect((await tackle(["-p", "-1 + 2", "--model", "demo/other"])).log).toEqual([
      { send: { message: "-1 + 2", model: "demo/other", attended: false } },
    ]);
  });

  it("reports an empty prompt", async () => {
    const { stderr, code } = await tackle(["-p", " "]);
    expect(stderr).toBe("tackle: the prompt is empty. Pass one, or pipe it in.\n");
    expect(code).toBe(2);
  });

  it("prints one JSON event per line with --json", async () => {
    const { stdout, code } = await tackle(["-p", "hello", "--json"]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.at(0)).toMatchObject({ type: "session", runId: "run_1", model: "demo/demo" });
    expect(events.at(1)).toEqual({
      type: "content_delta",
      choices: [{ index: 0, delta: { content: "Hello, " } }],
    });
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
    expect(code).toBe(0);
  });

  it("denies a tool that needs an approval and exits with 3", async () => {
    const { stdout, stderr, code, log } = await tackle(["-p", "approve"]);
    expect(code).toBe(3);
    expect(stdout).toBe("Then I will not.\n");
    expect(stderr).toContain("execute_command needs an approval and was denied: git status --short.");
    expect(log).toContainEqual({
      decide: "call_1",
      argumentsHash: "hash",
      runId: "run_1",
      decision: "deny",
      note: "Nobody was available to approve it.",
    });
  });

  it("allows what --allow-tool covers, and no more", async () => {
    expect((await tackle(["-p", "approve", "--allow-tool", "execute_command:git status"])).code).toBe(0);
    expect((await tackle(["-p", "approve", "--allow-tool", "execute_command"])).code).toBe(0);
    expect((await tackle(["-p", "approve", "--allow-tool", "execute_command:git push"])).code).toBe(3);
    expect((await tackle(["-p", "approve", "--allow-tool", "filesystem"])).code).toBe(3);
  });

  it("exits with 1 and a sentence after an error, before the turn and in it", async () => {
    const before = await tackle(["-p", "refuse"]);
    expect(before).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "tackle: You have used your 20 messages. Try again in 1 min 30 s.\n",
    });
    const within = await tackle(["-p", "error"]);
    expect(within).toMatchObject({
      code: 1,
      stdout: "Half an ans\n",
      stderr: "tackle: The model's provider did not answer. Try again.\n",
    });
  });

  it("exits with 4 and says once which limit ended the turn, and JSON is no exception", async () => {
    const limit = "I stopped at the limit of 50 steps for one request. Say “continue” and I will go on.";
    expect(await tackle(["-p", "limit"])).toMatchObject({
      code: 4,
      stdout: `Half of it.\n\n${limit}\n`,
      stderr: `tackle: ${limit}\n`,
    });
    expect((await tackle(["-p", "limit", "--json"])).code).toBe(4);
  });

  it("reports an error as JSON if JSON was requested", async () => {
    const { stdout, code } = await tackle(["-p", "refuse", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ type: "error", code: "RATE_LIMITED", retryAfter: 90 });
    expect(code).toBe(1);
  });

  it("stops the run when interrupted and exits with 130", async () => {
    let sent = false;
    const { code, stdout, log } = await tackle(["-p", "slow"], {
      onOutput(text, child) {
        if (!sent && text.includes("three")) sent = child.kill("SIGINT");
      },
    });
    expect(code).toBe(130);
    expect(stdout).toBe("one two three\n");
    expect(log).toContainEqual({ cancel: "run_1" });
  });

  it("takes a signal that npm passes on, right after the terminal sent it, for the same press of Ctrl-C", async () => {
    let sent = false;
    const { code, log } = await tackle(["-p", "slow"], {
      onOutput(text, child) {
        if (sent || !text.includes("three")) return;
        sent = child.kill("SIGINT");
        setTimeout(() => child.kill("SIGINT"), 20);
      },
    });
    expect(code).toBe(130);
    expect(log).toContainEqual({ cancel: "run_1" });
  });

  it("exits quietly, and stops the run, when its output is closed", async () => {
    const { code, stderr, log } = await tackle(["-p", "long"], {
      onOutput: (_, child) => child.stdout?.destroy(),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(log).toContainEqual({ cancel: "run_1" });
  });

  it("gives a slow reader every line", async () => {
    const { stdout } = await tackle(["-p", "long"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(20_000);
  });

  it("lets no control sequence of the model through", async () => {
    expect((await tackle(["-p", "nasty"])).stdout).toBe("safe text red\nend\n");
  });
});

describe("the chat without a keyboard", () => {
  it("sends each line as a message and asks no questions", async () => {
    const { stdout, code, log } = await tackle(["chat"], { stdin: "hello\napprove\n/tools\n" });
    expect(code).toBe(0);
    expect(stdout).toContain("Hello, world.\n\n• one\n• two\n");
    expect(stdout).toContain("was denied, because there is no keyboard.");
    expect(stdout).toMatch(/get_time +none/);
    expect(stdout).not.toContain("\x1b");
    expect(log.filter((entry) => entry.send)).toHaveLength(2);
  });
});
