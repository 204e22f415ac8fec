import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chatTurn } from "../../src/sim/turns.ts";
import type { Cluster } from "../../src/store/testing/postgres.ts";
import { setUpTokenOf } from "../../test/support/accounts.ts";
import { instanceOf, type Scenario, until, urlOf } from "../scenario.ts";
import { fill, missingSmallDisk, startSmallDisk } from "../small-disk.ts";
import type { World } from "../world.ts";

const TEXT = Array.from({ length: 60 }, (_, index) => `word-${index}.`).join(" ");
const talking = (gapMs = 15) => ({ ...chatTurn({ text: TEXT, chunkSize: "word" }), gapMs });
/** The server always waits for a database outage of this length. */
const WAITED_FOR_MS = 3_000;
/** More text than fits on a nearly full disk. */
const LARGE = "0123456789abcde ".repeat(20_000);

function clusterOf(world: World): Cluster {
  if (!world.cluster) throw new Error("this is for PostgreSQL");
  return world.cluster;
}

/** Answers with a little text, waits, and then sends more than the disk has room for. */
function growing(rest: Promise<void>) {
  const { frames } = chatTurn({ text: `begun. ${LARGE}`, chunkSize: 8_000 });
  return { ...chatTurn({ text: "" }), frames: [...frames.slice(0, 2), { hold: rest }, ...frames.slice(2)] };
}

/** Checks that an accepted run survives a full disk, and ends exactly once when there is room again. */
async function outlivesFullness(world: World, filled: () => Promise<unknown>, freed: () => Promise<unknown>) {
  const rest = Promise.withResolvers<void>();
  const turn = world.turn((_, attempt) =>
    attempt === 0 ? growing(rest.promise) : chatTurn({ text: "After that." }),
  );
  await turn.seen("session");
  await filled();
  rest.resolve();
  assert.deepEqual(await refusalOf(world), { status: 507, code: "STORAGE_FULL" });
  assert.equal(turn.isOver, false);
  await freed();
  await turn.ended;
  assert.equal((await world.inspection.runs([turn.text])).length, 1);
  await until("it is ready again", () => isReady(world));
  const next = world.turn(() => chatTurn({ text: "There is room again." }));
  await next.ended;
  assert.equal(next.state().text, "There is room again.");
}

/** Returns the response to a large message, which databases cannot compress. */
async function refusalOf(world: World): Promise<{ status: number; code: string }> {
  const response = await fetch(`${urlOf(world, 0)}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", ...world.headers },
    body: JSON.stringify({ message: randomBytes(67_500).toString("base64") }),
  });
  const { code } = (await response.json()) as { code: string };
  return { status: response.status, code };
}

const CREDENTIALS = { email: "ada@example.org", password: "correct horse battery" };

function request(
  world: World,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Response> {
  return fetch(`${urlOf(world, 0)}${path}`, {
    method: body ? "POST" : "GET",
    headers: { "content-type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

/** Returns the JSON of an answer. */
async function call(...given: Parameters<typeof request>): Promise<Record<string, unknown>> {
  return (await request(...given)).json() as Promise<Record<string, unknown>>;
}

/** Returns how a request was answered. */
async function ask(...given: Parameters<typeof request>) {
  const { status, headers } = await request(...given);
  return { path: given[1], status, retryAfter: headers.get("retry-after") };
}

async function isReady(world: World): Promise<boolean> {
  return (await fetch(`${urlOf(world, 0)}/readyz`)).ok;
}

/** Faults of the database and the disk. */
export const DATABASE_SCENARIOS: readonly Scenario[] = [
  {
    name: "database-down",
    engine: "PostgreSQL",
    async play(world) {
      const turns = [0, 1].map((number) => world.turn(() => talking(), { at: instanceOf(world, number) }));
      await Promise.all(turns.map((turn) => turn.seen("word-3.")));
      await clusterOf(world).stop("fast");
      const late = world.turn(() => chatTurn({ text: "After that." }));
      try {
        const refused = refusalOf(world);
        await until("it says that it is not ready", async () => !(await isReady(world)));
        assert.deepEqual(await refused, { status: 503, code: "RESOURCE_EXHAUSTED" });
      } finally {
        await clusterOf(world).start();
      }
      await Promise.all([...turns, late].map(({ ended }) => ended));
      assert.equal(late.state().text, "After that.");
      for (const turn of turns) assert.ok(["stop", "error"].includes(turn.state().finishReason ?? ""));
      await until("it is ready again", () => isReady(world));
    },
  },
  {
    name: "database-restarted",
    engine: "PostgreSQL",
    // The lease is long enough not to expire even on a busy machine.
    world: { env: { TACKLE_LEASE_MS: "60000" } },
    async play(world) {
      for (const how of ["fast", "immediate"] as const) {
        const turns = [0, 1].map((number) => world.turn(() => talking(), { at: instanceOf(world, number) }));
        await Promise.all(turns.map((turn) => turn.seen("word-3.")));
        const began = performance.now();
        await clusterOf(world).stop(how);
        await clusterOf(world).start();
        const outageMs = performance.now() - began;
        await Promise.all(turns.map(({ ended }) => ended));
        const broken = turns.filter((turn) => turn.state().text !== TEXT);
        assert.ok(outageMs > WAITED_FOR_MS || broken.length === 0, `${outageMs} ms`);
      }
    },
  },
  {
    name: "database-slow",
    engine: "PostgreSQL",
    async play(world) {
      for (const { line } of world.instances) line?.set({ delayMs: 80 });
      try {
        const turns = [0, 1].map((number) => world.turn(() => talking(), { at: instanceOf(world, number) }));
        await Promise.all(turns.map(({ ended }) => ended));
        for (const turn of turns) assert.equal(turn.state().text, TEXT);
      } finally {
        for (const { line } of world.instances) line?.mend();
      }
    },
  },
  {
    name: "database-half-open",
    engine: "PostgreSQL",
    async play(world) {
      const cutOff = instanceOf(world, 0);
      const turn = world.turn((_, attempt) => (attempt === 0 ? talking(60) : chatTurn({ text: "Again." })), {
        at: cutOff,
        patienceMs: 1_000,
      });
      await turn.seen("word-3.");
      cutOff.line?.set({ hold: "both" });
      try {
        await turn.ended;
      } finally {
        cutOff.line?.mend();
      }
      assert.equal(turn.state().finishReason, "stop");
      assert.match(turn.state().text, /Again\.$/);
      const [run] = await world.inspection.runs([turn.text]);
      assert.ok((run?.epoch ?? 0) > 1, "the other instance took it up");
      // The pending writes of the first instance arrive now, and must change nothing.
      await pause(300);
    },
  },
  {
    name: "database-hangs",
    engine: "PostgreSQL",
    world: { env: { TACKLE_AUTH: "guest" } },
    async play(world) {
      const ada = { ...CREDENTIALS, name: "Ada", setupToken: setUpTokenOf(instanceOf(world, 0)) };
      const account = { authorization: `Bearer ${(await call(world, "/auth/sign-up", {}, ada)).token}` };
      const key = { authorization: `Bearer ${(await call(world, "/me/keys", account, { name: "k" })).key}` };
      const turns = [0, 1].map((number) => world.turn(() => talking(200), { at: instanceOf(world, number) }));
      await Promise.all(turns.map((turn) => turn.seen("word-3.")));
      for (const { line } of world.instances) line?.set({ hold: "both" });
      try {
        const answers = await Promise.all([
          ask(world, "/chat", world.headers, { message: "hello" }),
          ask(world, "/chat", account, { message: "hello" }),
          ask(world, "/v1/chat/completions", account, { messages: [{ role: "user", content: "hello" }] }),
          ask(world, "/tools/get_time", account, {}),
          ask(world, "/sessions", account),
          ask(world, "/sessions", world.headers),
          ask(world, "/me/settings", account),
          ask(world, "/sessions", key),
          ask(world, "/auth/sign-in", {}, CREDENTIALS),
          ask(world, `/runs/${turns[0]?.runId}/events?after=1`, world.headers),
        ]);
        for (const { path, status, retryAfter } of answers)
          assert.ok(status === 503 && Number(retryAfter) > 0, `${path} answered ${status}, ${retryAfter}`);
        assert.equal(await isReady(world), false);
      } finally {
        for (const { line } of world.instances) line?.mend();
      }
      await Promise.all(turns.map(({ ended }) => ended));
      for (const turn of turns) assert.ok(["stop", "error"].includes(turn.state().finishReason ?? ""));
      await until("it is ready again", () => isReady(world));
      assert.equal((await ask(world, "/sessions", account)).status, 200);
    },
  },
  {
    name: "database-full",
    engine: "PostgreSQL",
    world: {},
    missing: missingSmallDisk,
    async play(world) {
      const cluster = clusterOf(world);
      const disk = startSmallDisk(4, "postgres");
      const partitions = (await cluster.run(
        "SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'tackle.run_pages'::regclass",
      )) as { relname: string }[];
      const tables = ["messages", ...partitions.map(({ relname }) => relname)];
      const move = async (space: string) => {
        for (const table of tables)
          await cluster.run(
            `ALTER TABLE tackle.${table} SET TABLESPACE ${space}; ALTER INDEX tackle.${table}_pkey SET TABLESPACE ${space}`,
          );
      };
      try {
        await cluster.run(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
        await move("small");
        await outlivesFullness(
          world,
          async () => {
            await cluster.run("CREATE TABLE filler (text TEXT) TABLESPACE small");
            const line = "INSERT INTO filler SELECT repeat('x', 1900) FROM generate_series(1, 40)";
            for (let tries = 0; tries < 500; tries++) {
              const error = await cluster.run(line).catch((thrown: Error) => thrown);
              if (error instanceof Error) return assert.match(error.message, /No space left/);
            }
            throw new Error("the disk never became full");
          },
          () => cluster.run("DROP TABLE filler; CHECKPOINT"),
        );
        await move("pg_default");
        await cluster.run("DROP TABLESPACE small");
      } finally {
        disk.remove();
      }
    },
  },
  {
    name: "power-cut",
    engine: "SQLite",
    world: {},
    async play(world) {
      const instance = instanceOf(world, 0);
      const files = ["tackle.db", "tackle.db-wal"].map((name) => join(instance.dataDir, name));
      const play = (_: number, attempt: number) =>
        attempt === 0 ? talking(60) : chatTurn({ text: "Again." });
      const turn = world.turn(play, { at: instance, mayStartOver: true });
      await turn.seen("word-3.");
      for (const file of files) copyFileSync(file, `${file}.synced`);
      await turn.seen("word-30.");
      await instance.kill();
      for (const file of files) renameSync(`${file}.synced`, file);
      rmSync(`${files[0]}-shm`);
      await instance.start();
      await turn.ended;
      assert.equal(turn.timesStartedOver, 1);
      assert.doesNotMatch(turn.state().text, /word-30/);
    },
  },
  {
    name: "disk-full",
    engine: "SQLite",
    world: { diskMegabytes: 4 },
    missing: missingSmallDisk,
    async play(world) {
      const { dataDir } = instanceOf(world, 0);
      let freed = () => {};
      await outlivesFullness(
        world,
        async () => {
          freed = fill(dataDir);
          await until("it says that it is not ready", async () => !(await isReady(world)));
        },
        async () => freed(),
      );
    },
  },
];
