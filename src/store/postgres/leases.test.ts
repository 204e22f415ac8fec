import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../protocol/store.ts";
import { openedRun } from "../conformance/harness.ts";
import { openPostgresStore } from "../postgres.ts";
import { type Cluster, findRelease, startCluster } from "../testing/postgres.ts";
import { freshSchema } from "../testing/postgres-harness.ts";

const release = findRelease();
const LEASE_MS = 10_000;

describe.skipIf(!release)("leases of processes", () => {
  let cluster: Cluster;
  let schema: string;
  let store: Store;

  beforeAll(async () => {
    if (release) cluster = await startCluster(release);
  });
  afterAll(() => cluster?.dispose());
  beforeEach(async () => {
    schema = freshSchema();
    store = await openPostgresStore({ url: cluster.url, schema });
    await setClock(0);
  });
  afterEach(() => store?.close());

  async function setClock(ms: number): Promise<void> {
    await cluster.run(
      `CREATE OR REPLACE FUNCTION ${schema}.tackle_now() RETURNS timestamptz LANGUAGE sql VOLATILE
       AS 'SELECT timestamptz ''2030-01-01T00:00:00Z'' + ${ms} * interval ''1 millisecond'''`,
    );
  }

  const versions = () => cluster.run(`SELECT id, xmin::text FROM ${schema}.runs ORDER BY id`);
  const claimed = async (limit = 10) =>
    (await store.claimRuns("two", LEASE_MS, limit)).map(({ id }) => id).sort();

  test("renewing writes the runs of a process once, and then only its lease", async () => {
    for (let count = 0; count < 5; count++) await openedRun(store, { leaseMs: LEASE_MS });
    const opened = await versions();
    await store.renewLeases("one", LEASE_MS);
    const renewed = await versions();
    expect(renewed).not.toEqual(opened);
    for (const ms of [2_500, 5_000, 7_500, 12_000]) {
      await setClock(ms);
      await store.renewLeases("one", LEASE_MS);
    }
    expect(await versions()).toEqual(renewed);
    await setClock(21_000);
    expect(await claimed()).toEqual([]);
  });

  test("when it ends, all runs of the process can be claimed, and its next renewal names them as lost", async () => {
    const runs = [
      await openedRun(store, { leaseMs: LEASE_MS }),
      await openedRun(store, { leaseMs: LEASE_MS }),
    ];
    const ids = runs.map(({ id }) => id).sort();
    await store.renewLeases("one", LEASE_MS, ids);
    await setClock(LEASE_MS);
    expect(await claimed()).toEqual(ids);
    expect((await store.renewLeases("one", LEASE_MS, ids)).lost.sort()).toEqual(ids);
    expect(await claimed()).toEqual([]);
  });

  test("a run that the process gave up leaves its lease, and comes back if it is named again", async () => {
    const [kept, givenUp] = [
      await openedRun(store, { leaseMs: LEASE_MS }),
      await openedRun(store, { leaseMs: LEASE_MS }),
    ];
    await store.renewLeases("one", LEASE_MS);
    await store.renewLeases("one", LEASE_MS, [kept.id]);
    await store.renewLeases("one", LEASE_MS, [kept.id, givenUp.id]);
    await setClock(9_000);
    await store.renewLeases("one", LEASE_MS, [kept.id]);
    await setClock(18_000);
    await store.renewLeases("one", LEASE_MS, [kept.id]);
    await setClock(19_000);
    expect(await claimed()).toEqual([givenUp.id]);
  });

  test("leases of processes that are long gone are removed", async () => {
    await openedRun(store, { leaseMs: LEASE_MS });
    await store.renewLeases("one", LEASE_MS);
    await setClock(2 * 86_400_000);
    await store.tidyJournals();
    expect(await cluster.run(`SELECT count(*)::int FROM ${schema}.owners`)).toEqual([{ count: 0 }]);
    expect(await claimed()).toHaveLength(1);
  });
});
