import type { StoreStatistics } from "../../protocol/store.ts";
import { type Database, statement } from "./database.ts";
import { ACTIVE } from "./runs.ts";

/** Counting a large table reads all of it, so beyond this many rows the planner's estimate is used. */
const COUNTED = 100_000;

function rowsOf(table: string): string {
  return `(SELECT CASE WHEN reltuples > ${COUNTED} THEN reltuples::float8 ELSE (SELECT count(*) FROM ${table})::float8 END
    FROM pg_class WHERE oid = '${table}'::regclass)`;
}

/** SQL for the bytes of the database. */
export const STORED_BYTES = `(SELECT sum(pg_total_relation_size(oid)) FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')`;

const STATISTICS = statement(
  `SELECT ${rowsOf("sessions")} AS sessions, ${rowsOf("messages")} AS messages, ${rowsOf("runs")} AS runs,
     (SELECT count(*) FROM runs WHERE ${ACTIVE})::float8 AS "activeRuns",
     ${STORED_BYTES}::float8 AS bytes`,
);

/** Returns the numbers of rows and bytes. */
export async function statisticsOf(database: Database): Promise<StoreStatistics> {
  const [row] = await database.queryAgain<StoreStatistics>(STATISTICS);
  if (!row) throw new Error("counting rows returned nothing");
  return { ...row, ...database.connections() };
}
