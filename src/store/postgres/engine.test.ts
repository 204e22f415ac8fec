import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import type { Failure } from "../../protocol/failure.ts";
import type { Run } from "../../protocol/run-records.ts";
import type { RunSignal, Store } from "../../protocol/store.ts";
import { answerOf, doneEvent, endOf, openedRun, sessionEvent } from "../conformance/harness.ts";
import { createFeed } from "../feed.ts";
import { createJournal } from "../journal.ts";
import { openPostgresStore } from "../postgres.ts";
import { type Cluster, findRelease, startCluster } from "../testing/postgres.ts";
import { freshSchema } from "../testing/postgres-harness.ts";
import { Listener } from "./listener.ts";
import { MIGRATIONS } from "./migrations.ts";

const release = findRelease();

describe.skipIf(!release)("PostgreSQL", () => {
  let cluster: Cluster;
  let schema: string;
  let stores: Store[];

  beforeAll(async () => {
    if (release) cluster = await startCluster(release);
  });
  afterAll(() => cluster?.dispose());
  beforeEach(() => {
    schema = freshSchema();
    stores = [];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });

  /** One more instance on the test's schema. */
  async function open(options: { statementTimeoutMs?: number; poolSize?: number } = {}): Promise<Store> {
    const store = await openPostgresStore({ url: cluster.url, schema, ...options });
    stores.push(store);
    return store;
  }

  /** Resolves with the next notification about a run. */
  function nextNotification(store: Store, runId: string): Promise<RunSignal> {
    return new Promise((resolve) => {
      const stop = store.watch(runId, (news) => {
        stop();
        resolve(news);
      });
    });
  }

  describe("the schema", () => {
    test("eight instances that start at once on an empty database create it once, and touch no other schema", async () => {
      await Promise.all(Array.from({ length: 8 }, () => open()));
      const versions = MIGRATIONS.map((_, index) => ({ version: index + 1 }));
      expect(await cluster.run(`SELECT version FROM ${schema}.schema_versions ORDER BY 1`)).toEqual(versions);
      expect(
        await cluster.run("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
      ).toEqual([]);
    });

    test("a newer schema that only added things is used, an incompatible one is refused", async () => {
      const store = await open();
      await cluster.run(
        `ALTER TABLE ${schema}.sessions ADD COLUMN colour text; INSERT INTO ${schema}.schema_versions VALUES (${MIGRATIONS.length + 1}, ${MIGRATIONS.length})`,
      );
      await store.createSession({ id: "before", userId: "ada", title: "t" });
      await (await open()).createSession({ id: "after", userId: "ada", title: "t" });
      await cluster.run(`INSERT INTO ${schema}.schema_versions VALUES (99, 98)`);
      await expect(open()).rejects.toMatchObject({
        code: "CONFLICT",
        publicMessage: expect.stringMatching(/newer version of Tackle \(schema 99.*Update/),
      });
    });

    test("messages written by an instance without branches follow the shown branch, or the question of their run", async () => {
      const store = await open();
      const first = await openedRun(store, { sessionId: "s", messageId: "answer" });
      await store.finishRun(endOf(first, 2, [doneEvent(first)]));
      // As the former version wrote it: message and session in one statement, without a parent.
      const write = (id: string, role: string, runId: string) =>
        cluster.run(
          `WITH touched AS (UPDATE ${schema}.sessions SET updated_at = clock_timestamp() WHERE id = 's')
           INSERT INTO ${schema}.messages (id, session_id, position, role, run_id, text, parts, created_at)
           SELECT '${id}', 's', max(position) + 1, '${role}', '${runId}', '', '[]', clock_timestamp() FROM ${schema}.messages`,
        );
      await write("ask more", "user", "old");
      await write("answer more", "assistant", "old");
      expect((await store.listMessages("s")).map(({ id }) => id).slice(1)).toEqual([
        "answer",
        "ask more",
        "answer more",
      ]);
      const again = await openedRun(store, {
        sessionId: "s",
        newSession: undefined,
        userMessage: undefined,
        parentId: "ask more",
        messageId: "answer again",
      });
      await write("answer again", "assistant", again.id);
      const last = (await store.listMessages("s")).at(-1);
      expect(last).toMatchObject({ id: "answer again", parentId: "ask more" });
      expect((await store.getMessage("answer more"))?.siblings?.slice(0, 2)).toEqual([
        "answer more",
        "answer again",
      ]);
    });

    test("messages without branches become a single line", async () => {
      const before = MIGRATIONS.findIndex(({ sql }) => sql.includes("parent_id"));
      const former = MIGRATIONS.slice(0, before);
      await cluster.run(`CREATE SCHEMA ${schema}; SET search_path = ${schema};
        CREATE TABLE schema_versions (version INTEGER PRIMARY KEY, oldest INTEGER NOT NULL, at TIMESTAMPTZ DEFAULT now());
        ${former.map(({ sql }) => sql).join(";")};
        ${former.map((_, index) => `INSERT INTO schema_versions VALUES (${index + 1}, 1);`).join("")}
        INSERT INTO sessions VALUES ('s', 'ada', 's', now(), now());
        INSERT INTO messages (id, session_id, position, role, text, parts, created_at)
          SELECT 'm' || n, 's', n * 2, 'user', '', '[]', now() FROM generate_series(1, 4) AS n;
        RESET search_path`);
      const store = await open();
      const messages = await store.listMessages("s");
      expect(messages.map(({ id, parentId }) => [id, parentId])).toEqual([
        ["m1", undefined],
        ["m2", "m1"],
        ["m3", "m2"],
        ["m4", "m3"],
      ]);
    });

    test("adopting and deleting cover every table that belongs to users", async () => {
      await open();
      const tables = await cluster.run(
        `SELECT table_name FROM information_schema.columns
         WHERE table_schema = '${schema}' AND column_name IN ('user_id', 'subject') ORDER BY table_name`,
      );
      expect(tables.map((row) => (row as { table_name: string }).table_name)).toEqual([
        "account_events",
        "account_feeds",
        "artifacts",
        "feedback",
        "files",
        "mcp_tasks",
        "memories",
        "project_members",
        "projects",
        "runs",
        "search_documents", // Follows the rows that it was made of, by triggers.
        "sessions",
        "shares",
        "tool_uses",
        "usage",
        "user_settings",
        "user_tool_rate_limits",
      ]);
    });

    test("the limit is an SQL function that works with any search path", async () => {
      const store = await open();
      const take = () =>
        cluster.run(
          `SELECT allowed, remaining FROM ${schema}.check_user_tool_rate_limit('ada', 'chat', 2, 60000)`,
        );
      expect(await take()).toEqual([{ allowed: true, remaining: 1 }]);
      expect(await store.takeLimit("ada", "chat", 2, 60_000)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await take()).toEqual([{ allowed: false, remaining: 0 }]);
    });

    test("a wrong password is reported in one line that does not repeat it", async () => {
      const url = cluster.tcpUrl.replace(/:[^:@]*@/, ":very-wrong@");
      const refused: Failure = await openPostgresStore({ url, schema }).catch((error) => error);
      expect(refused).toMatchObject({ code: "INTERNAL", retryable: false });
      expect(refused.publicMessage).toMatch(/DATABASE_URL/);
      expect(refused.publicMessage).not.toContain("very-wrong");
    });
  });

  describe("two instances", () => {
    test("wake each other, and neither hears its own notifications twice", async () => {
      const [here, there] = [await open(), await open()];
      const run = await openedRun(here);
      const heard: RunSignal[] = [];
      here.watch(run.id, (news) => heard.push(news));
      const events = nextNotification(there, run.id);
      const batch = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: ['{"type":"x"}'], steps: [] };
      await here.commit([batch], { durable: false });
      expect(await events).toBe("events");
      const asked = nextNotification(here, run.id);
      await there.requestCancel(run.id);
      expect(await asked).toBe("control");
      const deleted = nextNotification(there, run.id);
      await here.deleteSession(run.sessionId);
      expect(await deleted).toBe("control");
      expect(heard).toEqual(["events", "control", "control"]);
    });

    test("taking over a run makes its followers look again", async () => {
      const [here, there] = [await open(), await open()];
      const run = await openedRun(here, { owner: "gone" });
      const [heardHere, heardThere] = [nextNotification(here, run.id), nextNotification(there, run.id)];
      await cluster.run(`UPDATE ${schema}.runs SET lease_until = 'epoch'`);
      expect(await here.claimRuns("next", 60_000, 9)).toHaveLength(1);
      expect(await heardHere).toBe("events");
      expect(await heardThere).toBe("events");
    });

    test("every run of a very large commit is announced", async () => {
      const [here, there] = [await open(), await open()];
      const runs = await Promise.all(
        Array.from({ length: 300 }, (_, index) =>
          openedRun(here, { runId: `run-${"x".repeat(50)}-${index}` }),
        ),
      );
      const heard = Promise.all(runs.map((run) => nextNotification(there, run.id)));
      const batches = runs.map(({ id, epoch }) => ({
        runId: id,
        epoch,
        firstSeq: 2,
        events: ['{"type":"x"}'],
        steps: [],
      }));
      expect(await here.commit(batches, { durable: true })).toEqual({ fenced: [] });
      expect((await heard).every((news) => news === "events")).toBe(true);
    });

    test("a run is followed on the other instance, byte for byte, to its end", async () => {
      const [here, there] = [await open(), await open()];
      const journal = createJournal(here);
      const run = await openedRun(here);
      const log = journal.open(run, { events: [sessionEvent(run)], steps: [] });
      const lines: string[] = [];
      const followed = createFeed(there, createJournal(there)).follow(
        run.id,
        0,
        (events) => lines.push(...events.map(({ seq, json }) => `${seq} ${json}`)),
        new AbortController().signal,
      );
      for (let word = 0; word < 50; word++) {
        log.emit(contentDelta(`${word} é\0\ud800 `));
        await log.flush();
      }
      log.emit(doneEvent(run));
      await log.finish({ status: "done", message: answerOf(run, [doneEvent(run)]) });
      await followed;
      const stored = await here.readEvents(run.id, 0, 1_000);
      expect(lines).toEqual(stored.map(({ seq, json }) => `${seq} ${json}`));
      expect(lines).toHaveLength(52);
    });
  });

  describe("events after those that this instance wrote last", () => {
    const saying = ({ id, epoch }: { id: string; epoch: number }, firstSeq: number, ...events: string[]) => ({
      runId: id,
      epoch,
      firstSeq,
      events,
      steps: [],
    });

    test("are refused like any others if they leave a gap or write twice", async () => {
      const store = await open();
      const run = await openedRun(store);
      const sound = await openedRun(store);
      for (const seq of [2, 3])
        await store.commit([saying(run, seq, `{"n":${seq}}`), saying(sound, seq, "{}")], { durable: false });
      for (const seq of [2, 3, 5])
        await expect(
          store.commit([saying(run, seq, "{}"), saying(sound, 4, "{}")], { durable: false }),
        ).rejects.toThrow(run.id);
      // The same run twice in one commit, and several events.
      await store.commit([saying(run, 4, '{"n":4}', '{"n":5}'), saying(run, 6, '{"n":6}')], {
        durable: false,
      });
      await store.commit([saying(run, 7, '{\n"n":7 }', '{"n":8}')], { durable: false });
      const events = await store.readEvents(run.id, 1, 100);
      expect(events.map(({ seq, json }) => [seq, JSON.parse(json).n])).toEqual(
        [2, 3, 4, 5, 6, 7, 8].map((seq) => [seq, seq]),
      );
      expect(await store.readEvents(sound.id, 3, 100)).toEqual([]);
    });

    test("are refused once another instance owns the run, and those of other runs are written", async () => {
      const [here, there] = [await open(), await open()];
      const [lost, kept] = [
        await openedRun(here, { owner: "loser" }),
        await openedRun(here, { owner: "keeper" }),
      ];
      const both = (seq: number) => [saying(lost, seq, "{}"), saying(kept, seq, "{}")];
      for (const seq of [2, 3])
        expect(await here.commit(both(seq), { durable: false })).toEqual({ fenced: [] });
      await here.releaseLeases("loser");
      expect(await there.claimRuns("winner", 60_000, 9)).toMatchObject([
        { id: lost.id, epoch: lost.epoch + 1 },
      ]);
      expect(await here.commit(both(4), { durable: false })).toEqual({ fenced: [lost.id] });
      expect(await here.readEvents(lost.id, 3, 9)).toEqual([]);
      expect(await here.readEvents(kept.id, 3, 9)).toHaveLength(1);
      await here.deleteSession(kept.sessionId);
      expect(await here.commit([saying(kept, 5, "{}")], { durable: false })).toEqual({ fenced: [kept.id] });
      expect(await here.readEvents(kept.id, 0, 9)).toEqual([]);
    });

    test("lock no run while its owner has lost none, and are refused once another instance takes one or deletes it", async () => {
      const [here, there] = [await open(), await open()];
      const opened: Run[] = [];
      for (let count = 0; count < 4; count++) opened.push(await openedRun(here, { owner: "one" }));
      await here.renewLeases("one", 60_000);
      const next = (seq: number) => opened.map((run) => saying(run, seq, "{}"));
      const locks = () => cluster.run(`SELECT id, xmax::text FROM ${schema}.runs ORDER BY id`);
      expect(await here.commit(next(2), { durable: false })).toEqual({ fenced: [] });
      const before = await locks();
      for (const seq of [3, 4])
        expect(await here.commit(next(seq), { durable: false })).toEqual({ fenced: [] });
      expect(await locks()).toEqual(before);
      const young = await openedRun(here, { owner: "one" });
      expect(await here.commit([saying(young, 2, "{}")], { durable: false })).toEqual({ fenced: [] });
      expect(await locks()).toEqual(expect.arrayContaining([{ id: young.id, xmax: "0" }]));

      const ids = opened.map(({ id }) => id);
      await here.renewLeases("one", 60_000, ids.slice(1));
      await cluster.run(`UPDATE ${schema}.runs SET lease_until = 'epoch' WHERE id = '${ids[0]}'`);
      expect(await there.claimRuns("two", 60_000, 9)).toMatchObject([{ id: ids[0] }]);
      expect(await here.commit(next(5), { durable: false })).toEqual({ fenced: [ids[0]] });
      expect(await here.readEvents(ids[0] ?? "", 4, 9)).toEqual([]);
      expect(await here.commit(next(6).slice(1), { durable: false })).toEqual({ fenced: [] });
      await there.deleteSession(opened[1]?.sessionId ?? "");
      expect(await here.commit(next(7).slice(1), { durable: false })).toEqual({ fenced: [ids[1]] });
      expect(await cluster.run(`SELECT FROM ${schema}.run_pages WHERE run_id = '${ids[1]}'`)).toEqual([]);
      expect(await here.readEvents(ids[2] ?? "", 0, 9)).toHaveLength(7);
    });

    test("of another instance wait for what the owner is just writing, when it takes a run", async () => {
      const [here, there] = [await open(), await open()];
      const run = await openedRun(here, { owner: "one" });
      await here.renewLeases("one", 60_000);
      for (const seq of [2, 3]) await here.commit([saying(run, seq, "{}")], { durable: false });
      await here.releaseLeases("one");
      const writing = here.commit([saying(run, 4, "{}")], { durable: false });
      const taking = there.claimRuns("two", 60_000, 9).then(() => there.readEvents(run.id, 3, 9));
      const [{ fenced }, seen] = await Promise.all([writing, taking]);
      expect(seen).toHaveLength(fenced.length === 0 ? 1 : 0);
      expect(await here.readEvents(run.id, 3, 9)).toEqual(seen);
    });
  });

  test("stored JSON keeps the order of its keys, and characters that the database cannot store as text", async () => {
    const store = await open();
    const run = await openedRun(store, { request: { z: 1, a: { y: "\0", b: 1.0 } } });
    expect(JSON.stringify((await store.getRun(run.id))?.request)).toBe('{"z":1,"a":{"y":"\\u0000","b":1}}');
    const call: ChatEvent = {
      type: "tool_call_start",
      toolCallId: "c",
      toolName: "x",
      arguments: { z: "\0", a: "\ud800" },
      textOffset: 0,
    };
    const output: ChatEvent = {
      type: "tool_result",
      toolCallId: "c",
      toolName: "x",
      success: true,
      latencyMs: 1,
      retryCount: 0,
      cached: false,
      output: "a\0b",
    };
    const said = [contentDelta("before\0after"), call, output, doneEvent(run)];
    await store.finishRun(endOf(run, 2, said));
    const [, answer] = await store.listMessages(run.sessionId);
    expect(answer?.state?.text).toBe("before\0after");
    expect(JSON.stringify(answer?.state)).toContain('{"z":"\\u0000","a":"\\ud800"}');
    expect(await cluster.run(`SELECT output FROM ${schema}.tool_outputs`)).toEqual([{ output: "a\uFFFDb" }]);
    expect(await store.getSession("no\0such")).toBeUndefined();
  });

  test("concurrent readers each get their own answer, whatever the others ask for", async () => {
    const store = await open();
    const runs: Awaited<ReturnType<typeof openedRun>>[] = [];
    // All at once, the last ones would wait for a connection for longer than they may on a busy machine.
    while (runs.length < 700)
      runs.push(...(await Promise.all(Array.from({ length: 70 }, () => openedRun(store)))));
    const [first] = runs;
    const answers = await Promise.all([
      store.readEvents("no such run", 0, 10),
      store.readEvents(first?.id ?? "", 999_999_999_999_999, 10),
      ...runs.map((run) => store.readEvents(run.id, 0, 10)),
    ]);
    expect(answers.slice(0, 2)).toEqual([[], []]);
    for (const [index, run] of runs.entries())
      expect(answers[index + 2]).toEqual([{ seq: 1, json: JSON.stringify(sessionEvent(run)) }]);
    const found = await Promise.all(
      ["no such run", ...runs.map(({ id }) => id)].map((id) => store.getRun(id)),
    );
    expect(found.map((run) => run?.id)).toEqual([undefined, ...runs.map(({ id }) => id)]);
  });

  describe("trouble", () => {
    test("lost connections go unnoticed by a run that is being written and by its followers elsewhere", async () => {
      const [here, there] = [await open(), await open()];
      const journal = createJournal(here);
      const run = await openedRun(here);
      const log = journal.open(run, { events: [sessionEvent(run)], steps: [] });
      const seqs: number[] = [];
      const followed = createFeed(there, createJournal(there)).follow(
        run.id,
        0,
        (events) => seqs.push(...events.map(({ seq }) => seq)),
        new AbortController().signal,
      );
      for (let word = 0; word < 60; word++) {
        log.emit(contentDelta(`${word} `));
        if (word % 10 === 5)
          await cluster.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'tackle%'",
          );
        await log.flush();
      }
      log.emit(doneEvent(run));
      await log.finish({ status: "done", message: answerOf(run, [doneEvent(run)]) });
      await followed;
      expect(seqs).toEqual(Array.from({ length: 62 }, (_, index) => index + 1));
      expect((await there.readEvents(run.id, 0, 100)).map(({ seq }) => seq)).toEqual(seqs);
    });

    test("a listener that is closed while it connects ends", async () => {
      const listener = new Listener({
        url: cluster.url,
        channels: [schema],
        onNotification() {},
        onGap() {},
      });
      await listener.close();
    });

    test.each(["fast", "immediate"] as const)(
      "a server that stops (%s) and restarts: reads wait for it, writes continue, watchers are woken",
      async (how) => {
        const store = await open();
        const run = await openedRun(store);
        const log = createJournal(store).open(run, { events: [sessionEvent(run)], steps: [] });
        const woken = nextNotification(store, run.id);
        await cluster.stop(how);
        const read = store.getRun(run.id);
        await cluster.start();
        expect(await read).toMatchObject({ id: run.id });
        expect(await woken).toBe("control");
        log.emit(contentDelta("after"));
        await log.flush();
        expect(await store.readEvents(run.id, 1, 9)).toHaveLength(1);
      },
    );

    test("a crash of the server loses nothing that was committed, and no use of a limit", async () => {
      const store = await open();
      const run = await openedRun(store);
      const batch = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: ['{"type":"x"}'], steps: [] };
      await store.commit([batch], { durable: false });
      await store.takeLimit("ada", "chat", 1, 60_000);
      await cluster.stop("immediate");
      await cluster.start();
      expect(await store.readEvents(run.id, 1, 9)).toHaveLength(1);
      expect(await store.takeLimit("ada", "chat", 1, 60_000)).toMatchObject({ allowed: false });
    });

    test("while owners keep taking a run from each other, only the newest ever writes", async () => {
      const instances = await Promise.all(Array.from({ length: 4 }, () => open()));
      const [first] = instances;
      if (!first) return;
      const run = await openedRun(first);
      let fenced = 0;
      let written = 0;
      await Promise.all(
        instances.map(async (store, index) => {
          for (let turn = 0; turn < 25; turn++) {
            await store.releaseLeases((await store.getRun(run.id))?.owner ?? "");
            const [claimed] = await store.claimRuns(`owner ${index}`, 60_000, 1);
            if (!claimed) continue;
            const { epoch } = claimed;
            const last = (await store.readEvents(run.id, 0, 10_000)).at(-1)?.seq ?? 0;
            for (let step = 1; step <= 3; step++) {
              const events = [JSON.stringify({ epoch })];
              const batch = { runId: run.id, epoch, firstSeq: last + step, events, steps: [] };
              const answer = await store.commit([batch], { durable: false });
              if (answer.fenced.length > 0) {
                fenced++;
                break;
              }
              written++;
            }
          }
        }),
      );
      const events = await first.readEvents(run.id, 1, 10_000);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 2));
      expect(events).toHaveLength(written);
      const epochs = events.map(({ json }) => (JSON.parse(json) as { epoch: number }).epoch);
      expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
      expect(fenced).toBeGreaterThan(0);
    });

    test("a server that stays away is reported as a retryable failure", async () => {
      const store = await open();
      await cluster.stop("fast");
      try {
        await expect(store.takeLimit("ada", "chat", 1, 1_000)).rejects.toMatchObject({
          code: "RESOURCE_EXHAUSTED",
          status: 503,
          retryable: true,
        });
      } finally {
        await cluster.start();
      }
      expect(await store.takeLimit("ada", "chat", 1, 1_000)).toMatchObject({ allowed: true });
    });

    test("a server that takes no changes, as after a failover, is left for one that does", async () => {
      const store = await open();
      const [{ database }] = (await cluster.run("SELECT current_database() AS database")) as [
        { database: string },
      ];
      const setting = `"${database}" SET default_transaction_read_only`;
      // Each connection keeps what held when it was opened.
      await cluster.run(`ALTER DATABASE ${setting} = on`);
      await cluster.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tackle'",
      );
      try {
        await expect(store.takeLimit("ada", "chat", 1, 1_000)).rejects.toMatchObject({
          code: "RESOURCE_EXHAUSTED",
          retryable: true,
          publicMessage: expect.stringContaining("read-only right now"),
        });
        const waiting = store.takeLimit("ada", "chat", 1, 1_000);
        await cluster.run(`BEGIN READ WRITE; ALTER DATABASE ${setting} = off; COMMIT`);
        expect(await waiting).toMatchObject({ allowed: true });
      } finally {
        await cluster.run(`BEGIN READ WRITE; ALTER DATABASE ${setting} = off; COMMIT`);
      }
    });

    test("a statement that takes too long is ended, and is retryable", async () => {
      const store = await open({ statementTimeoutMs: 200 });
      const run = await openedRun(store);
      const holding = cluster.run(
        `BEGIN; SELECT FROM ${schema}.runs FOR UPDATE; SELECT pg_sleep(1.5); COMMIT`,
      );
      const finish = endOf(run, 2, [doneEvent(run)]);
      const refused = async (): Promise<Failure> => {
        for (;;) {
          const error = await store.requestCancel(run.id).then(
            () => undefined,
            (failure) => failure,
          );
          if (error) return error;
        }
      };
      expect(await refused()).toMatchObject({ code: "RESOURCE_EXHAUSTED", status: 503, retryAfter: 2 });
      await holding;
      await store.finishRun(finish);
      expect((await store.getRun(run.id))?.status).toBe("done");
    });

    test("a full disk is reported as such, and nothing is written in part", async () => {
      const store = await open();
      const run = await openedRun(store);
      // The server's own error, raised at the write of its last block.
      await cluster.run(`
        CREATE FUNCTION ${schema}.full_disk() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON ${schema}.messages EXECUTE FUNCTION ${schema}.full_disk()`);
      const finish = endOf(run, 2, [contentDelta("a"), doneEvent(run)]);
      await expect(store.finishRun(finish)).rejects.toMatchObject({
        code: "STORAGE_FULL",
        status: 507,
        retryable: false,
      });
      expect(await store.readEvents(run.id, 0, 9)).toHaveLength(1);
      await cluster.run(`DROP TRIGGER full_disk ON ${schema}.messages`);
      await store.finishRun(finish);
      expect(await store.readEvents(run.id, 0, 9)).toHaveLength(3);
    });

    test("one user can open fifty sessions at once, and pages list all of them", async () => {
      const [here, there] = [await open(), await open()];
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 ? here : there).createSession({ id: `s${index}`, userId: "ada", title: "t" }),
        ),
      );
      const seen = new Set<string>();
      for (let before: string | undefined, page = 0; page < 10; page++) {
        const sessions = await here.listSessions("ada", { limit: 7, before });
        for (const { id } of sessions) seen.add(id);
        before = sessions.at(-1)?.updatedAt ?? before;
      }
      expect(seen.size).toBe(50);
    });
  });
});
