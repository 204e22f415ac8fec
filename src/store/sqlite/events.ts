import {
  type EncodedEvent,
  Fenced,
  type FinishRun,
  type Run,
  type RunBatch,
  type StepRecord,
} from "../../protocol/store.ts";
import { toStep } from "../rows.ts";
import type { Database } from "./database.ts";
import { eventsOfPage } from "./pages.ts";
import { type UnfiledJournal, unfiledOf } from "./pending-events.ts";
import type { Transcript } from "./transcript.ts";

type Appended = Omit<RunBatch, "status">;

interface OwnedRun {
  id: string;
  epoch: number;
  session_id: string;
  user_id: string;
}

/** A journal that was written here; nobody else appends to it within the epoch. */
interface OwnJournal extends UnfiledJournal {
  epoch: number;
  /** The number of its last event. */
  seq: number;
  /** The state of the database in which the run was looked up, and was ours. */
  checked?: number;
}

/** Pages that are read at a time. */
const SOME_PAGES = 32;

/** The journals of runs: their events and steps, and the end of both. */
export function eventsOf(database: Database, transcript: Transcript) {
  const unfiled = unfiledOf(database);
  const owned = database.prepare<OwnedRun>(
    `SELECT id, epoch, session_id, user_id FROM runs
     WHERE id IN (SELECT value FROM json_each(?)) AND status IN ('running', 'waiting')`,
  );
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
  // The page with the next event begins there or before.
  const pages = database.prepare<EncodedEvent>(
    `SELECT seq, json FROM run_events WHERE run_id = ?1
       AND seq >= coalesce((SELECT max(seq) FROM run_events WHERE run_id = ?1 AND seq <= ?2), 0)
     ORDER BY seq LIMIT ?3`,
  );
  const steps = database.prepare<unknown>(
    "SELECT key, idempotency_key, state, started_seq, result, format FROM run_steps WHERE run_id = ? ORDER BY rowid",
  );

  const version = database.prepare<{ version: string }>(
    "SELECT data_version || ' ' || total_changes() AS version FROM pragma_data_version",
  );

  const journals = new Map<string, OwnJournal>();
  /** The database as our last commit left it, and the number of states that it was found in since anything else changed it. */
  let unchanged: string | undefined;
  let state = 0;
  appending(() => unfiled.recover(), { durable: false });

  /** Runs `work` in a transaction; where that comes to nothing, so does what we know of the journals. */
  function appending<Result>(work: () => Result, options: { durable: boolean }): Result {
    try {
      return database.transaction(() => {
        unfiled.recover();
        return work();
      }, options);
    } catch (error) {
      journals.clear();
      unfiled.forget();
      unchanged = undefined;
      throw error;
    }
  }

  /** The journals of these batches, in their order; none where the run is not the writer's any more. */
  function journalsOf(batches: readonly RunBatch[]): (OwnJournal | undefined)[] {
    if (version.get()?.version !== unchanged) state++;
    const found = batches.map(({ runId }) => journals.get(runId));
    const unknown = batches.filter((_, at) => found[at]?.checked !== state).map(({ runId }) => runId);
    const epochs = new Map<string, number>();
    if (unknown.length > 0)
      for (const { id, epoch } of owned.all(JSON.stringify(unknown))) epochs.set(id, epoch);
    return batches.map(({ runId, epoch }, at) => {
      const known = found[at];
      if (known?.checked === state) return known.epoch === epoch ? known : undefined;
      return epochs.get(runId) === epoch ? journalOf(runId, epoch) : undefined;
    });
  }

  /** The journal of a run that was just looked up. */
  function journalOf(runId: string, epoch: number): OwnJournal {
    let journal = journals.get(runId);
    if (journal?.epoch !== epoch) {
      journal = { runId, epoch, seq: unfiled.adopt(runId) };
      journals.set(runId, journal);
    }
    journal.checked = state;
    return journal;
  }

  /** Throws where the batch does not go on from the journal's end. */
  function checkEnd({ runId, seq }: OwnJournal, { firstSeq, events }: Appended): void {
    if (events.length > 0 && firstSeq !== seq + 1) {
      throw new Error(`run ${runId} has ${seq} events, the next cannot be number ${firstSeq}`);
    }
  }

  function changeSteps({ runId, steps }: Appended, seq: number): void {
    for (const step of steps) {
      if (step.state === "started") {
        startStep.run(runId, step.key, step.idempotencyKey, seq);
      } else if (finishStep.run(JSON.stringify(step.result), runId, step.key) === 0) {
        throw new Error(`step ${step.key} of run ${runId} cannot finish: it never started`);
      }
    }
  }

  function append(journal: OwnJournal, batch: Appended): void {
    checkEnd(journal, batch);
    for (const json of batch.events) unfiled.add(journal, ++journal.seq, json);
    if (batch.steps.length > 0) changeSteps(batch, journal.seq);
  }

  function read(runId: string, after: number, limit: number): EncodedEvent[] {
    const events: EncodedEvent[] = [];
    let last = after;
    for (;;) {
      const found = pages.all(runId, last + 1, SOME_PAGES);
      for (const page of found) events.push(...eventsOfPage(page, last));
      last = events.at(-1)?.seq ?? last;
      if (events.length >= limit) return events.slice(0, limit);
      if (found.length < SOME_PAGES) break;
    }
    events.push(...unfiled.read(runId, last, journals.has(runId)));
    return events.slice(0, limit);
  }

  return {
    /** Opening a run has written its first event. */
    opened({ id, epoch }: Pick<Run, "id" | "epoch">): void {
      journals.set(id, { runId: id, epoch, seq: 1 });
    },
    commit(batches: RunBatch[], options: { durable: boolean }): { fenced: string[] } {
      const fenced = new Set<string>();
      appending(() => {
        const found = journalsOf(batches);
        for (const [at, batch] of batches.entries()) {
          const journal = found[at];
          if (!journal) {
            fenced.add(batch.runId);
            unfiled.fileRun(batch.runId);
            continue;
          }
          append(journal, batch);
          if (batch.status) setStatus.run(batch.status, batch.runId, batch.status);
        }
        unfiled.write();
        unchanged = version.get()?.version;
      }, options);
      for (const runId of fenced) journals.delete(runId);
      return { fenced: [...fenced] };
    },
    finish(finish: FinishRun): void {
      const { runId, epoch, firstSeq, events } = finish;
      appending(
        () => {
          const [run] = owned.all(JSON.stringify([runId]));
          if (run?.epoch !== epoch) throw new Fenced(runId);
          const journal = journalOf(runId, epoch);
          checkEnd(journal, finish);
          unfiled.finishRun(
            runId,
            events.map((json, index) => ({ seq: firstSeq + index, json })),
          );
          changeSteps(finish, journal.seq + events.length);
          transcript.write(finish, { sessionId: run.session_id, userId: run.user_id });
          endRun.run(finish.status, database.now(), runId);
        },
        { durable: true },
      );
      journals.delete(runId);
    },
    /** Puts all events where their runs are, so that they go with them. */
    file(): void {
      appending(() => unfiled.fileAll(), { durable: false });
    },
    read,
    steps: (runId: string): StepRecord[] => steps.all(runId).map(toStep),
  };
}
