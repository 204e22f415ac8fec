import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { VirtualScreen } from "./virtual-screen.ts";

export const FIXTURE = fileURLToPath(new URL("main.ts", import.meta.url));
const PATIENCE_MS = 150_000;

/** Whether this machine can open a pseudo-terminal: `script` of util-linux, part of every Debian. */
export function hasPseudoTerminal(): boolean {
  const found = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
  if (!found && process.env.CI)
    throw new Error("script (util-linux) is missing: the terminal cannot be tested");
  if (!found)
    console.warn("skipped: script (util-linux) is missing, so there is no pseudo-terminal to test in");
  return found;
}

export interface PseudoTerminal {
  press(keys: string): void;
  /** Waits until the screen matches. If it never does, it fails with the whole screen. */
  shows(wanted: string | RegExp): Promise<string>;
  /** The screen without the line below the prompt. */
  text(): string;
  /** The line below the prompt. */
  status(): string;
  /** Every byte that was written. */
  raw(): string;
  /** The requests to the chat, in order. */
  log(): Record<string, unknown>[];
  /** Releases a script that waits. */
  release(): void;
  exited: Promise<number>;
  close(): void;
}

/** The line below the prompt begins with the model, which is the demo model in tests. */
function aboveStatus(text: string): string {
  return text.replace(/\n {2}(?:\S*demo\b|starting|Press Ctrl-C)[^\n]*$/, "");
}

/** Starts the terminal, or another program, in a real pseudo-terminal, 80 columns wide. */
export function openTerminal(
  args: string[] = [],
  env: Record<string, string> = {},
  program = FIXTURE,
  columns = 80,
): PseudoTerminal {
  const folder = mkdtempSync(join(tmpdir(), "tackle-terminal-"));
  const logFile = join(folder, "log.jsonl");
  const command = [process.execPath, program, ...args]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  const child = spawn("script", ["-qfec", `stty cols ${columns} rows 24; exec ${command}`, "/dev/null"], {
    // A person's terminal has colors, whatever machine the tests run on.
    env: {
      ...process.env,
      TERM: "xterm-256color",
      NO_COLOR: "",
      CI: undefined,
      FAKE_CHAT_LOG: logFile,
      ...env,
    },
  });
  const screen = new VirtualScreen(columns);
  let raw = "";
  let look = () => {};
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    raw += data;
    screen.write(data);
    look();
  });
  const exited = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));

  return {
    press: (keys) => void child.stdin.write(keys),
    shows: (wanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          look = () => {};
          reject(new Error(`never showed ${wanted}; the screen is:\n${screen.text}`));
        }, PATIENCE_MS);
        look = () => {
          const text = aboveStatus(screen.text);
          if (typeof wanted === "string" ? !text.includes(wanted) : !wanted.test(text)) return;
          clearTimeout(timer);
          look = () => {};
          resolve(text);
        };
        look();
      }),
    text: () => aboveStatus(screen.text),
    status: () => screen.text.slice(aboveStatus(screen.text).length).trim(),
    raw: () => raw,
    log: () =>
      readFileSync(logFile, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    release: () => writeFileSync(`${logFile}.go`, ""),
    exited,
    close() {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
