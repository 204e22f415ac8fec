import { MAX_SESSION_RESULTS } from "../values.ts";
import type { Database } from "./database.ts";

/** Results of calls that are too long for the model, and where earlier calls were made. */
export function resultsOf(database: Database) {
  const keep = database.prepare(
    `INSERT INTO whole_results (run_id, tool_call_id, output)
     SELECT id, ?2, ?3 FROM runs WHERE id = ?1 AND octet_length(?3) + coalesce((
       SELECT sum(octet_length(output)) FROM whole_results JOIN runs AS r ON r.id = run_id
       WHERE r.session_id = runs.session_id AND NOT (run_id = ?1 AND tool_call_id = ?2)
     ), 0) <= ${MAX_SESSION_RESULTS}
     ON CONFLICT (run_id, tool_call_id) DO UPDATE SET output = excluded.output`,
  );
  const load = database.prepare<{ output: string }>(
    "SELECT output FROM whole_results WHERE run_id = ? AND tool_call_id = ?",
  );
  const find = database.prepare<{ runId: string; messageId: string }>(
    `SELECT run_id AS runId, tool_calls.message_id AS messageId FROM runs JOIN tool_calls ON run_id = runs.id
     WHERE session_id = ? AND tool_call_id = ? ORDER BY created_at DESC, runs.rowid DESC LIMIT 1`,
  );
  return {
    keepResult: (runId: string, toolCallId: string, output: string): boolean =>
      database.transaction(() => keep.run(runId, toolCallId, output) > 0),
    loadResult: (runId: string, toolCallId: string): string | undefined =>
      load.get(runId, toolCallId)?.output,
    findCall: (sessionId: string, toolCallId: string): { runId: string; messageId: string } | undefined =>
      find.get(sessionId, toolCallId),
  };
}
