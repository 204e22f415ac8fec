import { randomUUID } from "node:crypto";
import {
  BREAKER_COOL_DOWN_MS,
  BREAKER_FAILURES,
  type BreakerOutcome,
  type BreakerRecord,
  type BreakerState,
  type BreakerVerdict,
} from "../../protocol/store.ts";
import { type Database, statement } from "./database.ts";

interface Row {
  name: string;
  failures: number;
  open: boolean;
  /** Milliseconds until the cool-down is over, and until the lease of the probe is. */
  cools_in: number | null;
  probe_ends_in: number | null;
}

/** A probe may be over at any moment: whoever comes meanwhile need not wait for its whole lease. */
const PROBE_WAIT_MS = 5_000;
const CLOSED: BreakerState = { state: "closed", failures: 0 };

const MILLISECONDS = "INTERVAL '1 millisecond'";
const COLUMNS = `name, failures, open_until IS NOT NULL AS open,
  (extract(epoch FROM open_until - tackle_now()) * 1000)::float8 AS cools_in,
  (extract(epoch FROM probe_until - tackle_now()) * 1000)::float8 AS probe_ends_in`;
/** Failures that were followed by nothing for so long are forgotten. */
const FORGOTTEN = "failed_at <= (SELECT tackle_now()) - INTERVAL '24 hours'";
/** While it is open only the holder of the newest probe's token is listened to. */
const LISTENS = "(open_until IS NULL OR probe_token = $2)";

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
  `DELETE FROM breakers WHERE name = $1 AND (${LISTENS} OR ${FORGOTTEN})
   RETURNING set_config('synchronous_commit', 'off', true)`,
);
const CLOSE = statement("DELETE FROM breakers WHERE name = $1");
const UNKNOWN = statement(
  `UPDATE breakers SET probe_token = NULL, probe_until = NULL WHERE name = $1 AND probe_token = $2
   RETURNING set_config('synchronous_commit', 'off', true)`,
);

/** Circuit breakers that all instances share. */
export function breakersOf(database: Database) {
  async function find(name: string): Promise<Row | undefined> {
    return (await database.queryAgain<Row>(FIND, [name]))[0];
  }

  return {
    async take(name: string, leaseMs: number): Promise<BreakerVerdict> {
      const row = await find(name);
      if (!row || !mayProbe(row)) return stateOf(row);
      const token = randomUUID();
      const won = await database.query(PROBE, [name, token, leaseMs]);
      return won.length > 0 ? { state: "probe", token } : stateOf(await find(name));
    },
    async report(name: string, outcome: BreakerOutcome, token?: string): Promise<BreakerState> {
      const values = [name, token ?? null];
      if (outcome === "failed") {
        const [row] = await database.query<Row>(FAILED, values);
        return stateOf(row ?? (await find(name)));
      }
      const known = await find(name);
      if (!known) return CLOSED;
      await database.query(outcome === "succeeded" ? SUCCEEDED : UNKNOWN, values);
      return stateOf(await find(name));
    },
    async close(name: string): Promise<void> {
      await database.queryAgain(CLOSE, [name]);
    },
    list: async (): Promise<BreakerRecord[]> =>
      (await database.queryAgain<Row>(LIST)).map((row) => ({
        name: row.name,
        state: !row.open ? "closed" : (row.cools_in ?? 0) > 0 ? "open" : "probing",
        failures: row.failures,
      })),
  };
}

function stateOf(row: Row | undefined): BreakerState {
  if (!row) return CLOSED;
  if (!row.open) return { state: "closed", failures: row.failures };
  const coolsIn = row.cools_in ?? 0;
  const waitMs = coolsIn > 0 ? coolsIn : Math.min(row.probe_ends_in ?? 0, PROBE_WAIT_MS);
  return { state: "open", retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) };
}

function mayProbe(row: Row): boolean {
  return row.open && (row.cools_in ?? 0) <= 0 && (row.probe_ends_in ?? 0) <= 0;
}
