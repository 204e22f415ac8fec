import type { Approval } from "../../protocol/store.ts";
import type { Database } from "./database.ts";

interface ApprovalRow {
  decision: Approval["decision"];
  note: string | null;
  arguments_hash: string;
}

/** What people decided about calls. */
export function approvalsOf(database: Database) {
  const insert = database.prepare(
    `INSERT INTO approvals (run_id, tool_call_id, decision, note, arguments_hash, decided_at)
     SELECT id, ?, ?, ?, ?, ? FROM runs WHERE id = ? AND status IN ('running', 'waiting')
     ON CONFLICT (run_id, tool_call_id) DO NOTHING`,
  );
  const select = database.prepare<ApprovalRow>(
    "SELECT decision, note, arguments_hash FROM approvals WHERE run_id = ? AND tool_call_id = ?",
  );
  return {
    /** False when the call was decided already or its run is over: the first decision stands. */
    save({ runId, toolCallId, decision, note, argumentsHash }: Approval): boolean {
      return database.transaction(
        () => insert.run(toolCallId, decision, note ?? null, argumentsHash, database.now(), runId) > 0,
      );
    },
    get(runId: string, toolCallId: string): Approval | undefined {
      const row = select.get(runId, toolCallId);
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
