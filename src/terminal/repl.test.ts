import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { openHistory } from "./history.ts";
import { hasPseudoTerminal, openTerminal, type PseudoTerminal } from "./testing/pseudo-terminal.ts";

const ESC = "\x1b";
const CTRL_C = "\x03";
const CTRL_D = "\x04";
const UP = `${ESC}[A`;
const READY = /›\s*$/;

let terminal: PseudoTerminal | undefined;
afterEach(() => terminal?.close());

async function open(args: string[] = [], env: Record<string, string> = {}): Promise<PseudoTerminal> {
  terminal = openTerminal(args, env);
  await terminal.shows(READY);
  return terminal;
}

describe.skipIf(!hasPseudoTerminal())("the chat at a terminal", () => {
  it("shows an answer as rendered Markdown and asks again", async () => {
    const { press, shows, raw, status } = await open();
    press("hello\r");
    const text = await shows(/• two\n\n›\s*$/);
    expect(text).toContain("Tackle /help");
    expect(status()).toBe("demo/demo · /home/someone/project");
    expect(text).toContain("› hello\n\nHello, world.\n\n• one\n• two\n\n›");
    expect(raw()).toContain(`${ESC}[1mworld${ESC}[22m`);
    expect(raw()).toContain(`${ESC}[?2026h`);
  });

  it("uses no colors if NO_COLOR is set", async () => {
    const { press, shows, raw } = await open([], { NO_COLOR: "1" });
    press("hello\r");
    await shows(/• two\n\n›\s*$/);
    expect(raw()).not.toMatch(new RegExp(`${ESC}\\[[0-9;]*m`));
  });

  it("shows thoughts as one line and tools with their time", async () => {
    const { press, shows } = await open();
    press("think\r");
    await shows(/✻ Thought for 1\.2 s · Weighing the options\n\nDone thinking\.\n\n›\s*$/);
    press("tool\r");
    await shows(/Let me look\.\n\n✓ filesystem read notes\.txt {2}12 ms\n\nIt says hello\.\n\n›\s*$/);
  });

  it("shows an answer again from its start when the server lost a part of it", async () => {
    const { press, shows } = await open();
    press("lost\r");
    await shows(/half an ans\n\nThe server lost a part of this answer.*start\.\n\na whole answer\n\n›\s*$/s);
  });

  it("lets no model output reach the terminal as a control sequence", async () => {
    const { press, shows, raw } = await open();
    press("nasty\r");
    const text = await shows(/end\n\n›\s*$/);
    expect(text).toContain("safe text red end");
    for (const bad of [`${ESC}[2J`, `${ESC}]0;`, `${ESC}[31m`, "\u202e"]) expect(raw()).not.toContain(bad);
  });

  it("says once which limit ended a turn", async () => {
    const { press, shows } = await open();
    press("limit\r");
    await shows(/go on\.\s+›/);
    press("hello\r");
    const text = await shows(/two\s+›/);
    expect(text.split("I stopped at the limit")).toHaveLength(2);
    expect(text).not.toContain("Say “continue” to continue");
  });

  it("asks about the calls of one step together, and one key decides about all of them", async () => {
    const { press, shows, log } = await open();
    press("both\r");
    expect(await shows("Allow all 2? y once · o one by one · n no, with a reason · e explain")).toMatch(
      /make a.*\? execute_command.*make b/s,
    );
    await pause(400); // A key that is pressed at once cannot have been meant for both.
    press("y");
    await shows(/Allowed once\.\n✓.*\n✓.*\n\n›\s*$/);
    expect(log().flatMap((line) => ("decide" in line ? [[line.decide, line.decision]] : []))).toEqual([
      ["call_1", "once"],
      ["call_2", "once"],
    ]);
  });

  it("asks about them one by one if the person wants that", async () => {
    const { press, shows, log } = await open();
    press("both\r");
    await shows("Allow all 2?");
    await pause(400);
    press("o");
    await shows("Allow it? y once · n no, with a reason");
    press("n");
    await shows("Why not?");
    press("\r");
    await shows(/Denied\..*make b.*Allow it\?/s);
    press("y");
    await shows(/Allowed once\..*›\s*$/s);
    expect(log().flatMap((line) => ("decide" in line ? [[line.decide, line.decision]] : []))).toEqual([
      ["call_1", "deny"],
      ["call_2", "once"],
    ]);
  });

  it("asks before a tool runs, and y allows it once", async () => {
    const { press, shows, raw, log } = await open();
    press("approve\r");
    const text = await shows("Allow it? y once · a always “git status …” · n no, with a reason · e explain");
    expect(text).toContain(
      "? execute_command medium risk\n  Commands can change files.\n  in /home/someone/project",
    );
    expect(text).toContain("    1 -old line\n    1 +new line");
    // What differs in the line is marked.
    expect(raw()).toContain(
      `${ESC}[31m-${ESC}[39m${ESC}[31m${ESC}[7mold${ESC}[27m${ESC}[39m${ESC}[31m line${ESC}[39m`,
    );
    expect(raw()).toContain(`${ESC}[32m${ESC}[7mnew${ESC}[27m${ESC}[39m`);
    press("y");
    await shows(/Allowed once\.\n✓ execute_command git status --short {2}12 ms\n\n›\s*$/);
    expect(log()).toContainEqual({
      decide: "call_1",
      argumentsHash: "hash",
      runId: "run_1",
      decision: "once",
    });
  });

  it("explains on e, allows always on a", async () => {
    const { press, shows, log } = await open();
    press("approve\r");
    await shows("Allow it?");
    press("e");
    await shows('"command": "git status --short"');
    press("a");
    await shows(/Always allowed\.[\s\S]*›\s*$/);
    expect(log()).toContainEqual({
      decide: "call_1",
      argumentsHash: "hash",
      runId: "run_1",
      decision: "always",
    });
  });

  it("says that the connection is lost until it is back", async () => {
    const { press, shows, release } = await open();
    press("away\r");
    await shows("Connection lost. Trying again …");
    release();
    expect(await shows(/Half an answer\.[\s\S]*›\s*$/)).not.toContain("Connection lost");
  });

  it("does not offer always if each call needs its own approval", async () => {
    const { press, shows, log, release } = await open();
    release();
    press("ask\r");
    await shows("Allow it? y once · n no, with a reason · e explain");
    press("a");
    await shows("› a");
    expect(log().filter((entry) => entry.decide)).toEqual([]);
  });

  it("denies on n, with the reason that was typed", async () => {
    const { press, shows, log } = await open();
    press("approve\r");
    await shows("Allow it?");
    press("n");
    await shows("Why not?");
    press("not todax");
    await shows("not todax");
    press("\x7fy\r");
    await shows(/The person said no: not today\.\n\nThen I will not\.\n\n›\s*$/);
    expect(log()).toContainEqual({
      decide: "call_1",
      argumentsHash: "hash",
      runId: "run_1",
      decision: "deny",
      note: "not today",
    });
  });

  it("does not mistake a started line for a decision", async () => {
    const { press, shows, log, release } = await open();
    press("ask\r");
    await shows("before the question");
    press("yes and y");
    await shows("› yes and y");
    release();
    await shows("Send or clear the line, then answer the question above.");
    press("a");
    await shows("› yes and ya");
    expect(log().filter((entry) => entry.decide)).toEqual([]);
    press("\r");
    await shows(/soon: yes and ya · ↑ takes it back\n +Allow it\?/);
    press("n");
    await shows("Why not?");
    press("\r");
    await shows(/Then I will not\.[\s\S]*You said: yes and ya\n\n›\s*$/);
    expect(log().filter((entry) => entry.decide)).toEqual([
      { decide: "call_1", argumentsHash: "hash", runId: "run_1", decision: "deny" },
    ]);
  });

  it("accepts neither pasted text nor another letter as a decision", async () => {
    const { press, shows, log } = await open();
    press("approve\r");
    await shows("Allow it?");
    press("yay");
    await shows("› yay");
    press("\x15");
    await shows("Allow it?");
    press("w");
    await shows("› w");
    press("a");
    await shows("› wa");
    expect(log().filter((entry) => entry.decide)).toEqual([]);
  });

  it("spells out characters in a question that would hide a part of the command", async () => {
    const { press, shows, raw, release } = await open();
    release();
    press("ask\r");
    await shows("$ rm⟨U+202E⟩⟨U+001B⟩[8m -r x");
    expect(raw()).not.toContain(`${ESC}[8m`);
  });

  it("approves automatically what --allow-tool covers", async () => {
    const { press, shows, log } = await open(["--allow-tool", "execute_command:git status"]);
    press("approve\r");
    await shows(/allowed by --allow-tool\.\n✓ execute_command[^\n]*\n\n›\s*$/);
    expect(log()).toContainEqual({
      decide: "call_1",
      argumentsHash: "hash",
      runId: "run_1",
      decision: "once",
    });
  });

  it.each([
    ["Ctrl-C", CTRL_C],
    ["Esc", ESC],
  ])("stops the answer on %s", async (_, key) => {
    const { press, shows, log } = await open();
    press("slow\r");
    await shows("one two three");
    press(key);
    await shows(/one two three\n\nStopped\.\n\n›\s*$/);
    expect(log()).toContainEqual({ cancel: "run_1" });
    press("after\r");
    await shows("You said: after");
  });

  it("exits at the second interrupt if a run does not stop", async () => {
    const { press, shows } = await open();
    press("stubborn\r");
    await shows("never ends");
    press(CTRL_C);
    await shows("Stopping …");
    press(CTRL_C);
    await shows(/never ends\n\nStopped\.\n\n›\s*$/);
  });

  it("does not mistake an arrow key for Esc during a turn", async () => {
    const { press, shows, log, release } = await open();
    press("wait\r");
    await shows("waiting");
    press(`${ESC}[Cx`);
    await shows("› x");
    release();
    await shows(/waiting is over\n\n› x\s*$/);
    expect(log().some((entry) => entry.cancel)).toBe(false);
  });

  it("sends what was typed during an answer after it, and keeps a started line", async () => {
    const { press, shows, log, release } = await open();
    press("wait\r");
    await shows("waiting");
    press("second\r");
    await shows("soon: second");
    press("third");
    await shows("› third");
    release();
    await shows(/waiting is over\n\n› second\n\nYou said: second\n\n› third\s*$/);
    press(" part\r");
    await shows("You said: third part");
    expect(log()).toEqual([
      { send: { message: "wait" } },
      { steer: "run_1", message: "second", when: "now" },
      { send: { message: "third part", sessionId: "ses_1" } },
    ]);
  });

  it("says a message to the model while it works, and shows it where it took effect", async () => {
    const { press, shows, log, release, status } = await open();
    press("listen\r");
    await shows("working");
    press("use tabs\r");
    await shows("soon: use tabs");
    press(`and then this${ESC}\r`);
    await shows("next: and then this");
    await expect.poll(status).toContain("2 waiting");
    press(UP);
    await shows(/soon: use tabs · ↑ takes it back\n› and then this\s*$/);
    press("\x15");
    release();
    await shows(/working\n\n› use tabs\n\nI heard: use tabs\n\n›\s*$/);
    expect(log().slice(1)).toEqual([
      { steer: "run_1", message: "use tabs", when: "now" },
      { steer: "run_1", message: "and then this", when: "after" },
      { withdraw: "msg_in_2" },
    ]);
  });

  it("shows the last lines of a command's output while it runs, and all of it on Ctrl-O", async () => {
    const { press, shows, release } = await open();
    press("build\r");
    await shows(/… 3 lines before\. Ctrl-O shows more\.\n {4}line 4\n[\s\S]*line 8\n›\s*$/);
    press("\x0f");
    await shows(/make\n {4}line 1\n[\s\S]*line 8\n›\s*$/);
    release();
    await shows(
      /✓ execute_command make {2}12 ms\n {4}… 3 lines before\. Ctrl-O shows all\.[\s\S]*line 8\n\n›\s*$/,
    );
    press("\x0f");
    await shows(/ {2}execute_command make\n {4}line 1\n[\s\S]*line 8\n›\s*$/);
  });

  it("restores what was typed when the answer is stopped", async () => {
    const { press, shows, log } = await open();
    press("slow\r");
    await shows("one two three");
    press("later\r");
    await shows("soon: later");
    press(CTRL_C);
    await shows(/Stopped\.\n\n› later\s*$/);
    expect(log().filter((entry) => entry.send)).toHaveLength(1);
  });

  it("recalls an earlier message on the up arrow", async () => {
    const { press, shows, log } = await open();
    press("first\r");
    await shows(/You said: first\n\n›\s*$/);
    press(UP);
    await shows(/› first\s*$/);
    press("!\r");
    await shows("You said: first!");
    expect(log()).toHaveLength(2);
  });

  it("recalls messages from before a restart, without secrets and readable only by the owner", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tackle-history-"));
    const env = { FAKE_CHAT_LOG: join(folder, "log") };
    const first = await open([], env);
    first.press("before\r");
    await first.shows(/You said: before\n\n›\s*$/);
    first.press("my password is hunter2\r");
    await first.shows(/hunter2\n\n›\s*$/);
    first.press(CTRL_D);
    await first.exited;
    const file = `${env.FAKE_CHAT_LOG}.history`;
    expect(readFileSync(file, "utf8")).toBe('"before"\n"my password is [secret]"\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    appendFileSync(file, '"half a li'); // As if the terminal was killed while writing.
    const { press, shows } = await open([], env);
    press(UP);
    await shows(/› my password is \[secret\]\s*$/);
    press(UP);
    await shows(/› before\s*$/);
    rmSync(folder, { recursive: true, force: true });
  });

  it("limits the size of the history", () => {
    const folder = mkdtempSync(join(tmpdir(), "tackle-history-"));
    const file = join(folder, "history");
    writeFileSync(file, Array.from({ length: 1_200 }, (_, at) => `"line ${at}"\n`).join(""));
    const { entries } = openHistory(file, async (line) => line);
    expect([entries.length, entries[0], entries.at(-1)]).toEqual([500, "line 1199", "line 700"]);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(501);
    rmSync(folder, { recursive: true, force: true });
  });

  it("sends lines that are pasted together as one message", async () => {
    const { press, shows, log } = await open();
    press("one\rtwo\rthree\r");
    await shows(/You said: one two three\n\n›\s*$/);
    expect(log()).toEqual([{ send: { message: "one\ntwo\nthree" } }]);
  });

  it("keeps a pasted text of several lines until Enter, if the terminal marks it", async () => {
    const { press, shows, log, raw } = await open();
    expect(raw()).toContain(`${ESC}[?2004h`);
    press(`${ESC}[200~one\rtwo\rthree${ESC}[201~`);
    await shows(/› one\n {2}two\n {2}three$/);
    expect(() => log()).toThrow(/ENOENT/);
    press(CTRL_C);
    await shows(/\n›\s*$/);
    press(`${ESC}[200~four\rfive${ESC}[201~`);
    await shows(/› four\n {2}five$/);
    press(" six\r");
    await shows(/› four\n {2}five six\n\nYou said: four five six\n\n›\s*$/);
    expect(log()).toEqual([{ send: { message: "four\nfive six" } }]);
    press(CTRL_D);
    await terminal?.exited;
    expect(raw().lastIndexOf(`${ESC}[?2004l`)).toBeGreaterThan(raw().lastIndexOf(`${ESC}[?2004h`));
  });

  it("clears the line on Ctrl-C and exits on the second one in a row", async () => {
    const { press, shows, exited, log, status } = await open();
    press("never sent");
    await shows("› never sent");
    press(CTRL_C);
    await shows(/\n›\s*$/);
    press(CTRL_C);
    await expect.poll(status).toBe("Press Ctrl-C again to leave.");
    press("typed");
    await shows("› typed");
    expect(status()).not.toContain("Ctrl-C");
    press(CTRL_C);
    await shows(/\n›\s*$/);
    press(CTRL_C);
    await expect.poll(status).toBe("Press Ctrl-C again to leave.");
    press(CTRL_C);
    expect(await exited).toBe(0);
    expect(() => log()).toThrow(/ENOENT/);
  });

  it("exits on Ctrl-D and on /exit", async () => {
    const first = await open();
    first.press(CTRL_D);
    expect(await first.exited).toBe(0);
    first.close();
    const second = await open();
    second.press("/exit\r");
    expect(await second.exited).toBe(0);
  });

  it("explains an error and when to try again", async () => {
    const { press, shows } = await open();
    press("refuse\r");
    await shows(/✗ You have used your 20 messages\. Try again in 1 min 30 s\.\n\n›\s*$/);
    press("error\r");
    await shows(/Half an ans\n\n✗ The model's provider did not answer\. Try again\.\n\n›\s*$/);
  });

  it("runs every command of its table", async () => {
    const { press, shows, log } = await open();
    press("/help\r");
    await shows(/\/export \[FILE\] +export this conversation[\s\S]*›\s*$/);
    press("/tools\r");
    await shows(/get_time +none +built-in +The time\.\n\n›\s*$/);
    press("/model\r");
    await shows(/\* demo\/demo +128k +yes +no +Demo(?:(?!There is no model)[\s\S])*›\s*$/);
    press("/model demo/none\r");
    await shows("There is no model demo/none.");
    press("/model demo/other\r");
    await shows("Using demo/other from now on.");
    press("/export\r");
    await shows("There is nothing to export yet.");
    press("/undo\r");
    await shows("There is nothing to undo yet.");
    press("/retry\r");
    await shows("There is no answer to repeat yet.");
    press("/session ses_1\r");
    await shows(/an earlier answer\n\n›\s*$/);
    press("/undo\r");
    await shows(/✓ write notes\.txt\n✗ make: There is no way back\./);
    press("/undo all\r");
    await shows(/Undo everything that was changed in this conversation\? y\/n\n›/);
    press("n");
    await shows("Nothing was undone.");
    press("/context\r");
    await shows(/your messages +about 5/);
    press("/cost\r");
    await shows("Nothing was used yet.");
    press("/export\r");
    await shows("# Earlier talk");
    press("/sesion\r");
    await shows("There is no command /sesion.");
    press("hi\r");
    await shows("You said: hi");
    press("/retry\r");
    await shows(/You said: *\n/);
    const place = { sessionId: "ses_1", model: "demo/other" };
    expect(log()).toEqual([
      { send: { message: "hi", ...place } },
      { send: { regenerate: "msg_1", ...place } },
    ]);
    press("/clear\r");
    await shows(/^›\s*$/);
  });

  it("completes a command on Tab", async () => {
    const { press, shows } = await open();
    press("/he\t");
    await shows(/› \/help\s*$/);
  });

  it("continues the last conversation on -c", async () => {
    const { press, shows, log } = await open(["-c"]);
    await shows("Continuing “Earlier talk” (ses_1)\n\n› an earlier question\n\nan earlier answer");
    press("more\r");
    await shows("You said: more");
    expect(log()).toEqual([{ send: { message: "more", sessionId: "ses_1" } }]);
  });

  it("shows the running answer of the conversation it resumes", async () => {
    const { shows } = await open(["--resume", "ses_busy"]);
    await shows(/an earlier answer\n\nHello, world\.\n\n• one\n• two\n\n›\s*$/);
  });

  it.each([
    ["Shift-Enter of a terminal with the kitty protocol", `${ESC}[13;2u`],
    ["Shift-Enter of xterm", `${ESC}[27;2;13~`],
    ["a backslash and Enter", "\\\r"],
    ["Ctrl-J", "\n"],
  ])("begins a new line on %s", async (_, keys) => {
    const { press, shows, log } = await open();
    press("one");
    await shows("› one");
    press(keys);
    await shows(/› one\n\s*$/);
    press("two");
    await shows(/› one\n {2}two$/);
    press("\r");
    await shows(/You said: one two\n\n›\s*$/);
    expect(log()).toEqual([{ send: { message: "one\ntwo" } }]);
  });

  it("keeps the tabs of a paste, folds a long one, and sends all of it", async () => {
    const { press, shows, log } = await open();
    const pasted = Array.from({ length: 30 }, (_, at) => `\tline ${at}`).join("\n");
    press(`look: ${ESC}[200~${pasted}${ESC}[201~`);
    await shows(/› look: \[Pasted 1: 30 lines\]\s*$/);
    press(" ok\r");
    await shows("You said: look:");
    expect(log()).toEqual([{ send: { message: `look: ${pasted} ok` } }]);
  });

  it("finds an earlier message of several lines on Ctrl-R", async () => {
    const { press, shows, log } = await open();
    press("needle\\\r");
    await shows(/› needle\n\s*$/);
    press("second line\r");
    await shows(/You said: needle second line\n\n›\s*$/);
    press("other\r");
    await shows(/You said: other\n\n›\s*$/);
    press("\x12need");
    await shows(/› needle\n {2}second line\n {2}search: need▏$/);
    press("\r");
    await expect.poll(() => log().length).toBe(3);
    expect(log().at(-1)).toMatchObject({ send: { message: "needle\nsecond line" } });
  });

  it("completes a file after an @, and attaches it", async () => {
    const { press, shows, log } = await open([], { FAKE_FOLDER: process.cwd() });
    press("read @fake-ch");
    await shows(/› read @fake-ch\n {2}@src\/terminal\/testing\/fake-chat\.ts/);
    press("\t");
    await shows(/› read @src\/terminal\/testing\/fake-chat\.ts *$/);
    press("now\r");
    await shows("You said: read @src");
    expect(log()).toMatchObject([
      { attach: "fake-chat.ts" },
      { send: { attachments: [{ fileId: "file_fake-chat.ts" }] } },
    ]);
  });

  it("runs a command on !, and takes its output along with the next message", async () => {
    const { press, shows, log } = await open();
    press("!git status\r");
    await shows(/ran git status\n {2}5 ms · goes with your next message\n\n›\s*$/);
    press("!!ls\r");
    await shows(/ran ls\n {2}exit code 2 · 5 ms\n\n›\s*$/);
    press("what is this?\r");
    await shows("You said:");
    expect(log().slice(0, 2)).toEqual([
      { callTool: "execute_command", command: "git status" },
      { callTool: "execute_command", command: "ls" },
    ]);
    expect(log().at(-1)).toEqual({
      send: { message: "I ran this command:\n\n```\n$ git status\nran git status\n```\n\nwhat is this?" },
    });
  });

  it("shows what a command of the person prints while it runs", async () => {
    const { press, shows, text } = await open();
    press("!!slow\r");
    await shows(/it runs\n\s*›/);
    await shows(/ran slow\n {2}5 ms\n\n›\s*$/);
    expect(text()).not.toContain("it runs");
  });

  it("shows every key of an approval in 40 columns, and a status line that fits", async () => {
    terminal = openTerminal([], {}, undefined, 40);
    await terminal.shows(READY);
    terminal.press("approve\r");
    await terminal.shows("  Allow it? y once\n  a always “git status …”\n  n no, with a reason · e explain");
    expect(terminal.status()).toBe("demo/demo · /home/someone/project");
    terminal.press("e");
    await terminal.shows(/ {2}execute_command would be called with\n {2}these arguments:/);
    for (const line of terminal.text().split("\n")) expect(line.length).toBeLessThan(40);
  });

  it("shows the keys of its own questions in 40 columns", async () => {
    terminal = openTerminal([], {}, undefined, 40);
    await terminal.shows(READY);
    terminal.press("hello\r");
    await terminal.shows(/• two\n\n›\s*$/);
    terminal.press("/undo all\r");
    await terminal.shows(/ {2}Undo everything that was changed in\n {2}this conversation\? y\/n/);
  });

  it("draws wide characters and marks where the cursor expects them", async () => {
    const { press, shows, log } = await open();
    press("日本語👩‍👩‍👧e\u0301x");
    await shows("› 日本語👩‍👩‍👧éx".normalize("NFD").replace("日", "日"));
    press(`${ESC}[D\x7f\x7f`); // Before the x, and the two characters before it.
    await shows(/› 日本語x\s*$/);
    press("\r");
    await shows("You said: 日本語x");
    expect(log()).toEqual([{ send: { message: "日本語x" } }]);
  });

  it("begins with the message of the command line", async () => {
    const { shows, log } = await open(["hello there"]);
    await shows(/› hello there\n\nHello, world\./);
    expect(log()).toEqual([{ send: { message: "hello there" } }]);
  });

  it("shows tools on stderr in a single turn at a terminal", async () => {
    terminal = openTerminal(["-p", "tool"]);
    expect(await terminal.exited).toBe(0);
    expect(terminal.text().trimEnd()).toBe(
      "Let me look.\n✓ filesystem read notes.txt 12 ms\n\nIt says hello.",
    );
  });

  it("reports that the conversation to resume does not exist", async () => {
    terminal = openTerminal(["--resume", "ses_9"]);
    expect(await terminal.exited).toBe(1);
    expect(terminal.text()).toContain("✗ There is no such session.");
  });
});
