import type { RunBatch, StepChange } from "../../protocol/run-records.ts";
import { dayOf } from "./journal-tables.ts";
import { integers, jsonLines, listed, splitList } from "./lists.ts";
import { ACTIVE } from "./runs.ts";

type Batch = Omit<RunBatch, "status">;

/** All changes of one step in a commit: a statement can write a row only once. */
interface StepWrite {
  batch: number;
  key: string;
  /** Null if the step was started in an earlier commit. */
  idempotencyKey: string | null;
  state: StepChange["state"];
  /** How many events of this commit come before its start. */
  startOffset: number;
  result: string | null;
}

/** The number of the first parameter after those of `appendValues`. */
export const AFTER_APPEND = 17;

/**
 * Locks the runs that their epoch still owns (`place`), and appends to them. If something does not fit (`misfit`), nothing
 * is written; the caller throws the reason.
 *
 * Whether events fit is checked at the positions before and of their page. Finding the last event of a run would read a
 * whole page of the index. It is done for runs whose other events are in a journal elsewhere: they have few here.
 */
export const APPEND = `
  batch AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::int[], ${splitList("$5")}, $16::int[])
      WITH ORDINALITY AS b (run_id, epoch, first_seq, events, json, journaled, number)
  ), owned AS MATERIALIZED (
    SELECT id, session_id, user_id, ${dayOf("created_at")} AS day, number, first_seq, events, json, journaled
    FROM runs JOIN batch ON id = run_id AND runs.epoch = batch.epoch
    WHERE ${ACTIVE} ORDER BY id FOR NO KEY UPDATE OF runs
  ), place AS MATERIALIZED (
    SELECT *, greatest(journaled, CASE WHEN events = 0 OR journaled IS NOT NULL
        THEN ${lastSeq("owned", "true")} ELSE ${lastSeq("owned", "seq BETWEEN first_seq - 1 AND first_seq + events - 1")}
      END, 0) AS last_seq
    FROM owned
  ), step AS MATERIALIZED (
    SELECT s.*, id AS run_id, last_seq + start_offset AS started_seq
    FROM unnest($6::int[], $7::text[], $8::text[], $9::text[], $10::int[], $11::text[])
      WITH ORDINALITY AS s (number, key, idempotency_key, state, start_offset, result, turn)
    JOIN place USING (number)
  ), misfit AS MATERIALIZED (
    SELECT format('run %s has %s events, the next cannot be number %s', id,
      coalesce(${lastSeq("place", "true")}, 0), first_seq) AS reason
    FROM place WHERE events > 0 AND first_seq <> last_seq + 1
    UNION ALL
    SELECT format('step %s of run %s cannot finish: it never started', key, run_id) FROM step
    WHERE idempotency_key IS NULL
      AND NOT EXISTS (SELECT FROM run_steps AS t WHERE t.run_id = step.run_id AND t.key = step.key)
  ), new_pages AS (
    INSERT INTO run_pages (run_id, day, seq, json)
    SELECT id, day, first_seq + events - 1, json FROM place WHERE events > 0 AND NOT EXISTS (SELECT FROM misfit)
  ), started_steps AS (
    -- A step that starts again after a crash keeps its first started_seq.
    INSERT INTO run_steps (run_id, key, idempotency_key, state, started_seq, result)
    SELECT run_id, key, idempotency_key, state, started_seq, result::json FROM step
    WHERE idempotency_key IS NOT NULL AND NOT EXISTS (SELECT FROM misfit) ORDER BY turn
    ON CONFLICT (run_id, key) DO UPDATE
      SET state = excluded.state, idempotency_key = excluded.idempotency_key, result = excluded.result
  ), finished_steps AS (
    UPDATE run_steps AS t SET state = 'finished', result = step.result::json FROM step
    WHERE step.idempotency_key IS NULL AND t.run_id = step.run_id AND t.key = step.key
      AND NOT EXISTS (SELECT FROM misfit)
  ), taken_inputs AS (
    UPDATE run_inputs SET state = 'taken' WHERE message_id = ANY ($12::text[])
      AND run_id IN (SELECT id FROM place) AND NOT EXISTS (SELECT FROM misfit)
  ), caused_settings AS (
    INSERT INTO user_settings (user_id, name, value)
    SELECT '', name, value::json FROM unnest($13::text[], $14::text[], $15::text[]) AS c (run_id, name, value)
    WHERE run_id IN (SELECT id FROM place) AND NOT EXISTS (SELECT FROM misfit)
    ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value
  )`;

/** Returns SQL for the number of the last event of a run, among those with a condition. */
function lastSeq(runs: string, condition: string): string {
  return `greatest(
    (SELECT max(seq) FROM run_pages AS p WHERE p.run_id = id AND p.day = ${runs}.day AND ${condition}),
    (SELECT max(seq) FROM former_events AS f WHERE f.run_id = id AND ${condition}))`;
}

/**
 * Returns the parameters of `APPEND`. Throws if the batches of one run do not follow each other. The steps of a run that ends
 * with this are not written: its transcript has their results.
 */
export function appendValues(batches: readonly Batch[], { ends = false } = {}): unknown[] {
  const runs = joined(batches);
  const steps = ends ? [] : runs.flatMap((run) => run.steps);
  const settings = batches.flatMap(({ runId, settings = [] }) =>
    settings.map((setting) => ({ runId, ...setting })),
  );
  return [
    runs.map(({ runId }) => runId),
    integers(runs.map(({ epoch }) => epoch)),
    integers(runs.map(({ firstSeq }) => firstSeq)),
    integers(runs.map((run) => run.events.length)),
    listed(runs.map((run) => jsonLines(run.events))),
    steps.map(({ batch }) => batch),
    steps.map(({ key }) => key),
    steps.map(({ idempotencyKey }) => idempotencyKey),
    steps.map(({ state }) => state),
    steps.map(({ startOffset }) => startOffset),
    steps.map(({ result }) => result),
    batches.flatMap((batch) => batch.steps.flatMap((step) => ("takes" in step ? (step.takes ?? []) : []))),
    settings.map(({ runId }) => runId),
    settings.map(({ name }) => name),
    settings.map(({ value }) => JSON.stringify(value)),
    runs.map(({ journaled }) => journaled ?? null),
  ];
}

/** Returns one entry for each run and epoch. */
function joined(batches: readonly Batch[]) {
  const runs = new Map<string, Omit<Batch, "steps"> & { number: number; steps: StepWrite[] }>();
  for (const batch of batches) {
    const id = `${batch.epoch} ${batch.runId}`;
    const run = runs.get(id) ?? { ...batch, number: runs.size + 1, events: [], steps: [] };
    runs.set(id, run);
    if (batch.events.length > 0) {
      if (run.events.length === 0) run.firstSeq = batch.firstSeq;
      const next = run.firstSeq + run.events.length;
      if (batch.firstSeq !== next)
        throw new Error(
          `run ${batch.runId} comes to event ${next}, the next cannot be number ${batch.firstSeq}`,
        );
      // Not a spread: a batch may have more events than a call may have arguments.
      run.events = run.events.concat(batch.events);
    }
    for (const step of batch.steps) note(run.steps, step, run.number, run.events.length);
  }
  return [...runs.values()];
}

function note(steps: StepWrite[], step: StepChange, batch: number, startOffset: number): void {
  const known = steps.find(({ key }) => key === step.key);
  const result = step.state === "finished" ? JSON.stringify(step.result) : null;
  const idempotencyKey = step.state === "started" ? step.idempotencyKey : (known?.idempotencyKey ?? null);
  if (!known) steps.push({ batch, key: step.key, idempotencyKey, state: step.state, startOffset, result });
  else Object.assign(known, { idempotencyKey, state: step.state, result });
}
