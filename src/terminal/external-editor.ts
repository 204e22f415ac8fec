import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../protocol/failure.ts";
import type { Keyboard } from "./keyboard.ts";
import type { Screen } from "./screen.ts";

/** The shell's code for a program that is not there. */
const NOT_FOUND = 127;

/** Opens the person's editor with a text. Returns what they saved. The editor has the terminal until it ends. */
export async function editOutside(text: string, screen: Screen, keyboard: Keyboard): Promise<string> {
  const windows = process.platform === "win32";
  const editor = process.env.VISUAL || process.env.EDITOR || (windows ? "notepad" : "vi");
  const folder = await mkdtemp(join(tmpdir(), "tackle-"));
  const file = join(folder, "message.md");
  // In an editor that leaves the terminal as it is, Ctrl-C reaches us too.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  screen.hold();
  keyboard.giveBack();
  try {
    // Editors end a line with a newline.
    await writeFile(file, text === "" ? "" : `${text}\n`, { mode: 0o600 });
    // The setting may have options, as in "code --wait".
    const child = windows
      ? spawn(process.env.ComSpec || "cmd.exe", ["/d", "/s", "/c", `"${editor} "${file}""`], {
          stdio: "inherit",
          windowsVerbatimArguments: true,
        })
      : spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    const [code] = await once(child, "close");
    if (code === NOT_FOUND)
      throw new Failure("INVALID_INPUT", `${editor} was not found. Set EDITOR to the editor that you use.`);
    if (code !== 0)
      throw new Failure("INVALID_INPUT", `${editor} did not end normally, so the text is unchanged.`);
    return (await readFile(file, "utf8")).replace(/\r\n?/g, "\n").trimEnd();
  } finally {
    process.off("SIGINT", ignore);
    keyboard.take();
    screen.release();
    await rm(folder, { recursive: true, force: true });
  }
}
