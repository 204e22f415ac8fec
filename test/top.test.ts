import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  hasPseudoTerminal,
  openTerminal,
  type PseudoTerminal,
} from "../src/terminal/testing/pseudo-terminal.ts";
import { ask, bearer, signUp } from "./support/accounts.ts";
import { type Line, startLine } from "./support/line.ts";
import { command as program, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, postChat } from "./support/sse.ts";

const PATIENT = { timeout: 180_000 };
const folder = temporaryFolder();
const hasTerminal = hasPseudoTerminal();
let server: ServerProcess;
let line: Line;
let terminal: PseudoTerminal | undefined;

beforeAll(async () => {
  server = await startServer(join(folder.path, "data"), { TACKLE_DEMO_TOKENS_PER_SECOND: "20" });
  line = await startLine(server.url);
});
afterEach(() => terminal?.close());
afterAll(async () => {
  await line.close();
  await server.stop();
  folder.remove();
});

function top(args: string[], env: Record<string, string> = {}) {
  const settings = { PATH: process.env.PATH, TACKLE_DATA: join(folder.path, "none"), ...env };
  return spawnSync(process.execPath, [program, "top", ...args], { env: settings, encoding: "utf8" });
}

it("prints the state once, as text and as JSON, with rates", PATIENT, async () => {
  await chat(server.url, { message: "What time is it in Rome?" });
  const text = top(["--once", "--server", server.url]);
  expect(text.stdout).toMatch(/^Tackle · http:\S+ · ready · up /);
  expect(text.stdout).toMatch(/^Runs {6}0 active · 0\.0\/s ended · 0 failed in \d+ s$/m);
  const { status, stdout } = top(["--json"], { PORT: new URL(server.url).port });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    server: server.url,
    ready: true,
    runs: { active: 0, waiting: 0, endedPerSecond: 0 },
    streams: { open: 0 },
    active: [],
    errorsToday: [],
  });
});

it("says in one line that the server is not there, or wants an administrator", PATIENT, async () => {
  const away = top(["--server", "http://127.0.0.1:9"]);
  expect(away).toMatchObject({ status: 1, stdout: "" });
  expect(away.stderr).toMatch(/^tackle: Can't reach the server at http:\/\/127\.0\.0\.1:9\.[^\n]*\n$/);
  const closed = await startServer(join(folder.path, "closed"), { TACKLE_AUTH: "required" });
  try {
    const refused = top(["--once", "--server", closed.url]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/^tackle: Sign in [^\n]*TACKLE_TOKEN[^\n]*scope admin\.\n$/);
    const admin = await signUp(closed, "admin");
    const { key } = await ask<{ key: string }>(closed, "POST", "/me/keys", bearer(admin.token), {
      scopes: ["admin"],
    });
    expect(top(["--once", "--server", closed.url], { TACKLE_TOKEN: key }).stdout).toContain(
      "No active runs.",
    );
  } finally {
    await closed.stop();
  }
});

it.skipIf(!hasTerminal)(
  "follows runs live, survives an outage, and leaves the screen as it was",
  PATIENT,
  async () => {
    terminal = openTerminal(
      ["top", "--server", line.url],
      { TACKLE_DATA: join(folder.path, "none") },
      program,
    );
    await terminal.shows("No active runs.");
    const answer = await postChat(server.url, { message: "Tell me a long story." });
    await terminal.shows(/Runs {6}1 active[\s\S]*demo\/demo/);
    await answer.text();
    await terminal.shows("No active runs.");
    line.cut();
    await terminal.shows("Can't reach the server");
    line.mend();
    await terminal.shows(/^(?![\s\S]*Can't reach)[\s\S]*No active runs\./);
    terminal.press("q");
    expect(await terminal.exited).toBe(0);
    const raw = terminal.raw();
    expect(raw).toContain("\x1b[?1049h");
    expect(raw.lastIndexOf("\x1b[?25h\x1b[?1049l")).toBeGreaterThan(raw.lastIndexOf("Runs"));
  },
);

it.skipIf(!hasTerminal)("has no colors with NO_COLOR, and leaves on Ctrl-C", PATIENT, async () => {
  const env = { TACKLE_DATA: join(folder.path, "none"), NO_COLOR: "1" };
  terminal = openTerminal(["top", "--server", server.url], env, program, 40);
  await terminal.shows("Runs");
  terminal.press("\x03");
  expect(await terminal.exited).toBe(0);
  const sequences = terminal.raw().split("\x1b[");
  expect(sequences.filter((sequence) => /^[0-9;]*m/.test(sequence))).toEqual([]);
});
