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
  epoch: number;
  session_id: string;
  user_id: string;
}

/** The journals of runs: their events and steps, and the end of both. */
export function eventsOf(database: Database, transcript: Transcript) {
  const owned = database.prepare<OwnedRun>(
    "SELECT epoch, session_id, user_id FROM runs WHERE id = ? AND status IN ('running', 'waiting')",
  );
  const lastSeq = database.prepare<{ seq: number }>(
    "SELECT coalesce(max(seq), 0) AS seq FROM run_events WHERE run_id = ?",
  );
  const insertEvent = database.prepare("INSERT INTO run_events (run_id, seq, json) VALUES (?, ?, ?)");
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
    "SELECT seq, json FROM run_events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?",
  );
  const steps = database.prepare<StepRow>(
    "SELECT key, idempotency_key, state, started_seq, result FROM run_steps WHERE run_id = ? ORDER BY rowid",
  );

  /** The run, if this epoch still owns it and it is not final. */
  function ownedBy(batch: { runId: string; epoch: number }): OwnedRun | undefined {
    const run = owned.get(batch.runId);
    return run?.epoch === batch.epoch ? run : undefined;
  }

  function append({ runId, firstSeq, events, steps }: Omit<RunBatch, "epoch" | "status">): void {
    const last = lastSeq.get(runId)?.seq ?? 0;
    if (events.length > 0 && firstSeq !== last + 1) {
      throw new Error(`run ${runId} has ${last} events, the next cannot be number ${firstSeq}`);
    }
    for (const [index, json] of events.entries()) insertEvent.run(runId, firstSeq + index, json);
    for (const step of steps) {
      if (step.state === "started") {
        startStep.run(runId, step.key, step.idempotencyKey, last + events.length);
      } else if (finishStep.run(JSON.stringify(step.result), runId, step.key) === 0) {
        throw new Error(`step ${step.key} of run ${runId} cannot finish: it never started`);
      }
    }
  }

  return {
    commit(batches: RunBatch[], options: { durable: boolean }): { fenced: string[] } {
      return database.transaction(() => {
        const fenced = new Set<string>();
        for (const batch of batches) {
          if (!ownedBy(batch)) {
            fenced.add(batch.runId);
            continue;
          }
          append(batch);
          if (batch.status) setStatus.run(batch.status, batch.runId, batch.status);
        }
        return { fenced: [...fenced] };
      }, options);
    },
    finish(finish: FinishRun): void {
      database.transaction(() => {
        const run = ownedBy(finish);
        if (!run) throw new Fenced(finish.runId);
        append(finish);
        transcript.write(finish, { sessionId: run.session_id, userId: run.user_id });
        endRun.run(finish.status, database.now(), finish.runId);
      });
    },
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
