import { randomUUID } from "node:crypto";
import {
  BREAKER_COOL_DOWN_MS,
  BREAKER_FAILURES,
  type BreakerOutcome,
  type BreakerRecord,
  type BreakerState,
  type BreakerVerdict,
} from "../../protocol/store.ts";
import { type BreakerRow, mayProbe, recordOf, stateOf } from "../breaker-state.ts";
import { toBreaker } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const MILLISECONDS = "INTERVAL '1 millisecond'";
const COLUMNS = `name, failures,
  (extract(epoch FROM open_until - tackle_now()) * 1000)::float8 AS cools_in,
  (extract(epoch FROM probe_until - tackle_now()) * 1000)::float8 AS probe_ends_in`;
/** Failures are forgotten when nothing follows them for this long. */
const FORGOTTEN = "failed_at <= (SELECT tackle_now()) - INTERVAL '24 hours'";
/** While the breaker is open, only the newest probe may report. */
const MAY_REPORT = "(open_until IS NULL OR probe_token = $2)";

const FIND = statement(`SELECT ${COLUMNS} FROM breakers WHERE name = $1`);
const LIST = statement(`SELECT ${COLUMNS} FROM breakers ORDER BY name`);
const PROBE = statement(
  `UPDATE breakers SET probe_token = $2, probe_until = tackle_now() + $3 * ${MILLISECONDS}
   WHERE name = $1 AND open_until <= tackle_now() AND (probe_until IS NULL OR probe_until <= tackle_now())
   RETURNING name, set_config('synchronous_commit', 'off', true)`,
);
const FAILED = statement(
  `WITH forgotten AS (DELETE FROM breakers WHERE ${FORGOTTEN} AND name <> $1)
   INSERT INTO breakers AS b (name, failures, failed_at) VALUES ($1, 1, tackle_now())
   ON CONFLICT (name) DO UPDATE SET
     failures = CASE WHEN b.${FORGOTTEN} THEN 1 ELSE b.failures + 1 END,
     open_until = CASE WHEN b.failures + 1 >= ${BREAKER_FAILURES} AND NOT b.${FORGOTTEN}
       THEN tackle_now() + ${BREAKER_COOL_DOWN_MS} * ${MILLISECONDS} END,
     probe_token = NULL, probe_until = NULL, failed_at = tackle_now()
   WHERE b.open_until IS NULL OR b.probe_token = $2 OR b.${FORGOTTEN}
   RETURNING ${COLUMNS.replaceAll("tackle_now()", "(SELECT tackle_now())")}, set_config('synchronous_commit', 'off', true)`,
);
const SUCCEEDED = statement(
  `DELETE FROM breakers WHERE name = $1 AND (${MAY_REPORT} OR ${FORGOTTEN})
   RETURNING set_config('synchronous_commit', 'off', true)`,
);
const CLOSE = statement("DELETE FROM breakers WHERE name = $1");
const UNKNOWN = statement(
  `UPDATE breakers SET probe_token = NULL, probe_until = NULL WHERE name = $1 AND probe_token = $2
   RETURNING set_config('synchronous_commit', 'off', true)`,
);

/** Circuit breakers that all instances share. */
export function breakersOf(database: Database) {
  async function find(name: string): Promise<BreakerRow | undefined> {
    const [row] = await database.queryAgain<unknown>(FIND, [name]);
    return row ? toBreaker(row) : undefined;
  }

  return {
    async takeBreaker(name: string, leaseMs: number): Promise<BreakerVerdict> {
      const row = await find(name);
      if (!row || !mayProbe(row)) return stateOf(row);
      const token = randomUUID();
      const won = await database.query(PROBE, [name, token, leaseMs]);
      return won.length > 0 ? { state: "probe", token } : stateOf(await find(name));
    },
    async reportBreaker(name: string, outcome: BreakerOutcome, token?: string): Promise<BreakerState> {
      const values = [name, token ?? null];
      if (outcome === "failed") {
        const [row] = await database.query<unknown>(FAILED, values);
        return stateOf(row ? toBreaker(row) : await find(name));
      }
      const known = await find(name);
      if (!known) return stateOf(undefined);
      await database.query(outcome === "succeeded" ? SUCCEEDED : UNKNOWN, values);
      return stateOf(await find(name));
    },
    async closeBreaker(name: string): Promise<void> {
      await database.queryAgain(CLOSE, [name]);
    },
    listBreakers: async (): Promise<BreakerRecord[]> =>
      (await database.queryAgain<unknown>(LIST)).map(toBreaker).map(recordOf),
  };
}
