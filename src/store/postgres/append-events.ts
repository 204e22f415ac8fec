import type { RunBatch } from "../../protocol/run-records.ts";
import { integers, jsonLines, splitLines } from "./lists.ts";
import { ACTIVE } from "./runs.ts";

/** How many runs are remembered. A run that is forgotten is checked again. */
const MAX_RUNS = 10_000;

/**
 * Appends events to the runs that their epoch still owns. It is for the usual commit: events only, known to fit, and half
 * the work of `APPEND`. `owned` is null if all runs were owned.
 */
export const APPEND_EVENTS = `
  WITH owned AS MATERIALIZED (
    SELECT id, number FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS b (run_id, epoch, number)
    JOIN runs ON id = run_id AND runs.epoch = b.epoch
    WHERE ${ACTIVE} ORDER BY id FOR NO KEY UPDATE OF runs
  ), new_events AS (
    INSERT INTO run_events (run_id, seq, json)
    SELECT id, seq, json FROM unnest($3::int[], $4::int[], ${splitLines("$5")}) AS e (number, seq, json)
    JOIN owned USING (number)
  )
  SELECT CASE WHEN count(*) < cardinality($1) THEN coalesce(array_agg(id), '{}') END AS owned, NULL AS misfit FROM owned`;

/** Returns the parameters of `APPEND_EVENTS`. */
export function appendEventsValues(batches: readonly RunBatch[]): unknown[] {
  const numbers: number[] = [];
  const seqs: number[] = [];
  const texts: string[] = [];
  for (const [index, { firstSeq, events }] of batches.entries()) {
    for (const [place, json] of events.entries()) {
      numbers.push(index + 1);
      seqs.push(firstSeq + place);
      texts.push(json);
    }
  }
  return [
    batches.map(({ runId }) => runId),
    integers(batches.map(({ epoch }) => epoch)),
    integers(numbers),
    integers(seqs),
    jsonLines(texts),
  ];
}

/**
 * The last event of each run that this process writes. While its epoch owns a run nobody else appends, so a batch that
 * follows its own last commit fits without a check.
 */
export class WrittenRuns {
  readonly #ends = new Map<string, { epoch: number; lastSeq: number }>();

  /** Returns true if these are only events, of different runs, that directly follow what was written here. */
  fits(batches: readonly RunBatch[]): boolean {
    const runIds = new Set<string>();
    for (const { runId, epoch, firstSeq, events, steps, ...rest } of batches) {
      if (rest.status || rest.settings || rest.journaled !== undefined) return false;
      if (steps.length > 0 || events.length === 0) return false;
      const end = this.#ends.get(runId);
      if (end?.epoch !== epoch || end.lastSeq !== firstSeq - 1) return false;
      runIds.add(runId);
    }
    return runIds.size === batches.length;
  }

  /** Call this after these batches were written. */
  note(batches: readonly RunBatch[]): void {
    if (this.#ends.size > MAX_RUNS) this.#ends.clear();
    for (const { runId, epoch, firstSeq, events } of batches)
      if (events.length > 0) this.#ends.set(runId, { epoch, lastSeq: firstSeq + events.length - 1 });
  }

  /** Call this if the outcome is not known, or the runs are no longer ours. */
  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#ends.delete(runId);
  }
}
