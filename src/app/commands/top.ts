import { setTimeout as pause } from "node:timers/promises";
import { type Failure, toFailure } from "../../protocol/failure.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { Keyboard } from "../../terminal/keyboard.ts";
import type { Key } from "../../terminal/keys.ts";
import { report } from "../../terminal/output.ts";
import { createFrames, type Frame } from "../../terminal/top/frame.ts";
import { frameLines } from "../../terminal/top/frame-lines.ts";
import { FullScreen } from "../../terminal/top/full-screen.ts";
import { createServerReader } from "../../terminal/top/read-server.ts";
import { configOf, token } from "./open-tackle.ts";

const EVERY_MS = 1_000;
const QUIT_KEYS = ["ctrl-c", "ctrl-d", "escape"];
const EVERY_ADDRESS = ["0.0.0.0", "::"];

/** Shows what a running server does: runs, streams, cost and errors. */
export async function run(line: CommandLine): Promise<number> {
  const { server, metricsToken } =
    line.server === undefined ? await nearServer(line) : farServer(line.server);
  const read = createServerReader(server, { ...token(), metricsToken });
  const frames = createFrames(server);
  const next = async () => frames(await read());
  const first = await next();
  if (!line.once && !line.json && process.stdout.isTTY) return watch(first, next);
  // Rates need a second reading.
  await pause(EVERY_MS);
  const frame = await next();
  report(line, frame, (columns, paint) => frameLines(frame, { columns, rows: Infinity }, paint));
  return 0;
}

/** The server that `tackle serve` starts with the same settings. */
async function nearServer(line: CommandLine) {
  const { host, port, metricsToken } = await configOf(line, true);
  const near = EVERY_ADDRESS.includes(host) ? "127.0.0.1" : host;
  return { server: `http://${near.includes(":") ? `[${near}]` : near}:${port}`, metricsToken };
}

/** Another server never gets the token from this machine's settings file. */
function farServer(server: string) {
  return { server, metricsToken: process.env.TACKLE_METRICS_TOKEN };
}

/** Draws a frame every second until the person leaves. Rejects if the server no longer lets them look. */
async function watch(first: Frame, next: () => Promise<Frame>): Promise<number> {
  const screen = new FullScreen(process.stdout);
  const left = new AbortController();
  const leave = () => left.abort();
  let frame = first;
  let problem: Failure | undefined;
  const draw = () => {
    if (!left.signal.aborted)
      screen.draw(frameLines(frame, screen.size, screen.paint, problem?.publicMessage));
  };
  const keyboard = new Keyboard(process.stdin, process.stdout, (key) => {
    if (isSuspend(key)) {
      screen.leave();
      keyboard.suspend(() => {
        screen.enter();
        draw();
      });
    } else if (isQuit(key)) leave();
  });
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, leave);
  process.stdout.on("resize", draw);
  screen.enter();
  if (process.stdin.isTTY) keyboard.take();
  try {
    for (draw(); !left.signal.aborted; draw()) {
      await pause(EVERY_MS, undefined, { signal: left.signal }).catch(() => undefined);
      if (left.signal.aborted) break;
      try {
        frame = await next();
        problem = undefined;
      } catch (thrown) {
        problem = toFailure(thrown);
        if (problem.code === "UNAUTHORIZED" || problem.code === "FORBIDDEN") throw problem;
      }
    }
    return 0;
  } finally {
    left.abort();
    process.stdout.off("resize", draw);
    for (const signal of signals) process.off(signal, leave);
    keyboard.giveBack();
    screen.leave();
  }
}

function isQuit(key: Key): boolean {
  return key.type === "key" ? QUIT_KEYS.includes(key.name) : key.text.toLowerCase() === "q";
}

function isSuspend(key: Key): boolean {
  return key.type === "key" && key.name === "ctrl-z";
}
