import { CollectedEvents } from "../folding.ts";
import { continuing } from "../merge-events.ts";
import { TRANSCRIPT_COLUMNS, type Transcript, transcriptOf } from "../packing.ts";
import { type Database, type Query, statement } from "./database.ts";
import { addDays, dropDays } from "./partitions.ts";
import { eventsOfPages, readPages } from "./read-events.ts";

interface EndedRun extends Transcript {
  id: string;
}

const PAGE = 5_000;

// Runs of an owner that died, or of the former version. Instances that do this at the same time take different runs.
const ENDED = statement(
  `SELECT r.id, ${TRANSCRIPT_COLUMNS} FROM runs AS r LEFT JOIN messages AS m ON m.id = r.message_id
   WHERE r.finished_at IS NOT NULL AND NOT r.folded AND NOT r.events_cleared
   ORDER BY r.created_at LIMIT $1 FOR UPDATE OF r SKIP LOCKED`,
);
/** Stores the folded events of a run. */
export const FOLD = statement(
  `WITH folded AS (
     INSERT INTO run_folded (run_id, bytes) VALUES ($1, $2)
   ), former AS (
     DELETE FROM former_events WHERE run_id = $1
   ), steps AS (
     DELETE FROM run_steps WHERE run_id = $1
   )
   UPDATE runs SET folded = true WHERE id = $1`,
);

// An owner that has been silent for a day does not come back.
const FORGET_OWNERS = statement("DELETE FROM owners WHERE lease_until < tackle_now() - INTERVAL '1 day'");

/** Folds the events of ended runs that were not folded at their end, and drops the partitions of days whose runs are all folded. */
export function tidyingOf(database: Database) {
  return {
    foldEvents: (limit: number): Promise<number> =>
      database.transaction(async (query) => {
        const ended = await query<EndedRun>(ENDED, [limit]);
        let folded = 0;
        for (const { id, ...transcript } of ended) {
          const events = await collected(query, id);
          if (!events) continue;
          await query(FOLD, [id, events.fold(transcriptOf(transcript))]);
          folded++;
        }
        return folded;
      }),
    async tidyJournals(): Promise<void> {
      await addDays(database);
      await dropDays(database);
      await database.queryAgain(FORGET_OWNERS);
    },
  };
}

/** Returns all events of a run; undefined while some of them are in a journal beside the database. */
async function collected(query: Query, runId: string): Promise<CollectedEvents | undefined> {
  const events = new CollectedEvents();
  for (;;) {
    const wanted = { runId, after: events.count, limit: PAGE };
    const [pages = []] = await readPages(query, [wanted]);
    const read = eventsOfPages(pages, wanted);
    if (!continuing(read, events.count)) return undefined;
    for (const { json } of read) events.add(json);
    if (read.length < PAGE) return events;
  }
}
