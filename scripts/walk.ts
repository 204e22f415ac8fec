import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

// `npm run walk`: sends one message without tools to a server and prints which files of src/ run because of it, by room, with
// the number of functions in brackets; with `-- --functions`, their names. Fails if there are more files than the goal says.
//
// A file counts if at least one of its functions is called between the request and the end of the stream. Loading a module
// does not count, and neither does what an idle server calls as well (timers). The server has answered one message before:
// what happens only once is not part of the walk. The demo model (src/sim/) stands for the vendor and counts apart.

const GOAL = 70;
const SETTLE_MS = 1_000;
/** Longer than the server's timers wait. */
const IDLE_MS = 6_000;
const showsFunctions = process.argv.includes("--functions");
const source = pathToFileURL(`${resolve(import.meta.dirname, "../src")}/`).href;

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

const data = mkdtempSync(join(tmpdir(), "tackle-walk-"));
const env = { TACKLE_DATA: data, PORT: "0", TACKLE_MODEL: "demo/demo", TACKLE_DEMO_TOKENS_PER_SECOND: "0" };
const { loadConfig } = await import("../src/app/config.ts");
const { serve } = await import("../src/app/serve.ts");
const server = await serve(loadConfig({ env: { ...env, TACKLE_LOG: "error" }, cwd: data }));
try {
  await sendMessage(server.url);
  await pause(SETTLE_MS);
  await calledFunctions();
  await pause(IDLE_MS);
  const idle = await calledFunctions();
  await sendMessage(server.url);
  const called = await calledFunctions();
  report(called, idle);
} finally {
  await server.close();
  rmSync(data, { recursive: true, force: true });
}
process.exit();

/** Sends one message and reads the event stream to its end. */
async function sendMessage(url: string): Promise<void> {
  const response = await fetch(`${url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ message: "Say hello." }),
  });
  const text = await response.text();
  if (!response.ok || !text.includes('"type":"done"')) throw new Error(`${response.status}: ${text}`);
  if (text.includes('"type":"tool_')) throw new Error("the message must not call a tool");
}

/** Returns the functions of src/ that were called since the last call of this function, by file. */
async function calledFunctions(): Promise<Map<string, Set<string>>> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = new Map<string, Set<string>>();
  for (const { url, functions } of result) {
    if (!url.startsWith(source)) continue;
    const names = functions.flatMap(({ functionName, ranges: [range] }) => {
      // The module itself is listed too, but only if it was loaded since the last time.
      const isModule = functionName === "" && range?.startOffset === 0;
      return range && range.count > 0 && !isModule
        ? [`${functionName || "(anonymous)"}@${range.startOffset}`]
        : [];
    });
    if (names.length > 0) files.set(url.slice(source.length), new Set(names));
  }
  return files;
}

function report(called: Map<string, Set<string>>, idle: Map<string, Set<string>>): void {
  const rooms = new Map<string, string[]>();
  for (const [path, names] of called) {
    const own = [...names].filter((name) => !idle.get(path)?.has(name));
    if (own.length === 0) continue;
    const room = path.includes("/") ? path.slice(0, path.indexOf("/")) : ".";
    const what = showsFunctions ? own.map((name) => name.split("@", 1)[0]).join(", ") : own.length;
    rooms.set(room, [...(rooms.get(room) ?? []), `${path.slice(room.length + 1)} (${what})`]);
  }
  const sizes = [...rooms].sort(([, one], [, other]) => other.length - one.length);
  for (const [room, files] of sizes) {
    console.log(`${room}/: ${files.length}`);
    for (const file of files.sort()) console.log(`    ${file}`);
  }
  const model = rooms.get("sim")?.length ?? 0;
  const total = sizes.reduce((sum, [, files]) => sum + files.length, 0) - model;
  console.log(
    `A message without tools passes through ${total} files in ${sizes.length - (model > 0 ? 1 : 0)} rooms (goal: at most ${GOAL}), and ${model} of the demo model.`,
  );
  if (total > GOAL) process.exitCode = 1;
}
