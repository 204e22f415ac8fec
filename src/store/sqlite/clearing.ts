import type { Database } from "./database.ts";

/** Removes the journals of runs that ended long ago. */
export function clearingOf(database: Database) {
  // Only runs whose answer is in the transcript.
  const old = database.prepare<{ id: string }>(
    `SELECT r.id FROM runs AS r JOIN messages AS m ON m.id = r.message_id AND m.state IS NOT NULL
     WHERE r.finished_at <= ? AND NOT r.events_cleared ORDER BY r.finished_at LIMIT ?`,
  );
  const changes = [
    "DELETE FROM run_events WHERE run_id = ?",
    "DELETE FROM run_folded WHERE run_id = ?",
    "DELETE FROM run_steps WHERE run_id = ?",
    "UPDATE runs SET events_cleared = 1 WHERE id = ?",
  ].map((sql) => database.prepare(sql));

  return (olderThanMs: number, limit: number): number =>
    database.transaction(
      () => {
        const runs = old.all(database.now() - olderThanMs, limit);
        for (const { id } of runs) for (const change of changes) change.run(id);
        return runs.length;
      },
      { durable: false },
    );
}
