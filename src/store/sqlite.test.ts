import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { Failure } from "../protocol/failure.ts";
import { doneEvent, endOf, openedRun, type StoreHarness } from "./conformance/harness.ts";
import { storeConformance } from "./conformance.ts";
import { openDatabase } from "./sqlite/open-database.ts";
import { MIGRATIONS } from "./sqlite/schema.ts";
import { openSqliteStore, sqliteStoreOn } from "./sqlite.ts";
import { writeEmptyDatabase } from "./testing/empty.ts";

storeConformance("SQLite", openHarness);

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tackle-sqlite-"));
  path = join(directory, "tackle.db");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs an SQL statement on a separate connection. */
function queried(sql: string): unknown[] {
  const connection = new DatabaseSync(path);
  try {
    return connection.prepare(sql).all();
  } finally {
    connection.close();
  }
}

test("only the owner can read the data directory and its files", async () => {
  const dataDir = join(directory, "deep", "down");
  const store = await openSqliteStore({ dataDir });
  await store.createSession({ id: "s", userId: "ada", title: "s" });
  path = join(dataDir, "tackle.db");
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  for (const file of [path, `${path}-wal`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  await store.close();
  expect(queried("SELECT id FROM sessions")).toEqual([{ id: "s" }]);
});

test("the journal is told that the engine runs in this process, so that text does not wait for larger writes", async () => {
  const store = await openSqliteStore({ dataDir: directory });
  expect(store.isEmbedded).toBe(true);
  await store.close();
});

test("a database of a newer version is refused in one clear line and left unchanged", async () => {
  await (await openSqliteStore({ path })).close();
  queried("UPDATE schema_version SET version = 99 RETURNING version");
  await expect(openSqliteStore({ path })).rejects.toMatchObject({
    code: "CONFLICT",
    publicMessage: expect.stringMatching(/newer version of Tackle \(schema 99.*Update/),
  });
  expect(queried("SELECT version FROM schema_version")).toEqual([{ version: 99 }]);
});

test.each([
  ["truncated", (bytes: Buffer) => bytes.subarray(0, 20_000)],
  ["overwritten", (bytes: Buffer) => Buffer.concat([Buffer.alloc(4_096, "x"), bytes.subarray(4_096)])],
])(
  "a database that was %s is refused in one line that names it and how to get a backup back",
  async (_, damage) => {
    await (await openSqliteStore({ path })).close();
    await writeFile(path, damage(await readFile(path)));
    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      publicMessage: expect.stringMatching(
        new RegExp(`^The database ${path} is damaged[^\n]*tackle restore`),
      ),
    });
  },
);

test("a database that cannot be written is refused in one line that names it", async () => {
  await (await openSqliteStore({ path })).close();
  // A folder in its place: permissions would not stop a test that runs as root.
  await rm(path);
  await mkdir(path);
  await expect(openSqliteStore({ path })).rejects.toMatchObject({
    publicMessage: expect.stringMatching(
      new RegExp(`^The database ${path} cannot be written[^\n]*tackle restore`),
    ),
  });
});

test("an empty file beside other data is not taken for a new database", async () => {
  await writeFile(path, "");
  await (await openSqliteStore({ path })).close();
  await writeFile(path, "");
  await writeFile(join(directory, "secret.key"), "secret");
  const refused = {
    publicMessage: expect.stringMatching(/is empty, but there is other data[^\n]*tackle restore/),
  };
  await expect(openSqliteStore({ path })).rejects.toMatchObject(refused);
  expect(await readFile(path, "utf8")).toBe("");
  await rm(join(directory, "secret.key"));
  await writeFile(`${path}-wal`, "the only copy");
  await expect(openSqliteStore({ path })).rejects.toMatchObject(refused);
  await rm(path);
  await expect(openSqliteStore({ path })).rejects.toMatchObject({
    publicMessage: expect.stringMatching(/is missing/),
  });
  expect(await readFile(`${path}-wal`, "utf8")).toBe("the only copy");
});

test("the owner of a run learns at its end of what another process has just sent into it", async () => {
  const [store, other] = [await openSqliteStore({ path }), await openSqliteStore({ path })];
  const run = await openedRun(store);
  let woken = 0;
  store.watch(run.id, () => woken++, "control");
  const input = { runId: run.id, messageId: "msg_2", when: "after" as const, parts: [] };
  await other.addInput(input, 20);
  await store.finishRun(endOf(run, 2, [doneEvent(run)]));
  expect(woken).toBeGreaterThan(0);
  await Promise.all([store.close(), other.close()]);
});

test("messages without branches become a single line, and the active run continues there", async () => {
  const connection = new DatabaseSync(path);
  const before = MIGRATIONS.findIndex((migration) => migration.includes("parent_id"));
  for (const migration of MIGRATIONS.slice(0, before)) connection.exec(migration);
  connection.exec(`
    CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
    INSERT INTO schema_version VALUES (${before});
    INSERT INTO sessions (id, user_id, title, created_at, updated_at)
      VALUES ('s', 'ada', 's', 1, 2), ('empty', 'ada', 'e', 1, 1);
    INSERT INTO messages (id, session_id, position, role, text, parts, created_at)
      VALUES ('ask', 's', 1, 'user', '', '[]', 1), ('answer', 's', 2, 'assistant', '', '[]', 1),
        ('ask more', 's', 5, 'user', '', '[]', 1);
    INSERT INTO runs (id, session_id, user_id, message_id, status, owner, epoch, lease_until, request, created_at)
      VALUES ('over', 's', 'ada', 'answer', 'done', 'o', 1, 0, '{}', 1),
        ('going on', 's', 'ada', 'answer more', 'running', 'o', 1, 0, '{}', 1);
    INSERT INTO run_events (run_id, seq, json) VALUES ('going on', 1, '{}')`);
  connection.close();
  const store = await openSqliteStore({ path });
  const parents = async () => (await store.listMessages("s")).map(({ id, parentId }) => [id, parentId]);
  expect(await parents()).toEqual([
    ["ask", undefined],
    ["answer", "ask"],
    ["ask more", "answer"],
  ]);
  expect((await store.getSession("empty"))?.headId).toBeUndefined();
  expect((await store.getRun("over"))?.parentId).toBe("ask");
  const [run] = await store.claimRuns("new", 1_000, 9);
  expect(run).toMatchObject({ id: "going on", parentId: "ask more" });
  if (run) await store.finishRun(endOf(run, 2, [doneEvent(run)]));
  expect((await parents()).at(-1)).toEqual(["answer more", "ask more"]);
  await store.close();
});

test("a file that is not a database is refused", async () => {
  await writeFile(path, "not a database, but long enough to be looked at ".repeat(100));
  await expect(openSqliteStore({ path })).rejects.toMatchObject({
    code: "INVALID_INPUT",
    publicMessage: expect.stringContaining("tackle restore"),
  });
});

test("a full disk is reported as such, and nothing is written in part", async () => {
  const database = openDatabase(path);
  const store = sqliteStoreOn(database);
  const run = await openedRun(store);
  const pages = database.prepare<{ page_count: number }>("PRAGMA page_count").get()?.page_count ?? 0;
  database.prepare(`PRAGMA max_page_count = ${pages + 5}`).get();
  const said = Array.from({ length: 40 }, () => contentDelta("x".repeat(4_000)));
  const finish = endOf(run, 2, [...said, doneEvent(run)]);
  await expect(store.finishRun(finish)).rejects.toMatchObject({ code: "STORAGE_FULL", status: 507 });
  const batch = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: finish.events, steps: [] };
  const refused: Failure = await store.commit([batch], { durable: false }).catch((error) => error);
  expect(refused).toMatchObject({ code: "STORAGE_FULL", retryable: false });
  expect(refused.publicMessage).not.toContain(directory);
  expect(await store.readEvents(run.id, 0, 100)).toHaveLength(1);
  expect(await store.listMessages(run.sessionId)).toHaveLength(1);

  database.prepare("PRAGMA max_page_count = 100000").get();
  await store.finishRun(finish);
  expect(await store.readEvents(run.id, 0, 100)).toHaveLength(42);
  await store.close();
});

test("the end of a run fills the tables of calls, outputs, artifacts and usage, and deleting empties all but the last", async () => {
  const store = await openSqliteStore({ path });
  const run = await openedRun(store);
  const said: ChatEvent[] = [
    contentDelta("Look: "),
    {
      type: "tool_call_start",
      toolCallId: "a",
      toolName: "generate_artifact",
      arguments: { type: "svg" },
      textOffset: 6,
    },
    {
      type: "artifact_complete",
      toolCallId: "a",
      artifactId: "art",
      version: 1,
      artifactType: "svg",
      artifactTitle: "A circle",
      artifactCode: "<svg/>",
      previewUrl: "/artifacts/art",
      issues: [],
    },
    result("a", "generate_artifact", true, "Made."),
    {
      type: "tool_call_start",
      toolCallId: "b",
      toolName: "web_fetch",
      arguments: { url: "x" },
      textOffset: 6,
    },
    result("b", "web_fetch", false, "Not found."),
    { type: "tool_call_start", toolCallId: "c", toolName: "get_time", arguments: {}, textOffset: 6 },
    { type: "usage", inputTokens: 10, outputTokens: 20, cachedTokens: 3, costUsd: 0.5 },
    doneEvent(run),
  ];
  const finish = endOf(run, 2, said);
  finish.message.parts.push({
    type: "tool_result",
    toolCallId: "a",
    toolName: "generate_artifact",
    success: true,
    output: "Made.",
    trust: "trusted",
  });
  await store.finishRun(finish);
  expect(
    queried("SELECT tool_call_id, name, arguments, text_offset, status FROM tool_calls ORDER BY position"),
  ).toEqual([
    {
      tool_call_id: "a",
      name: "generate_artifact",
      arguments: '{"type":"svg"}',
      text_offset: 6,
      status: "succeeded",
    },
    { tool_call_id: "b", name: "web_fetch", arguments: '{"url":"x"}', text_offset: 6, status: "failed" },
    { tool_call_id: "c", name: "get_time", arguments: "{}", text_offset: 6, status: "pending" },
  ]);
  expect(queried("SELECT tool_call_id, success, output, trust FROM tool_outputs ORDER BY 1")).toEqual([
    { tool_call_id: "a", success: 1, output: "Made.", trust: "trusted" },
    { tool_call_id: "b", success: 0, output: "Not found.", trust: "untrusted" },
  ]);
  expect(queried("SELECT artifact_id, version, type, title, code FROM artifact_versions")).toEqual([
    { artifact_id: "art", version: 1, type: "svg", title: "A circle", code: "<svg/>" },
  ]);
  const usage = [{ user_id: "ada", model: "demo/demo", input_tokens: 10, cached_tokens: 3, cost_usd: 0.5 }];
  expect(queried("SELECT user_id, model, input_tokens, cached_tokens, cost_usd FROM usage")).toEqual(usage);

  await store.deleteSession(run.sessionId);
  for (const table of [
    "messages",
    "tool_calls",
    "tool_outputs",
    "runs",
    "run_events",
    "artifacts",
    "artifact_versions",
  ]) {
    expect(queried(`SELECT count(*) AS rows FROM ${table}`)).toEqual([{ rows: 0 }]);
  }
  expect(queried("SELECT user_id, model, input_tokens, cached_tokens, cost_usd FROM usage")).toEqual(usage);
  await store.close();
});

test("uses that have left their window are removed, for every user", async () => {
  let time = 0;
  const store = await openSqliteStore({ path, now: () => time });
  for (const guest of ["a", "b", "c"]) await store.takeLimit(guest, "chat", 5, 1_000);
  time = 1_000;
  await store.takeLimit("d", "chat", 5, 1_000);
  expect(queried("SELECT subject FROM user_tool_rate_limits")).toEqual([{ subject: "d" }]);
  await store.close();
});

function result(toolCallId: string, toolName: string, success: boolean, output: string): ChatEvent {
  return {
    type: "tool_result",
    toolCallId,
    toolName,
    success,
    latencyMs: 1,
    retryCount: 0,
    cached: false,
    output,
  };
}

async function openHarness(): Promise<StoreHarness> {
  const own = await mkdtemp(join(tmpdir(), "tackle-store-"));
  const path = join(own, "tackle.db");
  let time = Date.UTC(2030, 0, 1);
  const now = () => time;
  await writeEmptyDatabase(path);
  const harness: StoreHarness = {
    store: await openSqliteStore({ path, now }),
    advance(milliseconds) {
      time += milliseconds;
    },
    async reopen() {
      await harness.store.close();
      harness.store = await openSqliteStore({ path, now });
      return harness.store;
    },
    elsewhere: {
      module: new URL("./sqlite.ts", import.meta.url).href,
      function: "openSqliteStore",
      argument: JSON.stringify({ path }),
    },
    async runSql(sql) {
      const connection = new DatabaseSync(path);
      connection.exec(sql);
      connection.close();
    },
    async dispose() {
      await harness.store.close();
      await rm(own, { recursive: true, force: true });
    },
  };
  return harness;
}
