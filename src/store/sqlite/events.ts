import type { EncodedEvent, FinishRun, Run, RunBatch, StepRecord } from "../../protocol/run-records.ts";
import { Fenced } from "../../protocol/store.ts";
import { toStep } from "../rows.ts";
import type { Database } from "./database.ts";
import { foldedEventsOf } from "./folding.ts";
import type { Transcript } from "./messages.ts";
import { eventsOfPage } from "./pages.ts";
import { type PendingJournal, pendingEventsOf } from "./pending-events.ts";

type Appended = Omit<RunBatch, "status">;

/** A run that may be ended, and what its answer comes after: a message, or the end of the shown branch. */
interface ActiveRun {
  epoch: number;
  session_id: string;
  user_id: string;
  parent_id: string | null;
}

/** A journal that this process writes. No other process appends to it within the epoch. */
interface OwnJournal extends PendingJournal {
  epoch: number;
  /** The number of its last event. */
  seq: number;
  /** The version of the runs' control in which the run was last found to be ours. */
  checked?: number;
}

/** Pages that are read at a time. */
const READ_PAGES = 32;

/** The journals of runs: events, steps and how runs end. */
export function eventsOf(database: Database, transcript: Transcript) {
  const pending = pendingEventsOf(database);
  const folded = foldedEventsOf(database);
  const owned = database.prepare<{ id: string; epoch: number }>(
    `SELECT id, epoch FROM runs
     WHERE id IN (SELECT value FROM json_each(?)) AND status IN ('running', 'waiting')`,
  );
  const activeRun = database.prepare<ActiveRun>(
    `SELECT epoch, session_id, user_id,
       coalesce(parent_id, (SELECT head_id FROM sessions WHERE sessions.id = session_id)) AS parent_id
     FROM runs WHERE id = ? AND status IN ('running', 'waiting')`,
  );
  // A step that starts again after a crash keeps its first `started_seq`.
  const startStep = database.prepare(
    `INSERT INTO run_steps (run_id, key, idempotency_key, state, started_seq) VALUES (?, ?, ?, 'started', ?)
     ON CONFLICT (run_id, key) DO UPDATE
     SET state = 'started', idempotency_key = excluded.idempotency_key, result = NULL`,
  );
  const finishStep = database.prepare(
    "UPDATE run_steps SET state = 'finished', result = ? WHERE run_id = ? AND key = ?",
  );
  const takeInput = database.prepare("UPDATE run_inputs SET state = 'taken' WHERE message_id = ?");
  const unusedInput = database.prepare(
    "SELECT 1 FROM run_inputs WHERE run_id = ? AND state IN ('waiting', 'claimed') LIMIT 1",
  );
  const setStatus = database.prepare("UPDATE runs SET status = ? WHERE id = ? AND status <> ?");
  const endRun = database.prepare("UPDATE runs SET status = ?, finished_at = ? WHERE id = ?");
  // The page with the next event starts at it or before it.
  const pages = database.prepare<EncodedEvent>(
    `SELECT seq, json FROM run_events WHERE run_id = ?1
       AND seq >= coalesce((SELECT max(seq) FROM run_events WHERE run_id = ?1 AND seq <= ?2), 0)
     ORDER BY seq LIMIT ?3`,
  );
  const steps = database.prepare<unknown>(
    "SELECT key, idempotency_key, state, started_seq, result, format FROM run_steps WHERE run_id = ? ORDER BY rowid",
  );

  const control = database.prepare<{ version: number }>("SELECT version FROM control_version");

  const putSetting = database.prepare(
    `INSERT INTO user_settings (user_id, name, value) VALUES ('', ?, ?)
     ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value`,
  );

  const journals = new Map<string, OwnJournal>();
  database.onRollback(() => {
    journals.clear();
    pending.forget();
  });
  database.transaction(pending.recover, { durable: false });

  /** Returns the journals of these batches, in order; undefined for runs that the writer no longer owns. */
  function journalsOf(batches: readonly RunBatch[]): (OwnJournal | undefined)[] {
    // Almost always the same, so that a commit does not read the rows of its runs, however often other processes write.
    const now = control.get()?.version ?? 0;
    const found = batches.map(({ runId }) => journals.get(runId));
    const unknown = batches.filter((_, at) => found[at]?.checked !== now).map(({ runId }) => runId);
    const epochs = new Map<string, number>();
    if (unknown.length > 0)
      for (const { id, epoch } of owned.all(JSON.stringify(unknown))) epochs.set(id, epoch);
    return batches.map(({ runId, epoch }, at) => {
      const known = found[at];
      if (known?.checked === now) return known.epoch === epoch ? known : undefined;
      return epochs.get(runId) === epoch ? journalOf(runId, epoch, now) : undefined;
    });
  }

  /** Returns the journal of a run that was just found to be ours. */
  function journalOf(runId: string, epoch: number, checked?: number): OwnJournal {
    let journal = journals.get(runId);
    if (journal?.epoch !== epoch) {
      journal = { runId, epoch, seq: pending.adopt(runId) };
      journals.set(runId, journal);
    }
    if (checked !== undefined) journal.checked = checked;
    return journal;
  }

  /** Throws if the batch does not continue the journal. */
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
    takeInputs(steps);
  }

  function takeInputs(steps: Appended["steps"]): void {
    for (const step of steps)
      if (step.state === "finished") for (const messageId of step.takes ?? []) takeInput.run(messageId);
  }

  function putSettings({ settings = [] }: Pick<RunBatch, "settings">): void {
    for (const { name, value } of settings) putSetting.run(name, JSON.stringify(value));
  }

  function append(journal: OwnJournal, batch: Appended): void {
    checkEnd(journal, batch);
    for (const json of batch.events) pending.add(journal, ++journal.seq, json);
    if (batch.steps.length > 0) changeSteps(batch, journal.seq);
  }

  /** Returns the runs that the writer no longer owns. */
  function appendAll(batches: readonly RunBatch[]): string[] {
    pending.recover();
    const fenced = new Set<string>();
    const found = journalsOf(batches);
    for (const [at, batch] of batches.entries()) {
      const journal = found[at];
      if (!journal) {
        fenced.add(batch.runId);
        pending.flushRun(batch.runId);
        continue;
      }
      append(journal, batch);
      putSettings(batch);
      if (batch.status) setStatus.run(batch.status, batch.runId, batch.status);
    }
    pending.write();
    return [...fenced];
  }

  /** Returns true if something was sent into the run that it has not used. */
  function finishInTransaction(finish: FinishRun): boolean {
    const { runId, epoch, firstSeq, events } = finish;
    pending.recover();
    const run = activeRun.get(runId);
    if (run?.epoch !== epoch) throw new Fenced(runId);
    const journal = journalOf(runId, epoch);
    checkEnd(journal, finish);
    pending.finishRun(
      runId,
      events.map((json, index) => ({ seq: firstSeq + index, json })),
    );
    // The steps themselves are not needed any more, and folding removes them.
    takeInputs(finish.steps);
    putSettings(finish);
    const { session_id: sessionId, user_id: userId, parent_id } = run;
    transcript.write(finish, { sessionId, userId, parentId: parent_id ?? undefined });
    endRun.run(finish.status, database.now(), runId);
    return unusedInput.get(runId) !== undefined;
  }

  function read(runId: string, after: number, limit: number): EncodedEvent[] {
    const events: EncodedEvent[] = [];
    let last = after;
    for (;;) {
      const found = pages.all(runId, last + 1, READ_PAGES);
      for (const page of found) for (const event of eventsOfPage(page, last)) events.push(event);
      last = events.at(-1)?.seq ?? last;
      if (events.length >= limit) return events.slice(0, limit);
      if (found.length < READ_PAGES) break;
    }
    for (const event of pending.read(runId, last, journals.has(runId))) events.push(event);
    if (events.length === 0 && !journals.has(runId)) return folded(runId).slice(after, after + limit);
    return events.slice(0, limit);
  }

  return {
    /** Call this after a run was opened, which writes its first event. */
    opened({ id, epoch }: Pick<Run, "id" | "epoch">): void {
      journals.set(id, { runId: id, epoch, seq: 1 });
    },
    /** At once, with what else waits. */
    async commit(batches: RunBatch[], { durable }: { durable: boolean }): Promise<{ fenced: string[] }> {
      const checkpoint = durable ? undefined : database.checkpoint();
      if (checkpoint) await checkpoint;
      const fenced = await database.together(() => appendAll(batches), { durable, when: "now" });
      for (const runId of fenced) journals.delete(runId);
      if (durable) await database.synced();
      return { fenced };
    },
    /** Resolves with true if something was sent into the run that it has not used. */
    async finishRun(finish: FinishRun): Promise<boolean> {
      const hasInputs = await database.together(() => finishInTransaction(finish), {
        durable: true,
        when: "this turn",
      });
      journals.delete(finish.runId);
      await database.synced();
      return hasInputs;
    },
    /** Moves all pending events to the pages of their runs, so that they are deleted with them. */
    flushPages(): void {
      database.transaction(
        () => {
          pending.recover();
          pending.flushAll();
        },
        { durable: false },
      );
    },
    readEvents: read,
    readSteps: (runId: string): StepRecord[] => steps.all(runId).map(toStep),
  };
}
