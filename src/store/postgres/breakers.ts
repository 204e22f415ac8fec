import { randomUUID } from "node:crypto";
import {
  BREAKER_COOL_DOWN_MS,
  BREAKER_FAILURES,
  BREAKER_PROBE_MS,
  type BreakerRecord,
  type BreakerReport,
  type BreakerState,
  type BreakerVerdict,
} from "../../protocol/breakers.ts";
import { type BreakerRow, CLOSED, mayProbe, recordOf, stateOf } from "../breaker-state.ts";
import { toBreaker } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const MILLISECONDS = "INTERVAL '1 millisecond'";
const COLUMNS = `name, failures, caller,
  (extract(epoch FROM open_until - tackle_now()) * 1000)::float8 AS cools_in,
  (extract(epoch FROM probe_until - tackle_now()) * 1000)::float8 AS probe_ends_in`;
/** Failures are forgotten when nothing follows them for this long. */
const FORGOTTEN = "failed_at <= (SELECT tackle_now()) - INTERVAL '24 hours'";
const PROBE_END = `tackle_now() + ${BREAKER_PROBE_MS} * ${MILLISECONDS}`;
const SOON = "set_config('synchronous_commit', 'off', true)";

const FIND = statement(`SELECT ${COLUMNS} FROM breakers WHERE name = $1`);
const LIST = statement(`SELECT ${COLUMNS} FROM breakers ORDER BY name`);
const PROBE = statement(
  `UPDATE breakers SET probe_token = $2, probe_until = ${PROBE_END}
   WHERE name = $1 AND open_until <= tackle_now() AND (probe_until IS NULL OR probe_until <= tackle_now())
   RETURNING name, ${SOON}`,
);
const RENEW = statement(
  `UPDATE breakers SET probe_until = ${PROBE_END} WHERE name = $1 AND probe_token = $2 RETURNING ${SOON}`,
);
const FAILED = statement(
  `WITH forgotten AS (DELETE FROM breakers WHERE ${FORGOTTEN} AND name <> $1)
   INSERT INTO breakers AS b (name, failures, caller, failed_at) VALUES ($1, 1, $3, tackle_now())
   ON CONFLICT (name) DO UPDATE SET
     failures = CASE WHEN b.${FORGOTTEN} THEN 1 ELSE b.failures + 1 END,
     caller = CASE WHEN b.caller = $3 OR b.${FORGOTTEN} THEN $3 ELSE '' END,
     open_until = CASE WHEN b.failures + 1 >= ${BREAKER_FAILURES} AND NOT b.${FORGOTTEN}
         AND ($4 OR b.open_until IS NOT NULL OR b.caller <> $3)
       THEN tackle_now() + ${BREAKER_COOL_DOWN_MS} * ${MILLISECONDS} END,
     probe_token = NULL, probe_until = NULL, failed_at = tackle_now()
   WHERE b.open_until IS NULL OR b.probe_token = $2 OR b.${FORGOTTEN}
   RETURNING ${COLUMNS.replaceAll("tackle_now()", "(SELECT tackle_now())")}, ${SOON}`,
);
const SUCCEEDED = statement(`DELETE FROM breakers WHERE name = $1 RETURNING ${SOON}`);
const UNKNOWN = statement(
  `UPDATE breakers SET probe_token = NULL, probe_until = NULL WHERE name = $1 AND probe_token = $2
   RETURNING ${SOON}`,
);

/** Circuit breakers that all instances share. */
export function breakersOf(database: Database) {
  async function find(name: string): Promise<BreakerRow | undefined> {
    const [row] = await database.queryAgain<unknown>(FIND, [name]);
    return row ? toBreaker(row) : undefined;
  }

  return {
    async takeBreaker(name: string): Promise<BreakerVerdict> {
      const row = await find(name);
      if (!row || !mayProbe(row)) return stateOf(row);
      const token = randomUUID();
      const won = await database.query(PROBE, [name, token]);
      return won.length > 0 ? { state: "probe", token } : stateOf(await find(name));
    },
    async renewProbe(name: string, token: string): Promise<void> {
      await database.query(RENEW, [name, token]);
    },
    async reportBreaker(name: string, ended: BreakerReport): Promise<BreakerState> {
      if (ended.outcome === "failed") {
        const { token = null, caller, alone } = ended;
        const [row] = await database.query<unknown>(FAILED, [name, token, caller, alone]);
        return stateOf(row ? toBreaker(row) : await find(name));
      }
      if (!(await find(name))) return CLOSED;
      if (ended.outcome === "succeeded") await database.query(SUCCEEDED, [name]);
      else await database.query(UNKNOWN, [name, ended.token]);
      return stateOf(await find(name));
    },
    listBreakers: async (): Promise<BreakerRecord[]> =>
      (await database.queryAgain<unknown>(LIST)).map(toBreaker).map(recordOf),
  };
}
