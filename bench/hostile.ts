import { chatTurn } from "../src/sim/turns.ts";
import { startUpstream } from "../src/sim/upstream.ts";
import { signUp } from "../test/support/accounts.ts";
import { modelAt } from "../test/support/server.ts";
import { measureBrowser } from "./hostile/browser.ts";
import { type MeasuredServer, startMeasured } from "./hostile/measured-server.ts";
import { BODIES, headShapes, type Shape, uploadShapes, workShapes } from "./hostile/shapes.ts";
import { stateShapes } from "./hostile/state-shapes.ts";

const MOST_MS = 20;
/** The same for a tab of the web app. */
const MOST_TASK_MS = 100;
const REPEATS = 3;
/** How many of the slowest requests are listed. */
const SHOWN = 25;
const TIMEOUT_MS = 30_000;
const NO_LIMIT = { guest: 1e6, account: 1e6 };

interface Measured {
  name: string;
  status: number | string;
  /** CPU milliseconds of the longest turn of the event loop, at the first request. */
  first: number;
  /** The same at the best of several requests: without what happens once in the life of a process. */
  best: number;
  /** Milliseconds on the clock of that turn, which other processes on the machine lengthen. */
  wall: number;
}

/**
 * Sends hostile requests as a stranger and as a guest, one at a time, and measures how long each holds the event loop. Then
 * opens hostile messages in a browser. `server` and `browser` measure only one of the two; `--only=part of a name` measures only
 * these and lists them all.
 */
export async function run(): Promise<void> {
  const only = process.argv.find((word) => word.startsWith("--only="))?.slice("--only=".length);
  const part = process.argv.find((word) => word === "server" || word === "browser");
  const stall = part === "browser" ? 0 : await measureServers(only);
  const task = part === "server" ? 0 : await measureBrowser(MOST_TASK_MS, only);
  if (stall > MOST_MS || task > MOST_TASK_MS) process.exitCode = 1;
}

/** Returns the longest stall in milliseconds. */
async function measureServers(only: string | undefined): Promise<number> {
  console.log(
    `The longest turn of the event loop during one request, as CPU time of the main thread (garbage collection included), so
that other processes do not count; "clock" is the same turn on the clock. Figure: at most ${MOST_MS} ms of CPU.`,
  );
  // Also an answer in JSON, for those who demand one.
  const answer = `{"a": "${"a".repeat(60)}!"}`;
  const upstream = await startUpstream({ respond: () => chatTurn({ text: answer }), record: false });
  const guests = {
    TACKLE_AUTH: "guest",
    TACKLE_LIMITS: JSON.stringify({
      ...{ chat: NO_LIMIT, generate_artifact: NO_LIMIT, web_fetch: NO_LIMIT },
      guestMegabytes: 1_000_000,
    }),
    TACKLE_API_PER_MINUTE: "1000000",
  };
  const rows = [
    ...(await measureServer("stranger, accounts required", { TACKLE_AUTH: "required" }, only)),
    ...(await measureServer("guest, demo model", guests, only)),
    ...(await measureServer("guest, model of a vendor", { ...guests, ...modelAt(upstream.url) }, only)),
  ];
  await upstream.close();
  const longest = Math.max(0, ...rows.map(({ best }) => best));
  const first = Math.max(0, ...rows.map(({ first }) => first));
  const over = rows.filter((row) => row.first > MOST_MS);
  console.log(`
longest stall by one request of a stranger or guest: ${longest.toFixed(1)} ms (figure: ${MOST_MS})
the same with the first request of its kind after the start: ${first.toFixed(1)} ms; ${over.length} of ${rows.length} over ${MOST_MS} ms`);
  for (const row of over) console.log(`${row.first.toFixed(1).padStart(10)}  ${row.name}`);
  return longest;
}

async function measureServer(
  role: string,
  env: Record<string, string>,
  only: string | undefined,
): Promise<Measured[]> {
  const server = await startMeasured(env);
  try {
    await signUp(server.process, "administrator");
    const guest = (await fetch(`${server.url}/sessions`)).headers.get("x-tackle-guest");
    const identity: Record<string, string> = guest === null ? {} : { cookie: `tackle_guest=${guest}` };
    const isAgain = env.OPENAI_API_KEY !== undefined;
    const shapes = [
      ...(isAgain ? [] : [...headShapes(), ...uploadShapes()]),
      ...workShapes(),
      ...(guest === null ? [] : await stateShapes(server.url)),
      ...(isAgain ? [] : await bodyShapes(server.url)),
    ].filter(({ name }) => only === undefined || name.includes(only));
    const measured: Measured[] = [];
    for (const shape of shapes) measured.push(await measure(server, shape, identity));
    report(role, measured, only === undefined ? SHOWN : measured.length);
    return measured;
  } finally {
    await server.stop();
  }
}

/** Every body on every route that takes one, as the description of the API lists them. */
async function bodyShapes(url: string): Promise<Shape[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: unknown }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .flatMap(([method]) =>
        Object.entries(BODIES).map(([name, body]) => ({
          name: `${path} ${name}`,
          method: method.toUpperCase() as Shape["method"],
          path: path.replace(/\{\w+\}/g, "x"),
          headers: { "content-type": "application/json" },
          body: name.includes("not UTF-8") ? Buffer.from(body.padEnd(520_000, "\u00ff"), "latin1") : body,
        })),
      ),
  );
}

async function measure(
  server: MeasuredServer,
  shape: Shape,
  identity: Record<string, string>,
): Promise<Measured> {
  let status: number | string = 0;
  const once = () =>
    server.longestTurn(async () => {
      status = await send(server.url, shape, identity);
    });
  const first = await once();
  let best = first;
  for (let repeat = 1; repeat < REPEATS && best.cpu > MOST_MS / 2 && !shape.isOnce; repeat++) {
    const again = await once();
    if (again.cpu < best.cpu) best = again;
  }
  return { name: shape.name, status, first: first.cpu, best: best.cpu, wall: best.wall };
}

async function send(
  url: string,
  { method, path, headers, body }: Shape,
  identity: Record<string, string>,
): Promise<number | string> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...identity, ...headers },
      body: typeof body === "string" || body === undefined ? body : new Uint8Array(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (thrown) {
    // A server may close the connection of a body that it does not want.
    return thrown instanceof Error ? `${thrown.name}` : "failed";
  }
}

function report(role: string, measured: readonly Measured[], shown: number): void {
  console.log(`\n${role}: ${measured.length} requests`);
  console.log(`${"best of 3".padStart(10)}${"clock".padStart(8)}${"first".padStart(8)}  status  request`);
  const sorted = measured.toSorted((one, other) => other.best - one.best);
  for (const { name, status, first, best, wall } of sorted.slice(0, shown)) {
    const times = [best.toFixed(1).padStart(10), wall.toFixed(1).padStart(8), first.toFixed(1).padStart(8)];
    console.log(`${times.join("")}  ${String(status).padEnd(6)}  ${name}`);
  }
  const failed = measured.filter(
    ({ status }) => typeof status === "number" && status >= 500 && status !== 503,
  );
  if (failed.length > 0)
    console.log(`${failed.length} were answered with 5xx: ${failed.map(({ name }) => name).join("; ")}`);
  const answers = Map.groupBy(measured, ({ status }) => status);
  console.log([...answers].map(([status, list]) => `${status}: ${list.length}`).join(", "));
}
