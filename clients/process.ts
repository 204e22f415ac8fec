import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";

export interface Ended {
  /** The exit code, or undefined if a signal or the time limit ended it. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  tookTooLong: boolean;
}

export interface Running {
  ended: Promise<Ended>;
  interrupt(): void;
}

export interface Start {
  command: string;
  args: string[];
  cwd: string;
  home: string;
  env?: Record<string, string>;
  stdin?: string;
  /** Runs it in a terminal and types a text there, for programs that do some things nowhere else. */
  terminal?: { ready: string; text: string; until: string };
  timeoutMs?: number;
}

const MARK = "TACKLE_CLIENTS_RUN";
const TYPING_MS = 1_500;
const TIMEOUT_MS = 90_000;

/** Starts a client with its own home. It sees nothing of this machine's settings and keys. */
export function start(options: Start): Running {
  const { cwd, home, env = {}, stdin, terminal, timeoutMs = TIMEOUT_MS } = options;
  const { command, args } = terminal ? inTerminal(options) : options;
  const child = spawn(command, args, {
    cwd,
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      HOME: home,
      XDG_CONFIG_HOME: `${home}/.config`,
      XDG_DATA_HOME: `${home}/.local/share`,
      XDG_STATE_HOME: `${home}/.local/state`,
      XDG_CACHE_HOME: `${home}/.cache`,
      TMPDIR: `${home}`,
      LANG: "C.UTF-8",
      TERM: "dumb",
      CI: "1",
      NO_COLOR: "1",
      DO_NOT_TRACK: "1",
      [MARK]: home,
      ...env,
    },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let tookTooLong = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {}); // It may end before it has read everything.
  if (terminal) type(terminal, child, () => stdout);
  else child.stdin.end(stdin);
  const killGroup = () => signal(child.pid === undefined ? undefined : -child.pid, "SIGKILL");
  const limit = setTimeout(() => {
    tookTooLong = true;
    killGroup();
    killAll(home);
  }, timeoutMs);
  const ended = once(child, "exit").then(([code]) => {
    clearTimeout(limit);
    killGroup();
    killAll(home);
    // In a terminal it ends because it was told to.
    return { code: terminal ? 0 : (code ?? undefined), stdout, stderr, tookTooLong };
  });
  return { ended, interrupt: () => signal(child.pid, "SIGINT") };
}

function inTerminal({ command, args }: Start): Pick<Start, "command" | "args"> {
  const quoted = [command, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ");
  return { command: "script", args: ["-qefc", `stty cols 120 rows 40; ${quoted}`, "/dev/null"] };
}

/** Types the text when the program is ready, and interrupts it once the answer is there. */
function type(
  { ready, text, until }: Required<Start>["terminal"],
  child: ChildProcess,
  output: () => string,
): void {
  let state: "starting" | "typed" | "sent" = "starting";
  const timer = setInterval(() => {
    if (state === "starting" && shows(output(), ready)) {
      state = "typed";
      child.stdin?.write(text);
    } else if (state === "typed") {
      state = "sent";
      child.stdin?.write("\r");
    } else if (state === "sent" && shows(output(), until)) child.stdin?.write("\x03");
  }, TYPING_MS);
  child.once("exit", () => clearInterval(timer));
}

/** True if the words of a text were printed in this order. Programs in a terminal place words by moving the cursor. */
export function shows(output: string, text: string): boolean {
  const plain = stripVTControlCharacters(output);
  let at = 0;
  for (const word of text.split(" ")) {
    at = plain.indexOf(word, at);
    if (at < 0) return false;
  }
  return true;
}

/** Runs a client to its end. */
export function run(options: Start): Promise<Ended> {
  return start(options).ended;
}

/** Kills every process that a client with this home has left in other process groups. Works on Linux only. */
export function killAll(home: string): void {
  if (!existsSync("/proc")) return;
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name) && environmentOf(name).includes(`${MARK}=${home}`))
      signal(Number(name), "SIGKILL");
  }
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch (error) {
    // It has ended, or belongs to somebody else.
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
