import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BackgroundOutput, CommandCaller } from "../protocol/commands.ts";
import { MOST_RUNNING } from "./background.ts";
import { detectSandbox } from "./command/detect.ts";
import { processesWith, until } from "./command/testing/host.ts";
import { createCommandServices } from "./command-services.ts";
import { runCommand } from "./run-command.ts";

const bubblewrap = await detectSandbox({ without: ["landlock"] });
const landlock = await detectSandbox({ without: ["bubblewrap"] });

let folder: string;
let workspace: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tackle-background-")));
  workspace = join(folder, "workspace");
  mkdirSync(workspace);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  { name: "bubblewrap", sandbox: bubblewrap },
  { name: "Landlock", sandbox: landlock },
])("a background command in $name", ({ sandbox }) => {
  const it = test.skipIf(sandbox.tier === "none");
  let services: ReturnType<typeof createCommandServices>;
  beforeEach(() => {
    services = createCommandServices({ sandbox, dataDir: join(folder, "data"), closed: [], env: {} });
  });
  afterEach(() => services.close());

  function caller(sessionId: string | undefined, runId = "run"): CommandCaller {
    return { principal: { id: "ann", kind: "account" }, sessionId, runId, roots: [workspace] };
  }
  const start = (command: string, sessionId = "s", runId?: string) =>
    services.background.start(caller(sessionId, runId), { command, cwd: workspace });

  it("is named as another process's where that one still runs, and as gone where it does not", async () => {
    const { commandId } = await start("sleep 30");
    const other = createCommandServices({ sandbox, dataDir: join(folder, "data"), closed: [], env: {} });
    await expect(other.background.output("s", commandId, {})).rejects.toThrow(
      /belongs to another process of this server/,
    );
    await expect(other.background.stop("s", "cmd_unknown")).rejects.toThrow(
      /end with a restart or a crash of the server/,
    );
    await other.close();
  });

  async function ended(sessionId: string, commandId: string): Promise<BackgroundOutput> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const found = await services.background.output(sessionId, commandId, {});
      if (found.state !== "running") return found;
      await services.background.output(sessionId, commandId, { since: found.next, waitMs: 200 });
    }
    throw new Error("It still runs.");
  }

  it("goes on while others run, and says how it ended", async () => {
    const { commandId, state } = await start("echo one; sleep 1; echo two >&2; exit 3");
    expect(state).toBe("running");
    const first = await services.background.output("s", commandId, { waitMs: 10_000 });
    expect(first).toMatchObject({ state: "running", output: "one\n", next: 4 });
    const rest = await services.background.output("s", commandId, { since: first.next, waitMs: 10_000 });
    expect(rest.output).toBe("two\n");
    expect(await ended("s", commandId)).toMatchObject({ state: "exited", exitCode: 3, output: "one\ntwo\n" });
  });

  it("is stopped with everything that it started", async () => {
    const mark = randomUUID();
    const daemon = `(setsid sh -c 'setsid sh -c "while :; do sleep 1; done # ${mark}" & ' &)`;
    const { commandId } = await start(`${daemon}; touch started; sleep 1000`);
    expect(await until(() => existsSync(join(workspace, "started")) && processesWith(mark).length > 0)).toBe(
      true,
    );
    expect(await services.background.stop("s", commandId)).toMatchObject({ state: "stopped" });
    expect(processesWith(mark)).toEqual([]);
    expect(await services.background.stop("s", commandId)).toMatchObject({ state: "stopped" });
  });

  it("ends with its session, with a run that is taken over, and with the server", async () => {
    const marks = [randomUUID(), randomUUID(), randomUUID()];
    const [one = "", two = "", three = ""] = marks.map(
      (mark) => `sh -c 'while :; do sleep 1; done # ${mark}'`,
    );
    await start(one, "deleted", "run1");
    await start(two, "kept", "lost");
    await start(three, "kept", "run3");
    expect(await until(() => marks.every((mark) => processesWith(mark).length > 0))).toBe(true);
    await services.background.endSession("deleted");
    await services.background.endRun("lost");
    expect(marks.map((mark) => processesWith(mark).length > 0)).toEqual([false, false, true]);
    await services.close();
    expect(processesWith(marks[2] ?? "")).toEqual([]);
    expect(readdirSync(join(folder, "data/commands"))).toEqual([]);
    await expect(start("true")).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  });

  it("belongs to its session alone", async () => {
    const { commandId } = await start("sleep 100", "mine");
    expect(services.background.list("yours")).toEqual([]);
    for (const touch of [
      () => services.background.output("yours", commandId, {}),
      () => services.background.stop("yours", commandId),
    ])
      await expect(touch()).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: expect.stringContaining("start it again"),
      });
    expect(services.background.list("mine")).toMatchObject([{ commandId, state: "running" }]);
    await expect(
      services.background.start(caller(undefined), { command: "true", cwd: workspace }),
    ).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("is announced once when it ends by itself, and the notice says that no person spoke", async () => {
    const { commandId } = await start("exit 7");
    await until(() => services.background.list("s")[0]?.state === "exited");
    const [notice, ...others] = services.background.takeNotices("s");
    expect(notice).toContain("no person has said anything");
    expect(notice).toContain(`${commandId} (exit 7) ended with exit code 7`);
    expect(others).toEqual([]);
    expect(services.background.takeNotices("s")).toEqual([]);
  });

  it("can print without end: its beginning and its end are kept", async () => {
    const { commandId } = await start("echo begin; seq 1 400000; echo end");
    const { output, next } = await ended("s", commandId);
    expect(output).toMatch(/^begin\n1\n[\s\S]*\n\[… [\d,]+ bytes were cut here …\]\n[\s\S]*400000\nend\n$/);
    expect(output.length).toBeLessThan(1_100_000);
    expect((await services.background.output("s", commandId, { since: next - 4 })).output).toBe("end\n");
  });

  it("is one of at most eight in a session", async () => {
    await Promise.all(Array.from({ length: MOST_RUNNING }, () => start("sleep 100")));
    await expect(start("true")).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    expect((await start("true", "other")).state).toBe("running");
  });
});

describe.skipIf(bubblewrap.tier === "none")("commands of one session", () => {
  test("reach each other's servers, and nobody else's", async () => {
    const services = createCommandServices({
      sandbox: bubblewrap,
      dataDir: join(folder, "data"),
      closed: [],
      env: {},
    });
    const caller = (sessionId: string): CommandCaller => ({
      principal: { id: "ann", kind: "account" },
      sessionId,
      runId: "run",
      roots: [workspace],
    });
    const fetch = (sessionId: string) =>
      runCommand(
        { ...caller(sessionId), sandbox: bubblewrap, commands: services },
        {
          command: `node -e 'fetch("http://127.0.0.1:8080").then(async (r) => console.log(await r.text()), () => console.log("nobody"))'`,
          cwd: workspace,
          timeoutMs: 20_000,
          signal: new AbortController().signal,
        },
      );
    const server = `require("http").createServer((q, r) => r.end("hello")).listen(8080, "127.0.0.1", () => console.log("up"))`;
    const { commandId } = await services.background.start(caller("one"), {
      command: `node -e '${server}'`,
      cwd: workspace,
    });
    const up = await services.background.output("one", commandId, { waitMs: 20_000 });
    expect(up.output).toBe("up\n");
    expect((await fetch("one")).stdout).toBe("hello\n");
    expect((await fetch("two")).stdout).toBe("nobody\n");
    await services.close();
  });
});
