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
import type { Database } from "./database.ts";

/** Failures are forgotten when nothing follows them for this long. */
const MEMORY_MS = 24 * 60 * 60_000;

const SELECT = `SELECT name, failures, caller, open_until - ?1 AS cools_in, probe_until - ?1 AS probe_ends_in, probe_token
  FROM breakers`;

/** Circuit breakers that all instances share. */
export function breakersOf(database: Database) {
  const select = database.prepare<unknown>(`${SELECT} WHERE name = ?2`);
  const all = database.prepare<unknown>(`${SELECT} ORDER BY name`);
  const remove = database.prepare("DELETE FROM breakers WHERE name = ?");
  const forget = database.prepare("DELETE FROM breakers WHERE failed_at <= ?");
  const save = database.prepare(
    "INSERT OR REPLACE INTO breakers (name, failures, caller, open_until, failed_at) VALUES (?, ?, ?, ?, ?)",
  );
  const setProbe = database.prepare("UPDATE breakers SET probe_token = ?, probe_until = ? WHERE name = ?");
  const renew = database.prepare("UPDATE breakers SET probe_until = ? WHERE name = ? AND probe_token = ?");

  function find(name: string): BreakerRow | undefined {
    const row = select.get(database.now(), name);
    return row ? toBreaker(row) : undefined;
  }

  function takeProbe(name: string): BreakerVerdict {
    const row = find(name);
    if (!row || !mayProbe(row)) return stateOf(row);
    const token = randomUUID();
    setProbe.run(token, database.now() + BREAKER_PROBE_MS, name);
    return { state: "probe", token };
  }

  function fail(name: string, row: BreakerRow | undefined, by: string, alone: boolean): void {
    const now = database.now();
    const failures = (row?.failures ?? 0) + 1;
    const caller = row && row.caller !== by ? "" : by;
    const opens = row?.coolsIn !== undefined || alone || caller === "";
    const openUntil = failures >= BREAKER_FAILURES && opens ? now + BREAKER_COOL_DOWN_MS : null;
    save.run(name, failures, caller, openUntil, now);
  }

  function report(name: string, ended: BreakerReport): BreakerState {
    forget.run(database.now() - MEMORY_MS);
    const row = find(name);
    const open = row?.coolsIn !== undefined;
    if (ended.outcome === "succeeded") remove.run(name);
    else if (open && (ended.token === undefined || ended.token !== row.probeToken)) return stateOf(row);
    else if (ended.outcome === "failed") fail(name, row, ended.caller, ended.alone);
    else if (open) setProbe.run(null, null, name);
    return stateOf(find(name));
  }

  return {
    takeBreaker(name: string): BreakerVerdict {
      const row = find(name);
      if (!row) return CLOSED;
      if (!mayProbe(row)) return stateOf(row);
      return database.transaction(() => takeProbe(name), { durable: false });
    },
    renewProbe(name: string, token: string): void {
      database.transaction(() => renew.run(database.now() + BREAKER_PROBE_MS, name, token), {
        durable: false,
      });
    },
    reportBreaker(name: string, ended: BreakerReport): BreakerState {
      if (ended.outcome !== "failed" && !find(name)) return CLOSED;
      return database.transaction(() => report(name, ended), { durable: false });
    },
    listBreakers: (): BreakerRecord[] => all.all(database.now()).map(toBreaker).map(recordOf),
  };
}
