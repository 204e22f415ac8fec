import type { EncodedEvent, FinishRun, Run, RunBatch } from "../../protocol/run-records.ts";
import { CollectedEvents } from "../folding.ts";
import { dayOf } from "./journal-tables.ts";
import { integers, jsonLines, listed, oneLine, splitList } from "./lists.ts";
import { ACTIVE } from "./runs.ts";

/** How many runs are remembered. A run that is forgotten is checked again. */
const MAX_RUNS = 10_000;

/**
 * Appends events to the runs that their epoch still owns. It is for the usual commit: events only, known to fit, and half
 * the work of `APPEND`. `owned` is null if all runs were owned. The rest is what `APPEND_HELD` needs: it is null if the runs
 * have several owners or days. The owner is locked last, as whoever takes runs does, so that the two cannot deadlock.
 */
export const APPEND_EVENTS = `
  WITH owned AS MATERIALIZED (
    SELECT id, owner, ${dayOf("created_at")} AS day, seq, json
    FROM unnest(${splitList("$1")}, $2::int[], $3::int[], ${splitList("$4")}) AS b (run_id, epoch, seq, json)
    JOIN runs ON id = run_id AND runs.epoch = b.epoch
    WHERE ${ACTIVE} ORDER BY id FOR NO KEY UPDATE OF runs
  ), holder AS MATERIALIZED (
    SELECT id, fence FROM owners
    WHERE id = (SELECT min(owner) FROM owned HAVING min(owner) = max(owner) AND min(day) = max(day)) FOR SHARE
  ), new_pages AS (
    INSERT INTO run_pages (run_id, day, seq, json) SELECT id, day, seq, json FROM owned
  )
  SELECT CASE WHEN count(*) < cardinality($2::int[]) THEN coalesce(array_agg(id), '{}') END AS owned, NULL AS misfit,
    (SELECT id FROM holder) AS owner, (SELECT fence FROM holder)::text AS fence, min(day)::text AS day
  FROM owned`;

/**
 * The same for runs that were all owned at this fence of their owner: it changes before any of them is taken or deleted, so
 * one lock does instead of one for each run. Returns no row, and writes nothing, if the fence has changed.
 */
export const APPEND_HELD = `
  WITH holder AS MATERIALIZED (
    SELECT id FROM owners WHERE id = $1 AND fence = $2::bigint FOR SHARE
  ), new_pages AS (
    INSERT INTO run_pages (run_id, day, seq, json)
    SELECT run_id, $3::date, seq, json FROM unnest(${splitList("$4")}, $5::int[], ${splitList("$6")}) AS b (run_id, seq, json)
    WHERE EXISTS (SELECT FROM holder)
  )
  SELECT NULL AS owned, NULL AS misfit FROM holder`;

/** What runs have in common that can be appended to without looking at each. */
export interface Held {
  owner: string;
  /** The fence of the owner at which it owned these runs. */
  fence: string;
  /** The day on which these runs began. */
  day: string;
}

/** Returns the parameters of `APPEND_EVENTS`. */
export function appendEventsValues(batches: readonly RunBatch[]): unknown[] {
  const [runIds, seqs, pages] = pagesOf(batches);
  return [runIds, integers(batches.map(({ epoch }) => epoch)), seqs, pages];
}

/** Returns the parameters of `APPEND_HELD`. */
export function appendHeldValues({ owner, fence, day }: Held, batches: readonly RunBatch[]): unknown[] {
  return [owner, fence, day, ...pagesOf(batches)];
}

function pagesOf(batches: readonly RunBatch[]): [runIds: string, seqs: string, pages: string] {
  return [
    listed(batches.map(({ runId }) => runId)),
    integers(batches.map(({ firstSeq, events }) => firstSeq + events.length - 1)),
    listed(batches.map(({ events }) => jsonLines(events))),
  ];
}

/** Returns the events of a page, which has the number of its last one. */
export function eventsOfPage({ seq, json }: EncodedEvent, after = 0): EncodedEvent[] {
  if (!json.includes("\n")) return seq > after ? [{ seq, json }] : [];
  const lines = json.split("\n");
  const first = seq - lines.length + 1;
  return lines
    .map((line, index) => ({ seq: first + index, json: line }))
    .slice(Math.max(0, after + 1 - first));
}

interface WrittenRun {
  epoch: number;
  lastSeq: number;
  /** All of its events. Missing if some were written before this process owned the run. */
  events?: CollectedEvents;
  /** When it was last known to be owned. */
  held?: Held | undefined;
}

/**
 * The last event of each run that this process writes. While its epoch owns a run, no other process appends, so a batch that
 * follows its own last commit fits without a check.
 */
export class WrittenRuns {
  readonly #runs = new Map<string, WrittenRun>();
  /** What was last found out. */
  #held: Held | undefined;

  /** What holds runs that are opened after this: the fence changes before one of them is taken. */
  get held(): Held | undefined {
    return this.#held;
  }

  /** Call this after a run was opened with its first event, with what `held` was before. */
  begin({ id, epoch, owner, createdAt }: Run, json: string, held: Held | undefined): void {
    if (this.#runs.size > MAX_RUNS) this.#runs.clear();
    const events = new CollectedEvents();
    events.add(json);
    const isHeld = held?.owner === owner && createdAt.startsWith(held.day);
    this.#runs.set(id, { epoch, lastSeq: 1, events, held: isHeld ? held : undefined });
  }

  /** Returns what these runs were last known to be held by, if it is the same for all. */
  heldBy(batches: readonly RunBatch[]): Held | undefined {
    const held = this.#held;
    return batches.every(({ runId }) => this.#runs.get(runId)?.held === held) ? held : undefined;
  }

  /** Call this after `APPEND_EVENTS` found these runs to be owned. */
  hold(batches: readonly RunBatch[], found: Held): void {
    const { owner, fence, day } = this.#held ?? {};
    if (owner !== found.owner || fence !== found.fence || day !== found.day) this.#held = found;
    for (const { runId } of batches) {
      const run = this.#runs.get(runId);
      if (run) run.held = this.#held;
    }
  }

  /** Returns true if these are only events, of different runs, that directly follow what was written here. */
  fits(batches: readonly RunBatch[]): boolean {
    const runIds = new Set<string>();
    for (const { runId, epoch, firstSeq, events, steps, ...rest } of batches) {
      if (rest.status || rest.settings || rest.journaled !== undefined) return false;
      if (steps.length > 0 || events.length === 0) return false;
      const run = this.#runs.get(runId);
      if (run?.epoch !== epoch || run.lastSeq !== firstSeq - 1) return false;
      runIds.add(runId);
    }
    return runIds.size === batches.length;
  }

  /** Call this after these batches were written. */
  note(batches: readonly RunBatch[]): void {
    if (this.#runs.size > MAX_RUNS) this.#runs.clear();
    for (const { runId, epoch, firstSeq, events } of batches) {
      if (events.length === 0) continue;
      const known = this.#runs.get(runId);
      const run: WrittenRun =
        known?.epoch === epoch && known.lastSeq === firstSeq - 1 ? known : { epoch, lastSeq: 0 };
      if (run !== known) this.#runs.set(runId, run);
      run.lastSeq = firstSeq + events.length - 1;
      for (const json of events) run.events?.add(oneLine(json));
    }
  }

  /** Forgets a run that ends with these events. Returns all of its events, if they were written here. */
  end({ runId, epoch, firstSeq, events }: FinishRun): CollectedEvents | undefined {
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    if (run?.epoch !== epoch || run.lastSeq !== firstSeq - 1) return undefined;
    for (const json of events) run.events?.add(oneLine(json));
    return run.events;
  }

  /** Call this if the outcome is not known, or the runs are no longer ours. */
  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#runs.delete(runId);
  }
}
