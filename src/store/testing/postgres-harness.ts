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

/** Schemas that tests have left and that are empty again: creating one takes ten times as long as opening it. */
const emptySchemas = new WeakMap<Cluster, string[]>();

/** A store with its own empty schema, whose clock stands still until it is moved. */
export async function openPostgresHarness(
  cluster: Cluster,
  { open, elsewhere }: HarnessOpener = ALONE,
): Promise<StoreHarness> {
  const { url } = cluster;
  const left = emptySchemas.get(cluster) ?? [];
  emptySchemas.set(cluster, left);
  const used = left.pop();
  const schema = used ?? freshSchema();
  const first = await open({ url, schema });
  if (used === undefined) await prepareSchema(cluster, schema);
  let isAltered = false;
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
      isAltered = true;
      await cluster.run(`SET search_path TO ${schema}; ${sql}`);
    },
    // What a test has altered by itself goes with the cluster.
    async dispose() {
      await harness.store.close();
      await moved;
      if (isAltered) return;
      await emptySchema(cluster, schema);
      left.push(schema);
    },
  };
  return harness;
}

/** Stops the clock of a new schema, and keeps the rows that it begins with. */
async function prepareSchema(cluster: Cluster, schema: string): Promise<void> {
  await cluster.run(`
    CREATE TABLE ${schema}.test_clock AS SELECT timestamptz '2030-01-01T00:00:00Z' AS now;
    CREATE OR REPLACE FUNCTION ${schema}.tackle_now() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT now FROM ${schema}.test_clock';
    CREATE SCHEMA ${schema}_first;
    DO $$ DECLARE name regclass; has_rows boolean; BEGIN
      FOR name IN ${tablesOf(schema)} LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', name) INTO has_rows;
        IF has_rows THEN EXECUTE format('CREATE TABLE ${schema}_first.%s AS TABLE %s', split_part(name::text, '.', 2), name); END IF;
      END LOOP;
    END $$`);
}

/** Brings a schema back to the rows that it began with. Neither triggers nor references have a say in it. */
async function emptySchema(cluster: Cluster, schema: string): Promise<void> {
  await cluster.run(`
    SET session_replication_role = replica;
    DO $$ DECLARE name regclass; first regclass; BEGIN
      FOR name IN ${tablesOf(schema)} LOOP
        EXECUTE format('DELETE FROM %s', name);
        first := to_regclass('${schema}_first.' || split_part(name::text, '.', 2));
        IF first IS NOT NULL THEN EXECUTE format('INSERT INTO %s TABLE %s', name, first); END IF;
      END LOOP;
      FOR name IN SELECT oid FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'S' LOOP
        PERFORM setval(name, 1, false);
      END LOOP;
    END $$`);
}

/** Selects the tables of a schema. The partitions of a table are emptied with it. */
function tablesOf(schema: string): string {
  return `SELECT oid FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`;
}

/** The store, called only after the clock has reached the test's time. */
function afterMoves(store: Store, moved: () => Promise<unknown>): Store {
  const waiting = Object.entries(store).map(([name, method]: [string, (...given: never[]) => unknown]) => [
    name,
    name.startsWith("watch") ? method : (...given: never[]) => moved().then(() => method(...given)),
  ]);
  return Object.fromEntries(waiting) as Store;
}
