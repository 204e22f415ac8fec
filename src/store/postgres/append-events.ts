import type { RunBatch } from "../../protocol/store.ts";
import { integers, jsonLines, splitLines } from "./lists.ts";
import { ACTIVE } from "./runs.ts";

/** As many runs as are remembered; who is forgotten is looked up again. */
const MOST = 10_000;

/**
 * Appends events alone, to the runs that their epoch still owns, where it is known that they fit: half the work of
 * `APPEND`, for what most commits are. `owned` is null where all of them were.
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

/** The parameters of `APPEND_EVENTS`. */
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
 * Where the runs end that this process writes. While their epoch owns them nobody else appends, so what follows its own
 * last commit fits without a look.
 */
export class WrittenRuns {
  readonly #ends = new Map<string, { epoch: number; lastSeq: number }>();

  /** True where these are nothing but events, of different runs, that come right behind what was written here. */
  fits(batches: readonly RunBatch[]): boolean {
    const runIds = new Set<string>();
    for (const { runId, epoch, firstSeq, events, steps, status } of batches) {
      if (status || steps.length > 0 || events.length === 0) return false;
      const end = this.#ends.get(runId);
      if (end?.epoch !== epoch || end.lastSeq !== firstSeq - 1) return false;
      runIds.add(runId);
    }
    return runIds.size === batches.length;
  }

  /** These were written. */
  note(batches: readonly RunBatch[]): void {
    if (this.#ends.size > MOST) this.#ends.clear();
    for (const { runId, epoch, firstSeq, events } of batches)
      if (events.length > 0) this.#ends.set(runId, { epoch, lastSeq: firstSeq + events.length - 1 });
  }

  /** What became of these is not known, or they are no longer ours. */
  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#ends.delete(runId);
  }
}
