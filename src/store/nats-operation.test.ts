import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { copyInto, entriesOf } from "./backup/copy.ts";
import { openPostgresEngine } from "./backup/postgres.ts";
import { doneEvent, endOf, openedRun, sessionEvent } from "./conformance/harness.ts";
import { openNatsJournal } from "./nats.ts";
import { openPostgresStore } from "./postgres.ts";
import { hasNats, type NatsServers, startNats } from "./testing/nats.ts";
import { openPostgresWithNats } from "./testing/nats-store.ts";
import { type Cluster, findRelease, startCluster } from "./testing/postgres.ts";

const release = findRelease();
const SAID = ["Hello, ", "Ada. ", "How ", "are you?"].map(contentDelta);
const LINES = SAID.map((event) => JSON.stringify(event));
const MOST_MS = 30_000;

describe.skipIf(!release || !hasNats())("operating a journal on NATS", () => {
  let cluster: Cluster;
  let nats: NatsServers;
  let database: string;
  let count = 0;
  const opened: Store[] = [];
  beforeAll(async () => {
    if (release) [cluster, nats] = await Promise.all([startCluster(release), startNats()]);
  });
  afterAll(async () => {
    await cluster?.dispose();
    await nats?.dispose();
  });
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await nats.forget();
  });

  /** Each has the schema that backups read. */
  async function freshDatabase(): Promise<string> {
    const name = `journal_${++count}`;
    await cluster.run(`CREATE DATABASE ${name}`);
    return cluster.url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
  }
  async function open(journalUrl: string | undefined = nats.url, url = database): Promise<Store> {
    const options = { url, journalUrl: `${journalUrl}?streams=1` };
    const store = journalUrl === "" ? await openPostgresStore({ url }) : await openPostgresWithNats(options);
    opened.push(store);
    return store;
  }
  const close = async (store: Store) => {
    opened.splice(opened.indexOf(store), 1);
    await store.close();
  };

  /** A run whose first text is in PostgreSQL, and the rest on NATS. */
  async function spread(store: Store): Promise<Run> {
    const run = await openedRun(store);
    for (const [index, line] of LINES.entries()) {
      const batch = { runId: run.id, epoch: run.epoch, firstSeq: index + 2, events: [line], steps: [] };
      await store.commit([batch], { durable: true });
    }
    return run;
  }
  const wholeOf = (run: Run) => [JSON.stringify(sessionEvent(run)), ...LINES];
  const read = async (store: Store, { id }: Run) =>
    (await store.readEvents(id, 0, 100)).map(({ json }) => json);

  test("a server that cannot reach the cluster says so at once, and gives up with a sentence", async () => {
    const warned: string[] = [];
    const url = "nats://127.0.0.1:9";
    const opening = openNatsJournal({ url, name: "x", warn: (line) => warned.push(line), patienceMs: 1_000 });
    await expect(opening).rejects.toMatchObject({
      publicMessage: expect.stringMatching(
        /^The journal at TACKLE_JOURNAL_URL cannot be reached: .*Check TACKLE_JOURNAL_URL and the cluster\.$/,
      ),
    });
    expect(warned[0]).toMatch(/cannot be reached: .*Trying again\.$/);
  });

  test("a follower elsewhere that is behind reads the end of a run, which is not on NATS", async () => {
    const [owner, other] = [await open(), await open()];
    const run = await openedRun(owner);
    let wakes = 0;
    other.watch(run.id, () => wakes++);
    await other.readEvents(run.id, 0, 100); // Nothing is missed of what comes after a read.
    for (const [index, line] of LINES.entries()) {
      const batch = { runId: run.id, epoch: run.epoch, firstSeq: index + 2, events: [line], steps: [] };
      await owner.commit([batch], { durable: true });
    }
    await vi.waitFor(() => expect(wakes).toBeGreaterThanOrEqual(LINES.length), MOST_MS);
    await owner.finishRun(endOf(run, 6, [doneEvent(run)], SAID));
    const rest = await other.readEvents(run.id, 3, 100);
    expect(rest.map(({ seq }) => seq)).toEqual([4, 5, 6]);
  });

  test("the sweep moves runs whose owner died at their end, and removes what deleted ones left", async () => {
    let isDead = false;
    let name = "";
    const owner = await openPostgresStore({
      url: database,
      async openJournal(given) {
        name = given;
        const journal = await openNatsJournal({ url: `${nats.url}?streams=1`, name, warn: () => {} });
        const die = () => Promise.reject(new Error("the owner died"));
        return { ...journal, read: (...asked) => (isDead ? die() : journal.read(...asked)) };
      },
    });
    opened.push(owner);
    const [ended, active] = [await spread(owner), await spread(owner)];
    isDead = true;
    await owner.finishRun(endOf(ended, 6, [doneEvent(ended)], SAID));
    await close(owner);
    const journal = await openNatsJournal({ url: nats.url, name, warn: () => {} });
    await journal.fence("run_gone", 1);
    await journal.append({ runId: "run_gone", epoch: 1, firstSeq: 1, events: LINES });
    expect((await journal.list(10)).sort()).toEqual([ended.id, active.id, "run_gone"].sort());

    const store = await openPostgresWithNats({ url: database, journalUrl: nats.url, sweepMs: 20 });
    opened.push(store);
    const held = async () => (await nats.messages()).filter(({ text }) => text.includes("Ada")).length;
    await vi.waitFor(async () => expect(await held()).toBe(1), MOST_MS);
    await journal.close();
    expect(await read(store, ended)).toEqual([...wholeOf(ended), JSON.stringify(doneEvent(ended))]);
    expect(await read(store, active)).toEqual(wholeOf(active));
  });

  test("the journal can change its addresses, but not its cluster while it holds events of a run", async () => {
    const store = await open();
    const run = await spread(store);
    await close(store);
    const [one = "", ...others] = nats.url.replace("nats://", "").split(",");
    const again = await open(`nats://${[...others, one].join(",")}`);
    expect(await read(again, run)).toEqual(wholeOf(run));
    await close(again);
    const sentence = /^Events of 1 runs may be in the journal that was used before, and this one uses none\./;
    await expect(open("")).rejects.toMatchObject({
      code: "CONFLICT",
      publicMessage: expect.stringMatching(sentence),
    });
    const other = await startNats(1);
    try {
      await expect(open(other.url)).rejects.toMatchObject({
        publicMessage: expect.stringContaining("and this one is another."),
      });
    } finally {
      await other.dispose();
    }
    const former = await open();
    await former.finishRun(endOf(run, 6, [doneEvent(run)], SAID));
    await close(former);
    const without = await open("");
    expect(await read(without, run)).toEqual([...wholeOf(run), JSON.stringify(doneEvent(run))]);
  });

  test("of a run in progress, a backup has what comes before the events on NATS, and restoring cancels it", async () => {
    const store = await open();
    const [torn, whole] = [await spread(store), await openedRun(store)];
    const step = { key: "tool:call", state: "started", idempotencyKey: "k" } as const;
    const later = { runId: torn.id, epoch: torn.epoch, firstSeq: 6, events: [LINES[0] ?? ""], steps: [step] };
    await store.commit([later], { durable: true });
    expect(await read(store, torn)).toEqual([...wholeOf(torn), LINES[0]]);
    const target = await freshDatabase();
    await (await openPostgresStore({ url: target })).close();
    const [from, to] = [
      await openPostgresEngine(database, "read"),
      await openPostgresEngine(target, "write"),
    ];
    await copyInto(
      to,
      entriesOf(from),
      { keepFile: async () => {}, keepKey: async () => {} },
      { empty: true },
    );
    await from.close();
    await to.close();
    const restored = await open(nats.url, target);
    expect(await read(restored, torn)).toEqual(wholeOf(torn).slice(0, 2));
    expect(await restored.getRun(torn.id)).toMatchObject({ status: "running", cancelRequested: true });
    expect(await restored.getRun(whole.id)).toMatchObject({ status: "running", cancelRequested: false });
  });
});
