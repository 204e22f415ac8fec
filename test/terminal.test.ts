import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  hasPseudoTerminal,
  openTerminal,
  type PseudoTerminal,
} from "../src/terminal/testing/pseudo-terminal.ts";
import { command as program, startServer, temporaryFolder } from "./support/server.ts";

const UP = "\x1b[A";
const READY = /›\s*$/;
const folder = temporaryFolder();
const terminals: PseudoTerminal[] = [];

/** The `tackle` command. */
function open(args: string[] = [], env: Record<string, string> = {}): PseudoTerminal {
  const settings = {
    TACKLE_DATA: join(folder.path, "data"),
    TACKLE_ROOTS: join(folder.path, "work"),
    TACKLE_MODEL: "demo/demo",
    OLLAMA_BASE_URL: "http://127.0.0.1:9",
    TACKLE_DEMO_TOKENS_PER_SECOND: "0",
  };
  const terminal = openTerminal(args, { ...settings, ...env }, program);
  terminals.push(terminal);
  return terminal;
}

mkdirSync(join(folder.path, "work"));
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.close();
});
afterAll(() => folder.remove());

it("does not print what a folder says when no person can be asked about it", () => {
  const root = join(folder.path, "unattended");
  mkdirSync(root);
  writeFileSync(join(root, "AGENTS.md"), "Always rhyme.");
  const env = {
    ...process.env,
    TACKLE_ROOTS: root,
    TACKLE_DATA: join(folder.path, "unattended-data"),
    TACKLE_MODEL: "demo/demo",
    OLLAMA_BASE_URL: "http://127.0.0.1:9",
    TACKLE_DEMO_TOKENS_PER_SECOND: "0",
  };
  const { stdout } = spawnSync(process.execPath, [program, "chat"], {
    env,
    input: "hello\n",
    encoding: "utf8",
  });
  expect(stdout).toContain("They are not used, because no person is here to ask.");
  expect(stdout).toContain("offline demo model");
  expect(stdout).not.toMatch(/Always rhyme|Do you trust/);
});

describe.skipIf(!hasPseudoTerminal())("tackle in a terminal", () => {
  it("shows the prompt before the app has loaded, accepts input, and then names the model", async () => {
    const { press, shows, raw } = open();
    await shows(READY);
    press("What time is it in Rome?\r");
    await shows(/It is .* in Rome[\s\S]*›\s*$/);
    expect(raw().indexOf("›")).toBeLessThan(raw().indexOf("Rome"));
    press("\x04");
    const next = open();
    await next.shows(/Tackle \S+ · \/help\n\n›\s*$/);
    await expect.poll(() => next.status(), { timeout: 60_000 }).toMatch(/^demo\/demo · /);
    next.press(UP);
    await next.shows(/› What time is it in Rome\?\s*$/);
  });

  it("asks once whether to trust what the folder says, and uses it only then", async () => {
    const root = join(folder.path, "trusted");
    mkdirSync(join(root, ".agents/skills/release"), { recursive: true });
    writeFileSync(join(root, "AGENTS.md"), "Always \x1b[2Jrhyme.");
    writeFileSync(
      join(root, ".agents/skills/release/SKILL.md"),
      "---\nname: release\ndescription: How to publish.\n---\nRun the tests.",
    );
    const env = { TACKLE_ROOTS: root, TACKLE_DATA: join(folder.path, "trust-data") };
    const { press, shows } = open([], env);
    await shows(READY);
    press("hello\r");
    await shows(/AGENTS\.md\s+Always rhyme\.[\s\S]*skill release How to publish\.[\s\S]*Use them\?/);
    press("y");
    await shows(/Trusted[\s\S]*offline demo model[\s\S]*›\s*$/);
    press("/release now\r");
    await shows(/Run the tests\.[\s\S]*›\s*$/);
    press("\x04");
    const again = open([], env);
    await again.shows(READY);
    again.press("/skills\r");
    expect(await again.shows(/\/release How to publish\.[\s\S]*›\s*$/)).not.toContain("Use them?");
  });

  it("explains an invalid setting in one line and exits", async () => {
    const terminal = open([], { TACKLE_MAX_ITERATIONS: "many" });
    expect(await terminal.exited).toBe(2);
    expect(terminal.text()).toMatch(/\ntackle: TACKLE_MAX_ITERATIONS: must be a whole number[^\n]*\n*$/);
  });

  it("shows live what another terminal does in the same session", async () => {
    const first = open();
    await first.shows(READY);
    const second = open();
    await second.shows(READY);
    first.press("write hello to notes.txt\r");
    await first.shows("Allow it? y once · a always filesystem write");
    second.press("/session\r");
    const listed = await second.shows(/ses_\S+ [^\n]*write hello to notes\.txt\n[\s\S]*›\s*$/);
    const id = /(ses_\S+)[^\n]*write hello/.exec(listed)?.[1] ?? "";
    second.press(`/session ${id}\r`);
    await second.shows("Allow it?");
    second.press("y");
    await second.shows(/notes\.txt is written[\s\S]*›\s*$/);
    await first.shows(/notes\.txt is written[\s\S]*›\s*$/);
    expect(readFileSync(join(folder.path, "work/notes.txt"), "utf8")).toBe("hello\n");
    first.press("/undo\r");
    await first.shows(/✓ write notes\.txt\n\n›\s*$/);
    expect(existsSync(join(folder.path, "work/notes.txt"))).toBe(false);
  });

  it("follows and continues a session that a browser has open", async () => {
    const server = await startServer(join(folder.path, "server"), { TACKLE_DEMO_TOKENS_PER_SECOND: "30" });
    try {
      const response = await fetch(`${server.url}/chat`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: "Tell me about yourself" }),
      });
      const id = /ses_[\w-]+/.exec(
        new TextDecoder().decode((await response.body?.getReader().read())?.value),
      )?.[0];
      const { press, shows } = open(["--server", server.url, "--resume", id ?? ""]);
      await shows(/› Tell me about yourself[\s\S]*offline demo model[\s\S]*›\s*$/);
      press("What time is it in Oslo?\r");
      await shows(/It is .* in Oslo[\s\S]*›\s*$/);
      const messages = async () => (await fetch(`${server.url}/sessions/${id}/messages`)).text();
      await expect.poll(messages, { timeout: 60_000 }).toContain("in Oslo");
    } finally {
      await server.stop();
    }
  });

  it("kills the processes of a command when the turn is stopped", async () => {
    const { press, shows } = open();
    await shows(READY);
    // A duration that no other process on this machine sleeps for.
    const seconds = String(100_000 + process.pid);
    const asleep = () =>
      readdirSync("/proc").some((entry) => {
        const file = `/proc/${entry}/cmdline`;
        return (
          /^\d+$/.test(entry) && existsSync(file) && readFileSync(file, "utf8") === `sleep\0${seconds}\0`
        );
      });
    press(`run \`sleep ${seconds} & wait\`\r`);
    await shows("Allow it?");
    press("y");
    await expect.poll(asleep, { timeout: 20_000 }).toBe(true);
    press("\x1b");
    await shows(/Stopped\.[\s\S]*›\s*$/);
    await expect.poll(asleep, { timeout: 20_000 }).toBe(false);
  });
});
