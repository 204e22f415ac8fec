import { randomUUID } from "node:crypto";
import {
  BREAKER_COOL_DOWN_MS,
  BREAKER_FAILURES,
  type BreakerOutcome,
  type BreakerRecord,
  type BreakerState,
  type BreakerVerdict,
} from "../../protocol/store.ts";
import type { Database } from "./database.ts";

interface Row {
  name: string;
  failures: number;
  /** Null while it is closed. */
  openUntil: number | null;
  probeToken: string | null;
  probeUntil: number | null;
}

/** Failures that were followed by nothing for so long are forgotten. */
const MEMORY_MS = 24 * 60 * 60_000;
/** A probe may be over at any moment: whoever comes meanwhile need not wait for its whole lease. */
const PROBE_WAIT_MS = 5_000;
const CLOSED: BreakerState = { state: "closed", failures: 0 };

const COLUMNS =
  "name, failures, open_until AS openUntil, probe_token AS probeToken, probe_until AS probeUntil";

/** Circuit breakers that all instances share. */
export function breakersOf(database: Database) {
  const find = database.prepare<Row>(`SELECT ${COLUMNS} FROM breakers WHERE name = ?`);
  const all = database.prepare<Row>(`SELECT ${COLUMNS} FROM breakers ORDER BY name`);
  const remove = database.prepare("DELETE FROM breakers WHERE name = ?");
  const forget = database.prepare("DELETE FROM breakers WHERE failed_at <= ?");
  const save = database.prepare(
    "INSERT OR REPLACE INTO breakers (name, failures, open_until, failed_at) VALUES (?, ?, ?, ?)",
  );
  const setProbe = database.prepare("UPDATE breakers SET probe_token = ?, probe_until = ? WHERE name = ?");

  function stateOf(row: Row | undefined): BreakerState {
    if (!row) return CLOSED;
    if (row.openUntil === null) return { state: "closed", failures: row.failures };
    const now = database.now();
    const opensIn = row.openUntil - now;
    const probeEndsIn = Math.min((row.probeUntil ?? 0) - now, PROBE_WAIT_MS);
    return {
      state: "open",
      retryAfter: Math.max(1, Math.ceil((opensIn > 0 ? opensIn : probeEndsIn) / 1000)),
    };
  }

  function mayProbe({ openUntil, probeUntil }: Row): boolean {
    const now = database.now();
    return openUntil !== null && openUntil <= now && (probeUntil === null || probeUntil <= now);
  }

  function takeProbe(name: string, leaseMs: number): BreakerVerdict {
    const row = find.get(name);
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
    const row = find.get(name);
    const open = row !== undefined && row.openUntil !== null;
    if (open && (token === undefined || token !== row.probeToken)) return stateOf(row);
    if (outcome === "succeeded" && row) remove.run(name);
    else if (outcome === "failed") fail(name, (row?.failures ?? 0) + 1);
    else if (open) setProbe.run(null, null, name);
    return stateOf(find.get(name));
  }

  return {
    take(name: string, leaseMs: number): BreakerVerdict {
      const row = find.get(name);
      if (!row || !mayProbe(row)) return stateOf(row);
      return database.transaction(() => takeProbe(name, leaseMs), { durable: false });
    },
    report(name: string, outcome: BreakerOutcome, token?: string): BreakerState {
      if (outcome !== "failed" && find.get(name) === undefined) return CLOSED;
      return database.transaction(() => report(name, outcome, token), { durable: false });
    },
    close(name: string): void {
      database.transaction(() => remove.run(name), { durable: false });
    },
    list: (): BreakerRecord[] =>
      all.all().map(({ name, failures, openUntil }) => ({
        name,
        state: openUntil === null ? "closed" : openUntil > database.now() ? "open" : "probing",
        failures,
      })),
  };
}
