import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FIXTURE, hasPseudoTerminal, openTerminal, type PseudoTerminal } from "./testing/pseudo-terminal.ts";

const ESC = "\x1b";
const CTRL_C = "\x03";
const CTRL_G = "\x07";
const UP = `${ESC}[A`;
const READY = /›\s*$/;

let terminal: PseudoTerminal | undefined;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tackle-editor-"));
});
afterEach(() => {
  terminal?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(args: string[] = [], env: Record<string, string> = {}): Promise<PseudoTerminal> {
  terminal = openTerminal(args, env);
  await terminal.shows(READY);
  return terminal;
}

/** An editor that is a shell script. Its file is $1. */
function editor(script: string): string {
  const file = join(folder, "editor.sh");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe.skipIf(!hasPseudoTerminal())("the keys of the prompt", () => {
  it("goes on after Ctrl-Z where no shell could continue it", async () => {
    const { press, shows } = await open();
    press("half\x1a");
    await shows(/^[^›]*$/);
    press(" a line");
    await shows(/› half a line\s*$/);
  });

  it("gives the shell back on Ctrl-Z where another program, such as npm, started the command", async () => {
    const starter = join(folder, "starter.mjs");
    const job = `sh -c '"${process.execPath}" "${FIXTURE}"; true'; echo "back in the shell"; read -r; fg`;
    writeFileSync(
      starter,
      `import { spawn } from "node:child_process"; spawn("bash", ["-mc", ${JSON.stringify(job)}], { stdio: "inherit" });`,
    );
    terminal = openTerminal([], {}, starter);
    const { press, shows } = terminal;
    await shows(READY);
    press("half\x1a");
    await shows("back in the shell");
    press("\r");
    await shows(/› half\s*$/);
    press(" a line");
    await shows(/› half a line\s*$/);
  });

  it("opens the person's editor with what is typed on Ctrl-G, and takes what was saved", async () => {
    const EDITOR = `${editor('echo editing; read -r answer; sed -i "s/cat/$answer/" "$2"; echo second >> "$2"')} --wait`;
    const { press, shows, log } = await open([], { EDITOR, VISUAL: "" });
    press(`a cat${CTRL_G}`);
    await shows("editing");
    press("dog\r");
    await shows(/› a dog\n {2}second\s*$/);
    press("\r");
    await shows("You said: a dog second");
    expect(log()).toContainEqual({ send: expect.objectContaining({ message: "a dog\nsecond" }) });
  });

  it("gives the editor all of a folded paste", async () => {
    const { press, shows } = await open([], { VISUAL: editor('grep -c line "$1" > "$1.n"; mv "$1.n" "$1"') });
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
    press(`${ESC}[200~${lines}${ESC}[201~`);
    await shows("[Pasted 1: 30 lines]");
    press(CTRL_G);
    await shows(/› 30\s*$/);
  });

  it("keeps the text and says why if there is no editor or it fails", async () => {
    const { press, shows } = await open([], { VISUAL: "no-such-editor" });
    press(`keep me${CTRL_G}`);
    await shows(
      /✗ no-such-editor was not found\. Set EDITOR to the editor that you use\.[\s\S]*› keep me\s*$/,
    );
  });

  it("shows the rest of an answer that was written while the editor was open", async () => {
    const { press, shows, release } = await open([], { VISUAL: editor("echo editing; read -r answer") });
    press("wait\r");
    await shows("waiting");
    press(CTRL_G);
    await shows("editing");
    release();
    press("\r");
    await shows(/waiting is over\s+›\s*$/);
  });

  it("goes back to an earlier message on Esc Esc, and branches there", async () => {
    const { press, shows, log } = await open(["-c"]);
    press(ESC);
    await shows(/Esc again to go back/);
    press(ESC);
    await shows(/Go back to: .*\n {2}› an earlier question\n›\s*$/);
    press(`${UP}\r`);
    await shows(/↩ Replaces “an earlier question” · Esc: no\n› an earlier question\s*$/);
    press(" again\r");
    await shows(/You said: an earlier question again/);
    expect(log()).toContainEqual({
      send: expect.objectContaining({ message: "an earlier question again", parentId: null }),
    });
    press("next\r");
    await shows(/You said: next/);
    const sent = log().flatMap(({ send }) => (send ? [send] : []));
    expect(sent.at(-1)).not.toHaveProperty("parentId");
  });

  it("stays where it is on another Esc", async () => {
    const { press, shows, log, text } = await open(["-c"]);
    press(ESC);
    await shows(/Esc again/);
    press(ESC);
    await shows("Go back to:");
    press(ESC);
    await shows(READY);
    press(ESC);
    await shows(/Esc again/);
    press(ESC);
    await shows("Go back to:");
    press("\r");
    await shows("↩ Replaces");
    press(ESC);
    await shows(/^(?![\s\S]*↩)[\s\S]*› an earlier question\s*$/);
    press("\r");
    await shows(/You said: an earlier question/);
    expect(text()).not.toContain("↩");
    expect(log().find(({ send }) => send)?.send).not.toHaveProperty("parentId");
  });

  it("attaches the image in the clipboard on Ctrl-V, and says if there is none", async () => {
    const program = join(folder, "wl-paste");
    writeFileSync(program, "#!/bin/sh\nprintf picture\n");
    chmodSync(program, 0o755);
    const { press, shows, log } = await open([], { PATH: `${folder}:${process.env.PATH}` });
    press("look \x16");
    await shows("› look [Image 1: clipboard.png]");
    press("\r");
    await shows("You said: look");
    expect(log()).toContainEqual({ attach: "clipboard.png", text: "picture" });
    writeFileSync(program, "#!/bin/sh\nexit 1\n");
    press("\x16");
    await shows("✗ There is no image in the clipboard.");
  });

  it("says on leaving that the output of a command was not sent", async () => {
    const { press, shows, raw, exited } = await open();
    press("!ls\r");
    await shows(/goes with your next message\s+›\s*$/);
    press(CTRL_C);
    press(CTRL_C);
    expect(await exited).toBe(0);
    const plain = stripVTControlCharacters(raw());
    expect(plain).toContain("The output of a command was not sent, because no message followed.");
  });

  it("attaches pasted text that is too long for a message to a server, and refuses what is longer", async () => {
    const { press, shows, log } = await open(["--server", "http://example.com"]);
    const long = "0123456789abcdef ".repeat(9_000).trimEnd();
    press(`sum up ${ESC}[200~${long}${ESC}[201~\r`);
    await shows("You said: sum up [attached as pasted-1.txt, pasted-2.txt]");
    const files = log().flatMap(({ attach, text }) => (attach ? [String(text)] : []));
    expect(files.join("")).toBe(long);
    press("x".repeat(100_001));
    press("\r");
    await shows(/✗ This is too long: it has 100,001 characters\./);
  });
});
