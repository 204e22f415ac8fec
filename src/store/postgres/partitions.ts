import type { PoolClient } from "pg";
import type { Database } from "./database.ts";
import { dayOf } from "./journal-tables.ts";
import { quoted, withSchemaLock } from "./schema.ts";

/** How many days have a partition before they begin. Any instance that starts or tidies up adds what is missing. */
const DAYS_AHEAD = 2;
/** How long a partition stays after its day, for instances of the former version, which read no folded events. */
const DAYS_KEPT = 1;
/** Dropping a partition needs the whole table for a moment. If others hold it longer than this, the next pass tries again. */
const LOCK_TIMEOUT = "2s";
const LOCK_TIMED_OUT = "55P03";

// Days with pages in the partition for all others get one too: the clock may have jumped.
const MISSING = `
  SELECT day::text, 'run_pages_' || to_char(day, 'YYYYMMDD') AS name
  FROM (SELECT ${dayOf("tackle_now()")} + n FROM generate_series(0, ${DAYS_AHEAD}) AS n
    UNION SELECT day FROM run_pages_other) AS wanted (day)
  WHERE to_regclass('run_pages_' || to_char(day, 'YYYYMMDD')) IS NULL ORDER BY day`;
// A day is over once all of its runs are folded or cleared.
const OVER = `
  SELECT name FROM (
    SELECT c.relname AS name, to_date(substr(c.relname, 11), 'YYYYMMDD') AS day
    FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid
    WHERE inhparent = 'run_pages'::regclass AND c.relname ~ '^run_pages_[0-9]{8}$'
  ) AS partitions
  WHERE day < ${dayOf("tackle_now()")} - ${DAYS_KEPT} AND NOT EXISTS (
    SELECT FROM runs WHERE NOT folded AND NOT events_cleared
      AND created_at >= day::timestamp AT TIME ZONE 'UTC' AND created_at < (day + 1)::timestamp AT TIME ZONE 'UTC'
  ) ORDER BY day`;

interface Day {
  day: string;
  name: string;
}

/** Adds the partitions of today and the next days. Instances that do this at the same time wait for each other. */
export async function addDays(database: Database): Promise<void> {
  await database.withClient(async (client) => {
    if ((await client.query<Day>(MISSING)).rows.length === 0) return;
    await withSchemaLock(client, database.schema, async () => {
      const { rows } = await client.query<Day>(MISSING);
      for (const day of rows) await addDay(client, day);
    });
  });
}

/** Drops the partitions of days whose runs are all folded. */
export async function dropDays(database: Database): Promise<void> {
  await database.withClient(async (client) => {
    const { rows } = await client.query<{ name: string }>(OVER);
    for (const { name } of rows) {
      await withSchemaLock(client, database.schema, async () => {
        await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await client.query(`DROP TABLE IF EXISTS ${quoted(name)}`);
      }).catch(ignoreLockTimeout);
    }
  });
}

/** Creates the table first and attaches it then, which locks nothing that writers need, except for pages of that day. */
async function addDay(client: PoolClient, { day, name }: Day): Promise<void> {
  const table = quoted(name);
  await client.query("LOCK TABLE run_pages_other IN ACCESS EXCLUSIVE MODE");
  await client.query(`CREATE TABLE ${table} (LIKE run_pages INCLUDING ALL)`);
  await client.query(
    `WITH moved AS (DELETE FROM run_pages_other WHERE day = '${day}' RETURNING run_id, day, seq, json)
     INSERT INTO ${table} (run_id, day, seq, json) SELECT * FROM moved`,
  );
  await client.query(
    `ALTER TABLE run_pages ATTACH PARTITION ${table} FOR VALUES FROM ('${day}') TO (date '${day}' + 1)`,
  );
}

function ignoreLockTimeout(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === LOCK_TIMED_OUT)) throw error;
}
