import { afterAll, beforeAll, describe } from "vitest";
import type { Store } from "../../protocol/store.ts";
import type { StoreHarness } from "../conformance/harness.ts";
import { storeConformance } from "../conformance.ts";
import { openPostgresStore, type PostgresOptions } from "../postgres.ts";
import { type Cluster, type PostgresRelease, startCluster } from "./postgres.ts";

let schemas = 0;

/** A schema name that is unique within this process. */
export function freshSchema(): string {
  return `tackle_${process.pid}_${++schemas}`;
}

/** Runs the conformance suite on a cluster of this release. */
export function conformOn(release: PostgresRelease): void {
  describe(`on ${release.name}`, () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster(release);
    });
    afterAll(() => cluster.dispose());
    storeConformance(release.name, () => openPostgresHarness(cluster));
  });
}

/** How the stores of a harness are opened, here and in another process. */
export interface HarnessOpener {
  open(options: PostgresOptions): Promise<Store>;
  elsewhere(options: PostgresOptions): StoreHarness["elsewhere"];
}

const ALONE: HarnessOpener = {
  open: openPostgresStore,
  elsewhere: (options) => ({
    module: new URL("../postgres.ts", import.meta.url).href,
    function: "openPostgresStore",
    argument: JSON.stringify(options),
  }),
};

/** A store with an empty schema of its own, whose clock stands still until it is moved. */
export async function openPostgresHarness(
  cluster: Cluster,
  { open, elsewhere }: HarnessOpener = ALONE,
): Promise<StoreHarness> {
  const schema = freshSchema();
  const { url } = cluster;
  const first = await open({ url, schema });
  await cluster.run(`
    CREATE TABLE ${schema}.test_clock AS SELECT timestamptz '2030-01-01T00:00:00Z' AS now;
    CREATE OR REPLACE FUNCTION ${schema}.tackle_now() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT now FROM ${schema}.test_clock'`);
  let moved: Promise<unknown> = Promise.resolve();
  const harness: StoreHarness = {
    store: afterMoves(first, () => moved),
    advance(milliseconds) {
      moved = moved.then(() =>
        cluster.run(`UPDATE ${schema}.test_clock SET now = now + ${milliseconds} * INTERVAL '1 millisecond'`),
      );
    },
    async reopen() {
      await harness.store.close();
      harness.store = afterMoves(await open({ url, schema }), () => moved);
      return harness.store;
    },
    elsewhere: elsewhere({ url, schema }),
    async runSql(sql) {
      await cluster.run(`SET search_path TO ${schema}; ${sql}`);
    },
    // The schema goes with its cluster.
    dispose: () => harness.store.close(),
  };
  return harness;
}

/** The store, called only after the clock has reached the test's time. */
function afterMoves(store: Store, moved: () => Promise<unknown>): Store {
  const waiting = Object.entries(store).map(([name, method]: [string, (...given: never[]) => unknown]) => [
    name,
    name === "watch" ? method : (...given: never[]) => moved().then(() => method(...given)),
  ]);
  return Object.fromEntries(waiting) as Store;
}
