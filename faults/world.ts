import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import type { RecordedRequest, Upstream } from "../src/sim/upstream.ts";
import { hasNats, type NatsServers, startNats } from "../src/store/testing/nats.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { modelAt, temporaryFolder } from "../test/support/server.ts";
import { formerCommand } from "./former.ts";
import { type Inspection, inspectPostgres, inspectSqlite } from "./inspect.ts";
import { readJournal } from "./inspect-journal.ts";
import { Instance } from "./instance.ts";
import { type FaultProxy, startFaultProxy } from "./proxy.ts";
import { mountSmallDisk, unmountSmallDisk } from "./small-disk.ts";
import { FollowedTurn, type TurnOptions } from "./turn.ts";

/** `NATS` is PostgreSQL with the journal on a NATS cluster. */
export type EngineName = "SQLite" | "PostgreSQL" | "NATS";

export const ENGINES: readonly EngineName[] = ["SQLite", "PostgreSQL", "NATS"];

/**
 * Returns the model's answer for a step of a turn. `attempt` counts earlier requests for this step. `said` is what the model
 * has written of it already, if it is asked for the rest.
 */
export type Play = (step: number, attempt: number, said?: string) => Turn;

/** Instances on one database, a scripted model, a tool whose effects are counted, and the turns of all clients. */
export interface World {
  readonly engine: EngineName;
  readonly folder: string;
  readonly instances: Instance[];
  readonly upstream: Upstream;
  readonly inspection: Inspection;
  /** Not on SQLite. */
  readonly cluster: Cluster | undefined;
  /** Only on NATS. */
  readonly nats: NatsServers | undefined;
  /** The headers that every client sends. */
  readonly headers: Record<string, string>;
  /** Turns that have not been checked yet. */
  readonly turns: FollowedTurn[];
  /** Starts a turn that the model answers with `play`. */
  turn(play: Play, options?: TurnOptions): FollowedTurn;
  /** Returns the idempotency keys of all effects of the tool `note`, in order. */
  effects(): string[];
  /** Creates a gate that a call of `note` waits for. */
  gate(): { path: string; open(): void };
  startInstance(name: string, env?: Record<string, string>): Promise<Instance>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Mounts a disk of this size as the data directory of the first instance. */
  diskMegabytes?: number;
  /** Settings for all instances. */
  env?: Record<string, string>;
  /** The first instances run the former release. */
  former?: boolean;
}

/** A run of a dead owner is taken over within 1.5 × this time. */
export const LEASE_MS = 1_500;
const NO_LIMIT = { guest: 1_000_000, account: 1_000_000 };

/** Returns true if the engine is available here. */
export function canHave(engine: EngineName): boolean {
  if (engine === "NATS" && !hasNats()) return false;
  return engine === "SQLite" || findRelease() !== undefined;
}

/** Creates one instance on SQLite, or two on their own database servers, each with its own proxy to PostgreSQL. */
export async function createWorld(
  engine: EngineName,
  { diskMegabytes, env: own = {}, former = false }: WorldOptions = {},
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
    const release = engine === "SQLite" ? undefined : findRelease();
    if (engine !== "SQLite" && !release) throw new Error("PostgreSQL is not installed");
    const cluster = release && (await startCluster(release));
    if (cluster) closers.push(() => cluster.dispose());
    const nats = engine === "NATS" ? await startNats() : undefined;
    if (nats) closers.push(() => nats.dispose());
    const journal: Record<string, string> = nats ? { TACKLE_JOURNAL_URL: `${nats.url}?streams=2` } : {};
    const instances: Instance[] = [];
    const turns: FollowedTurn[] = [];
    const headers: Record<string, string> = {};
    let names = 0;
    const settings = { ...common(folder, upstream), ...(cluster ? forMany() : {}), ...journal, ...own };

    async function startInstance(
      name: string,
      env: Record<string, string> = {},
      program?: string,
    ): Promise<Instance> {
      const line = cluster && (await startFaultProxy(cluster.tcpUrl));
      const all: Record<string, string> = { ...settings, ...env };
      if (cluster && line) all.DATABASE_URL = line.through(cluster.tcpUrl);
      const instance = new Instance(join(folder, name), all, line, program);
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
      nats,
      headers,
      turns,
      inspection: cluster
        ? inspectPostgres(cluster, nats && (() => readJournal(nats)))
        : inspectSqlite(join(folder, "one", "tackle.db")),
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
    instances.push(
      ...(await Promise.all(
        wanted.map((name) => startInstance(name, {}, former ? formerCommand() : undefined)),
      )),
    );
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

/** Returns settings for several instances, with limits too high to matter. One scenario tests the search limit. */
function forMany(): Record<string, string> {
  return {
    TACKLE_AUTH: "guest",
    // The tools of this world, which change something.
    TACKLE_GUEST_TOOLS: "change,note",
    TACKLE_SECRET: "the same for all instances, and long enough",
    TACKLE_LIMITS: JSON.stringify({
      chat: NO_LIMIT,
      search: { guest: 25, account: 25 },
      api: { perMinute: 1_000_000 },
    }),
  };
}

/** Writes a tool that has an effect each time it runs, and can wait or kill its process then. */
function writeTools(folder: string): void {
  mkdirSync(join(folder, "tools"));
  appendFileSync(join(folder, "effects"), "");
  const allowed = { none: "allow", read: "allow", network: "allow", write: "allow" };
  const rules = [{ tool: "change", action: "ask" }];
  writeFileSync(join(folder, "policy.json"), JSON.stringify({ rules, default: allowed }));
  writeFileSync(
    join(folder, "tools", "change.mjs"),
    `export default { name: "change", description: "Needs an approval.", effect: "write",
       parameters: { type: "object", properties: {} }, run: () => "changed" };`,
  );
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

const TURN_NAME = /turn-\d+-\d+/;

function answer(
  { method, body }: RecordedRequest,
  plays: ReadonlyMap<string, { play: Play; asked: Map<number, number> }>,
): Turn {
  if (method === "GET") return errorTurn(404);
  const messages = (body as { messages?: AskedMessage[] }).messages ?? [];
  // A partial answer is followed by a message that asks for the rest of it.
  const asked = messages.findLastIndex(
    ({ role, content }) => role === "user" && TURN_NAME.test(JSON.stringify(content)),
  );
  const [name = ""] = TURN_NAME.exec(JSON.stringify(messages[asked]?.content ?? "")) ?? [];
  const found = plays.get(name);
  if (!found) return chatTurn({ text: "There is no script for this message." });
  const isRest = messages.at(-1)?.role === "user" && asked < messages.length - 1;
  const said = isRest ? String(messages.at(-2)?.content) : undefined;
  const answered = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  const step = answered - (isRest ? 1 : 0);
  const attempt = found.asked.get(step) ?? 0;
  found.asked.set(step, attempt + 1);
  return found.play(step, attempt, said);
}
