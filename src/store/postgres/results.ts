import { MAX_SESSION_RESULTS } from "../values.ts";
import { type Database, statement } from "./database.ts";

const KEEP = statement(
  `INSERT INTO whole_results (run_id, tool_call_id, output)
   SELECT id, $2, $3 FROM runs WHERE id = $1 AND octet_length($3::text) + coalesce((
     SELECT sum(octet_length(output)) FROM whole_results AS w JOIN runs AS r ON r.id = w.run_id
     WHERE r.session_id = runs.session_id AND NOT (w.run_id = $1 AND w.tool_call_id = $2)
   ), 0) <= ${MAX_SESSION_RESULTS}
   ON CONFLICT (run_id, tool_call_id) DO UPDATE SET output = excluded.output RETURNING run_id`,
);
const LOAD = statement("SELECT output FROM whole_results WHERE run_id = $1 AND tool_call_id = $2");
const FIND = statement(
  `SELECT c.run_id AS "runId", c.message_id AS "messageId" FROM runs AS r JOIN tool_calls AS c ON c.run_id = r.id
   WHERE r.session_id = $1 AND c.tool_call_id = $2 ORDER BY r.created_at DESC LIMIT 1`,
);

/** Results of calls that are too long for the model, and where earlier calls were made. */
export function resultsOf(database: Database) {
  return {
    keepResult: async (runId: string, toolCallId: string, output: string): Promise<boolean> =>
      // PostgreSQL cannot store this character.
      (await database.queryAgain(KEEP, [runId, toolCallId, output.replaceAll("\0", "\uFFFD")])).length > 0,
    loadResult: async (runId: string, toolCallId: string): Promise<string | undefined> =>
      (await database.queryAgain<{ output: string }>(LOAD, [runId, toolCallId]))[0]?.output,
    findCall: async (
      sessionId: string,
      toolCallId: string,
    ): Promise<{ runId: string; messageId: string } | undefined> =>
      (await database.queryAgain<{ runId: string; messageId: string }>(FIND, [sessionId, toolCallId]))[0],
  };
}
