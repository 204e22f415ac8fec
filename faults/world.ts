import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { type RecordedRequest, startUpstream, type Upstream } from "../src/sim/upstream.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { modelAt, temporaryFolder } from "../test/support/server.ts";
import { type Inspection, inspectPostgres, inspectSqlite } from "./inspect.ts";
import { Instance } from "./instance.ts";
import { type FaultProxy, startFaultProxy } from "./proxy.ts";
import { mountSmallDisk, unmountSmallDisk } from "./small-disk.ts";
import { FollowedTurn, type TurnOptions } from "./turn.ts";

export type EngineName = "SQLite" | "PostgreSQL";

/** What the model says to a turn: by the step of the turn, and by how often it was asked for this step before. */
export type Play = (step: number, attempt: number) => Turn;

/** Instances on one database, a scripted model, a tool whose effects are counted, and everything that clients saw. */
export interface World {
  readonly engine: EngineName;
  readonly folder: string;
  readonly instances: Instance[];
  readonly upstream: Upstream;
  readonly inspection: Inspection;
  /** Only on PostgreSQL. */
  readonly cluster: Cluster | undefined;
  /** What a client shows with each request. */
  readonly headers: Record<string, string>;
  /** Turns that no check has looked at yet. */
  readonly turns: FollowedTurn[];
  /** Begins a turn to which the model answers with `play`. */
  turn(play: Play, options?: TurnOptions): FollowedTurn;
  /** The idempotency keys of all effects that the tool `note` has had, in their order. */
  effects(): string[];
  /** A gate that a call of `note` waits at. */
  gate(): { path: string; open(): void };
  startInstance(name: string, env?: Record<string, string>): Promise<Instance>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** The data directory of the first instance is a disk of this size. */
  diskMegabytes?: number;
  /** Settings of all its instances. */
  env?: Record<string, string>;
}

/** One and a half of it is the longest that a run of a dead owner waits. */
export const LEASE_MS = 1_500;
const NO_LIMIT = { guest: 1_000_000, account: 1_000_000 };

/** Whether there can be such a world here. */
export function canHave(engine: EngineName): boolean {
  return engine === "SQLite" || findRelease() !== undefined;
}

/** One instance on SQLite, or two on a PostgreSQL of their own, each with its own line to it. */
export async function createWorld(
  engine: EngineName,
  { diskMegabytes, env: own = {} }: WorldOptions = {},
): Promise<World> {
  const { path: folder, remove } = temporaryFolder();
  const closers: (() => unknown)[] = [remove];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const plays = new Map<string, { play: Play; asked: Map<number, number> }>();
    const upstream = await startUpstream({ respond: (request) => answer(request, plays) });
    closers.push(() => upstream.close());
    writeTools(folder);
    if (diskMegabytes) {
      mountSmallDisk(join(folder, "one"), diskMegabytes);
      closers.push(() => unmountSmallDisk(join(folder, "one")));
    }
    const release = engine === "PostgreSQL" ? findRelease() : undefined;
    if (engine === "PostgreSQL" && !release) throw new Error("PostgreSQL is not installed");
    const cluster = release && (await startCluster(release));
    if (cluster) closers.push(() => cluster.dispose());
    const instances: Instance[] = [];
    const turns: FollowedTurn[] = [];
    const headers: Record<string, string> = {};
    let names = 0;
    const settings = { ...common(folder, upstream), ...(cluster ? forMany() : {}), ...own };

    async function startInstance(name: string, env: Record<string, string> = {}): Promise<Instance> {
      const line = cluster && (await startFaultProxy(cluster.tcpUrl));
      const all: Record<string, string> = { ...settings, ...env };
      if (cluster && line) all.DATABASE_URL = line.through(cluster.tcpUrl);
      const instance = new Instance(join(folder, name), all, line);
      closers.push(() => closeInstance(instance, line));
      await instance.start();
      return instance;
    }

    const world: World = {
      engine,
      folder,
      instances,
      upstream,
      cluster,
      headers,
      turns,
      inspection: cluster ? inspectPostgres(cluster) : inspectSqlite(join(folder, "one", "tackle.db")),
      turn(play, options = {}) {
        const text = `turn-${++names}-${process.pid}`;
        plays.set(text, { play, asked: new Map() });
        const turn = new FollowedTurn(world, text, options);
        turns.push(turn);
        return turn;
      },
      effects: () => readFileSync(join(folder, "effects"), "utf8").split("\n").filter(Boolean),
      gate() {
        const path = join(folder, `gate-${++names}`);
        return { path, open: () => writeFileSync(path, "") };
      },
      startInstance,
      close,
    };
    const wanted = cluster ? ["one", "two"] : ["one"];
    instances.push(...(await Promise.all(wanted.map((name) => startInstance(name)))));
    if (cluster) headers.authorization = await guestToken(instances[0]?.url ?? "");
    return world;
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function closeInstance(instance: Instance, line: FaultProxy | undefined): Promise<void> {
  await instance.kill();
  await line?.close();
}

function common(folder: string, upstream: Upstream): Record<string, string> {
  return {
    ...modelAt(upstream.url),
    TACKLE_LEASE_MS: String(LEASE_MS),
    TACKLE_TOOLS_DIR: join(folder, "tools"),
    TACKLE_POLICY: join(folder, "policy.json"),
    TACKLE_MAX_OUTPUT_CHARACTERS: "600000",
  };
}

/** Limits that are out of the way: those of one scenario are about names of its own. */
function forMany(): Record<string, string> {
  return {
    TACKLE_AUTH: "guest",
    TACKLE_SECRET: "the same for all instances, and long enough",
    TACKLE_LIMITS: JSON.stringify({
      chat: NO_LIMIT,
      search: { guest: 25, account: 25 },
      api: { perMinute: 1_000_000 },
    }),
  };
}

/** A tool that changes something outside, once for each time it runs; it can be made to wait, or to die right then. */
function writeTools(folder: string): void {
  mkdirSync(join(folder, "tools"));
  appendFileSync(join(folder, "effects"), "");
  const allowed = { none: "allow", read: "allow", network: "allow", write: "allow" };
  writeFileSync(join(folder, "policy.json"), JSON.stringify({ rules: [], default: allowed }));
  writeFileSync(
    join(folder, "tools", "note.mjs"),
    `import { appendFileSync, existsSync } from "node:fs";
     import { setTimeout as pause } from "node:timers/promises";
     export default {
       name: "note", description: "Notes something down outside.", effect: "write",
       parameters: { type: "object", properties: { gate: { type: "string" }, dieAfterMs: { type: "number" } } },
       async run({ gate, dieAfterMs }, { idempotencyKey, signal }) {
         appendFileSync(${JSON.stringify(join(folder, "effects"))}, idempotencyKey + "\\n");
         while (gate && !existsSync(gate)) await pause(5, undefined, { signal });
         const die = () => process.kill(process.pid, "SIGKILL");
         if (dieAfterMs === 0) die();
         else if (dieAfterMs !== undefined) setTimeout(die, dieAfterMs);
         return "noted";
       },
     };`,
  );
  writeFileSync(
    join(folder, "tools", "seek.mjs"),
    `export default { name: "seek", description: "Counted.", effect: "none", limit: "search",
       parameters: { type: "object", properties: {} }, run: () => "found" };`,
  );
}

async function guestToken(url: string): Promise<string> {
  const response = await fetch(`${url}/tools`);
  return `Bearer ${response.headers.get("x-tackle-guest")}`;
}

interface AskedMessage {
  role: string;
  content: unknown;
}

function answer(
  { method, body }: RecordedRequest,
  plays: ReadonlyMap<string, { play: Play; asked: Map<number, number> }>,
): Turn {
  if (method === "GET") return errorTurn(404);
  const messages = (body as { messages?: AskedMessage[] }).messages ?? [];
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const [name = ""] = /turn-\d+-\d+/.exec(JSON.stringify(messages[asked]?.content ?? "")) ?? [];
  const found = plays.get(name);
  if (!found) return chatTurn({ text: "Nobody told me what to say to that." });
  const step = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  const attempt = found.asked.get(step) ?? 0;
  found.asked.set(step, attempt + 1);
  return found.play(step, attempt);
}
