import { type Database, statement } from "./database.ts";
import { dayOf } from "./journal-tables.ts";

// Only runs whose answer is in the transcript. Instances that do this at the same time take different runs.
const CLEAR = statement(
  `WITH old AS MATERIALIZED (
     SELECT r.id, ${dayOf("r.created_at")} AS day FROM runs AS r JOIN messages AS m ON m.id = r.message_id AND m.state IS NOT NULL
     WHERE r.finished_at <= tackle_now() - $1 * INTERVAL '1 millisecond' AND NOT r.events_cleared
     ORDER BY r.finished_at LIMIT $2 FOR UPDATE OF r SKIP LOCKED
   ), folded AS (
     DELETE FROM run_folded USING old WHERE run_id = old.id
   ), pages AS (
     DELETE FROM run_pages AS p USING old WHERE p.run_id = old.id AND p.day = old.day
   ), former AS (
     DELETE FROM former_events USING old WHERE run_id = old.id
   ), steps AS (
     DELETE FROM run_steps USING old WHERE run_id = old.id
   ), cleared AS (
     UPDATE runs SET events_cleared = true FROM old WHERE runs.id = old.id RETURNING runs.id
   )
   SELECT count(*)::int AS runs FROM cleared`,
);

/** Removes the journals of runs that ended long ago. */
export async function clearEventsOn(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const [answer] = await database.queryAgain<{ runs: number }>(CLEAR, [olderThanMs, limit]);
  return answer?.runs ?? 0;
}
