import type { CollectedEvents } from "../folding.ts";
import { TRANSCRIPT_COLUMNS, type Transcript, transcriptOf } from "../packing.ts";
import { type Database, statement } from "./database.ts";
import { FOLD } from "./tidying.ts";

// The lock keeps the run from being deleted meanwhile, so that nothing of a deleted run comes back.
const ENDED = statement(
  `SELECT ${TRANSCRIPT_COLUMNS} FROM runs AS r LEFT JOIN messages AS m ON m.id = r.message_id
   WHERE r.id = $1 AND r.finished_at IS NOT NULL AND NOT r.folded FOR UPDATE OF r`,
);

/** Folds all events of a run that has ended, some of which an event journal held. Does nothing for an active run. */
export function keepEventsOn(database: Database, runId: string, events: CollectedEvents): Promise<void> {
  return database.transaction(async (query) => {
    const [run] = await query<Transcript>(ENDED, [runId]);
    if (run) await query(FOLD, [runId, events.fold(transcriptOf(run))]);
  });
}
