import { setImmediate as nextTurn } from "node:timers/promises";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import { CollectedEvents, unfoldEvents } from "../folding.ts";
import { TRANSCRIPT_COLUMNS, type Transcript, transcriptOf } from "../packing.ts";
import type { Database } from "./database.ts";
import { eventsOfPage } from "./pages.ts";

interface EndedRun extends Transcript {
  id: string;
}

/** Folds the events of runs that have ended, one run at a time, so that others do not wait for long. */
export function foldingOf(database: Database) {
  const ended = database.prepare<EndedRun>(
    `SELECT r.id, ${TRANSCRIPT_COLUMNS} FROM runs AS r LEFT JOIN messages AS m ON m.id = r.message_id
     WHERE r.finished_at IS NOT NULL AND NOT r.folded AND NOT r.events_cleared ORDER BY r.created_at LIMIT 1`,
  );
  const pages = database.prepare<EncodedEvent>(
    "SELECT seq, json FROM run_events WHERE run_id = ? ORDER BY seq",
  );
  const insert = database.prepare("INSERT INTO run_folded (run_id, bytes) VALUES (?, ?)");
  const deletions = ["run_events", "run_steps"].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE run_id = ?`),
  );
  const note = database.prepare("UPDATE runs SET folded = 1 WHERE id = ?");

  /** Returns false if there is none. */
  function foldOne(): boolean {
    const run = ended.get();
    if (!run) return false;
    const events = new CollectedEvents();
    for (const page of pages.all(run.id)) for (const { json } of eventsOfPage(page)) events.add(json);
    insert.run(run.id, events.fold(transcriptOf(run)));
    for (const deletion of deletions) deletion.run(run.id);
    note.run(run.id);
    return true;
  }

  return {
    async foldEvents(limit: number): Promise<number> {
      for (let folded = 0; folded < limit; folded++) {
        if (!database.transaction(foldOne, { durable: false })) return folded;
        await nextTurn();
      }
      return limit;
    },
    async tidyJournals(): Promise<void> {},
  };
}

/** Reads the events of runs that are folded. */
export function foldedEventsOf(database: Database) {
  const folded = database.prepare<Transcript & { bytes: Uint8Array }>(
    `SELECT f.bytes, ${TRANSCRIPT_COLUMNS} FROM run_folded AS f JOIN runs AS r ON r.id = f.run_id
     LEFT JOIN messages AS m ON m.id = r.message_id WHERE f.run_id = ?`,
  );
  return (runId: string): EncodedEvent[] => {
    const row = folded.get(runId);
    return row ? unfoldEvents(row.bytes, transcriptOf(row)) : [];
  };
}
