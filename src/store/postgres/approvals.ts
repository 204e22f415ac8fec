import type { Approval } from "../../protocol/store.ts";
import { type Database, statement } from "./database.ts";
import { notifyRun } from "./notifications.ts";
import { ACTIVE } from "./runs.ts";

interface ApprovalRow {
  decision: Approval["decision"];
  note: string | null;
  arguments_hash: string;
}

const SAVE = statement(
  `WITH saved AS (
     INSERT INTO approvals (run_id, tool_call_id, decision, note, arguments_hash, decided_at)
     SELECT id, $2, $3, $4, $5, tackle_now() FROM runs WHERE id = $1 AND ${ACTIVE}
     ON CONFLICT (run_id, tool_call_id) DO NOTHING RETURNING run_id
   )
   SELECT run_id, ${notifyRun("$6", "$7", "run_id")} FROM saved`,
);
const SELECT = statement(
  "SELECT decision, note, arguments_hash FROM approvals WHERE run_id = $1 AND tool_call_id = $2",
);

/** What people decided about calls. */
export function approvalsOf(database: Database) {
  return {
    /** False when the call was decided already or its run is over: the first decision stands. */
    async save({ runId, toolCallId, decision, note, argumentsHash }: Approval): Promise<boolean> {
      const values = [runId, toolCallId, decision, note ?? null, argumentsHash];
      return (await database.query(SAVE, [...values, database.schema, database.origin])).length > 0;
    },
    async get(runId: string, toolCallId: string): Promise<Approval | undefined> {
      const [row] = await database.queryAgain<ApprovalRow>(SELECT, [runId, toolCallId]);
      if (!row) return undefined;
      return {
        runId,
        toolCallId,
        decision: row.decision,
        argumentsHash: row.arguments_hash,
        ...(row.note === null ? {} : { note: row.note }),
      };
    },
  };
}
