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
import type { Database } from "./database.ts";

/** Failures are forgotten when nothing follows them for this long. */
const MEMORY_MS = 24 * 60 * 60_000;

const SELECT = `SELECT name, failures, open_until - ?1 AS cools_in, probe_until - ?1 AS probe_ends_in, probe_token
  FROM breakers`;

/** Circuit breakers that all instances share. */
export function breakersOf(database: Database) {
  const select = database.prepare<unknown>(`${SELECT} WHERE name = ?2`);
  const all = database.prepare<unknown>(`${SELECT} ORDER BY name`);
  const remove = database.prepare("DELETE FROM breakers WHERE name = ?");
  const forget = database.prepare("DELETE FROM breakers WHERE failed_at <= ?");
  const save = database.prepare(
    "INSERT OR REPLACE INTO breakers (name, failures, open_until, failed_at) VALUES (?, ?, ?, ?)",
  );
  const setProbe = database.prepare("UPDATE breakers SET probe_token = ?, probe_until = ? WHERE name = ?");

  function find(name: string): BreakerRow | undefined {
    const row = select.get(database.now(), name);
    return row ? toBreaker(row) : undefined;
  }

  function takeProbe(name: string, leaseMs: number): BreakerVerdict {
    const row = find(name);
    if (!row || !mayProbe(row)) return stateOf(row);
    const token = randomUUID();
    setProbe.run(token, database.now() + leaseMs, name);
    return { state: "probe", token };
  }

  function fail(name: string, failures: number): void {
    const now = database.now();
    save.run(name, failures, failures >= BREAKER_FAILURES ? now + BREAKER_COOL_DOWN_MS : null, now);
  }

  function report(name: string, outcome: BreakerOutcome, token: string | undefined): BreakerState {
    forget.run(database.now() - MEMORY_MS);
    const row = find(name);
    const open = row?.coolsIn !== undefined;
    if (open && (token === undefined || token !== row.probeToken)) return stateOf(row);
    if (outcome === "succeeded" && row) remove.run(name);
    else if (outcome === "failed") fail(name, (row?.failures ?? 0) + 1);
    else if (open) setProbe.run(null, null, name);
    return stateOf(find(name));
  }

  return {
    takeBreaker(name: string, leaseMs: number): BreakerVerdict {
      const row = find(name);
      if (!row || !mayProbe(row)) return stateOf(row);
      return database.transaction(() => takeProbe(name, leaseMs), { durable: false });
    },
    reportBreaker(name: string, outcome: BreakerOutcome, token?: string): BreakerState {
      if (outcome !== "failed" && !find(name)) return stateOf(undefined);
      return database.transaction(() => report(name, outcome, token), { durable: false });
    },
    closeBreaker(name: string): void {
      database.transaction(() => remove.run(name), { durable: false });
    },
    listBreakers: (): BreakerRecord[] => all.all(database.now()).map(toBreaker).map(recordOf),
  };
}
