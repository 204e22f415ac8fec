import type { Approval } from "../../protocol/run-records.ts";
import { toApproval } from "../rows.ts";
import { type Database, statement } from "./database.ts";
import { notifyRun } from "./notifications.ts";
import { ACTIVE } from "./runs.ts";

const SAVE = statement(
  `WITH saved AS (
     INSERT INTO approvals (run_id, tool_call_id, decision, note, via, arguments_hash, decided_at)
     SELECT id, $2, $3, $4, $8, $5, tackle_now() FROM runs WHERE id = $1 AND ${ACTIVE}
     ON CONFLICT (run_id, tool_call_id) DO UPDATE
       SET decision = excluded.decision, note = excluded.note, via = excluded.via,
           arguments_hash = excluded.arguments_hash, decided_at = excluded.decided_at
       WHERE approvals.arguments_hash <> excluded.arguments_hash
     RETURNING run_id
   )
   SELECT run_id, ${notifyRun("$6", "$7", "run_id")} FROM saved`,
);
const SELECT = statement(
  `SELECT run_id, tool_call_id, decision, note, via, arguments_hash, format FROM approvals
   WHERE run_id = $1 AND tool_call_id = $2`,
);

/** People's decisions on calls. */
export function approvalsOf(database: Database) {
  return {
    /** Returns false if the call was already decided with these arguments, or its run is over. The first decision stands. */
    async saveApproval({
      runId,
      toolCallId,
      decision,
      note,
      via,
      argumentsHash,
    }: Approval): Promise<boolean> {
      const values = [runId, toolCallId, decision, note ?? null, argumentsHash];
      return (
        (await database.query(SAVE, [...values, database.schema, database.origin, via ?? null])).length > 0
      );
    },
    async getApproval(runId: string, toolCallId: string): Promise<Approval | undefined> {
      const [row] = await database.queryAgain<unknown>(SELECT, [runId, toolCallId]);
      return row ? toApproval(row) : undefined;
    },
  };
}
