import {
  type EncodedEvent,
  Fenced,
  type FinishRun,
  type RunBatch,
  type StepRecord,
} from "../../protocol/store.ts";
import type { Database } from "./database.ts";
import type { Transcript } from "./transcript.ts";

interface StepRow {
  key: string;
  idempotency_key: string;
  state: StepRecord["state"];
  started_seq: number;
  result: string | null;
}

interface OwnedRun {
  id: string;
  epoch: number;
  session_id: string;
  user_id: string;
}

/** Rows after which they are filed, and how many of each run those are at least: a run's page is written once for them. */
const MOST_UNFILED = 1_000;
const UNFILED_A_RUN = 10;

/**
 * The journals of runs: their events and steps, and the end of both. Events of all runs are first written one behind the
 * other, a few pages a commit, and filed under their runs later, many at a time: that is fifteen times cheaper.
 */
export function eventsOf(database: Database, transcript: Transcript) {
  const owned = database.prepare<OwnedRun>(
    `SELECT id, epoch, session_id, user_id FROM runs
     WHERE id IN (SELECT value FROM json_each(?)) AND status IN ('running', 'waiting')`,
  );
  const lastSeq = database.prepare<{ seq: number }>(
    `SELECT max(coalesce((SELECT max(seq) FROM run_events WHERE run_id = ?1), 0),
       coalesce((SELECT max(seq) FROM unfiled_events WHERE run_id = ?1), 0)) AS seq`,
  );
  const insertUnfiled = database.prepare("INSERT INTO unfiled_events (run_id, seq, json) VALUES (?, ?, ?)");
  const insertFiled = database.prepare("INSERT INTO run_events (run_id, seq, json) VALUES (?, ?, ?)");
  const countUnfiled = database.prepare<{ count: number }>("SELECT count(*) AS count FROM unfiled_events");
  // Of a run that was deleted meanwhile there is nothing to keep.
  const fileAll = database.prepare(
    `INSERT OR IGNORE INTO run_events (run_id, seq, json)
     SELECT run_id, seq, json FROM unfiled_events WHERE run_id IN (SELECT id FROM runs) ORDER BY run_id, seq`,
  );
  const removeAll = database.prepare("DELETE FROM unfiled_events");
  const fileRun = database.prepare(
    `INSERT OR IGNORE INTO run_events (run_id, seq, json)
     SELECT run_id, seq, json FROM unfiled_events WHERE run_id = ? ORDER BY seq`,
  );
  const removeRun = database.prepare("DELETE FROM unfiled_events WHERE run_id = ?");
  // A step that starts again after a crash is the same step: it began where it began.
  const startStep = database.prepare(
    `INSERT INTO run_steps (run_id, key, idempotency_key, state, started_seq) VALUES (?, ?, ?, 'started', ?)
     ON CONFLICT (run_id, key) DO UPDATE
     SET state = 'started', idempotency_key = excluded.idempotency_key, result = NULL`,
  );
  const finishStep = database.prepare(
    "UPDATE run_steps SET state = 'finished', result = ? WHERE run_id = ? AND key = ?",
  );
  const setStatus = database.prepare("UPDATE runs SET status = ? WHERE id = ? AND status <> ?");
  const endRun = database.prepare("UPDATE runs SET status = ?, finished_at = ? WHERE id = ?");
  const read = database.prepare<EncodedEvent>(
    `SELECT seq, json FROM run_events WHERE run_id = ?1 AND seq > ?2
     UNION ALL SELECT seq, json FROM unfiled_events WHERE run_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3`,
  );
  const steps = database.prepare<StepRow>(
    "SELECT key, idempotency_key, state, started_seq, result FROM run_steps WHERE run_id = ? ORDER BY rowid",
  );

  /** Where the journals of runs end that were written here; nobody else appends within an epoch. */
  const ends = new Map<string, { epoch: number; seq: number }>();
  let unfiled = countUnfiled.get()?.count ?? 0;
  if (unfiled > 0) file();

  /** Files everything that was only written down. */
  function file(): void {
    database.transaction(
      () => {
        fileAll.run();
        removeAll.run();
      },
      { durable: false },
    );
    unfiled = 0;
  }

  /** Runs `work` in a transaction; where that comes to nothing, so does what we know of the journals' ends. */
  function appending<Result>(work: () => Result, options: { durable: boolean }): Result {
    try {
      return database.transaction(work, options);
    } catch (error) {
      ends.clear();
      throw error;
    }
  }

  function endOf(runId: string, epoch: number): number {
    const known = ends.get(runId);
    return known?.epoch === epoch ? known.seq : (lastSeq.get(runId)?.seq ?? 0);
  }

  function append(batch: Omit<RunBatch, "status">, insert: typeof insertFiled): void {
    const { runId, epoch, firstSeq, events, steps } = batch;
    const last = endOf(runId, epoch);
    if (events.length > 0 && firstSeq !== last + 1) {
      throw new Error(`run ${runId} has ${last} events, the next cannot be number ${firstSeq}`);
    }
    let seq = last;
    for (const json of events) insert.run(runId, ++seq, json);
    ends.set(runId, { epoch, seq });
    for (const step of steps) {
      if (step.state === "started") {
        startStep.run(runId, step.key, step.idempotencyKey, seq);
      } else if (finishStep.run(JSON.stringify(step.result), runId, step.key) === 0) {
        throw new Error(`step ${step.key} of run ${runId} cannot finish: it never started`);
      }
    }
  }

  return {
    commit(batches: RunBatch[], options: { durable: boolean }): { fenced: string[] } {
      const fenced = new Set<string>();
      appending(() => {
        const ids = JSON.stringify(batches.map(({ runId }) => runId));
        const epochs = new Map(owned.all(ids).map(({ id, epoch }) => [id, epoch]));
        for (const batch of batches) {
          if (epochs.get(batch.runId) !== batch.epoch) {
            fenced.add(batch.runId);
            continue;
          }
          append(batch, insertUnfiled);
          unfiled += batch.events.length;
          if (batch.status) setStatus.run(batch.status, batch.runId, batch.status);
        }
      }, options);
      for (const runId of fenced) ends.delete(runId);
      if (unfiled >= Math.max(MOST_UNFILED, ends.size * UNFILED_A_RUN)) file();
      return { fenced: [...fenced] };
    },
    finish(finish: FinishRun): void {
      const { runId, epoch } = finish;
      appending(
        () => {
          const [run] = owned.all(JSON.stringify([runId]));
          if (run?.epoch !== epoch) throw new Fenced(runId);
          fileRun.run(runId);
          removeRun.run(runId);
          append(finish, insertFiled);
          transcript.write(finish, { sessionId: run.session_id, userId: run.user_id });
          endRun.run(finish.status, database.now(), runId);
        },
        { durable: true },
      );
      ends.delete(runId);
    },
    file,
    read: (runId: string, after: number, limit: number): EncodedEvent[] => read.all(runId, after, limit),
    steps: (runId: string): StepRecord[] => steps.all(runId).map(toStep),
  };
}

function toStep(row: StepRow): StepRecord {
  return {
    key: row.key,
    idempotencyKey: row.idempotency_key,
    state: row.state,
    startedSeq: row.started_seq,
    ...(row.result === null ? {} : { result: JSON.parse(row.result) }),
  };
}
