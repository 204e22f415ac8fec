import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import { doneEvent, endOf, openedRun } from "../conformance/harness.ts";
import { openPostgresStore } from "../postgres.ts";
import { type Cluster, findRelease, startCluster } from "../testing/postgres.ts";
import { freshSchema } from "../testing/postgres-harness.ts";

const release = findRelease();
const ANSWER = "An answer that is long enough to be stored only once. ".repeat(20);

describe.skipIf(!release)("messages for an instance of the former version", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    if (release) cluster = await startCluster(release);
  });
  afterAll(() => cluster?.dispose());

  async function answered(schema: string) {
    const store = await openPostgresStore({ url: cluster.url, schema });
    const run = await openedRun(store);
    await store.finishRun(endOf(run, 2, [contentDelta(ANSWER), doneEvent(run)]));
    const read = async () => ({
      state: (await store.getMessage(run.messageId))?.state?.text,
      events: await store.readEvents(run.id, 0, 10),
    });
    return { run, store, read };
  }

  test("are whole while it is connected, and packed once it has gone; both read the same", async () => {
    const schema = freshSchema();
    const former = new Client({ connectionString: cluster.url, application_name: "tackle listener" });
    await former.connect();
    const beside = await answered(schema);
    await former.end();
    const alone = await answered(schema);
    try {
      const rows = await cluster.run(
        `SELECT format, parts::text LIKE '%long enough%' AND state::text LIKE '%long enough%' AS whole
         FROM ${schema}.messages WHERE role = 'assistant' ORDER BY created_at`,
      );
      expect(rows).toEqual([
        { format: 1, whole: true },
        { format: 2, whole: false },
      ]);
      for (const { read } of [beside, alone])
        expect(await read()).toMatchObject({
          state: ANSWER,
          events: [{ seq: 1 }, { seq: 2, json: JSON.stringify(contentDelta(ANSWER)) }, { seq: 3 }],
        });
    } finally {
      await beside.store.close();
      await alone.store.close();
    }
  });
});
