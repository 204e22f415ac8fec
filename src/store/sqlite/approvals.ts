import type { Approval } from "../../protocol/run-records.ts";
import { toApproval } from "../rows.ts";
import type { Database } from "./database.ts";

/** People's decisions on calls. */
export function approvalsOf(database: Database) {
  const insert = database.prepare(
    `INSERT INTO approvals (run_id, tool_call_id, decision, note, via, arguments_hash, decided_at)
     SELECT id, ?, ?, ?, ?, ?, ? FROM runs WHERE id = ? AND status IN ('running', 'waiting')
     ON CONFLICT (run_id, tool_call_id) DO UPDATE
     SET decision = excluded.decision, note = excluded.note, via = excluded.via,
         arguments_hash = excluded.arguments_hash, decided_at = excluded.decided_at
     WHERE approvals.arguments_hash <> excluded.arguments_hash`,
  );
  const select = database.prepare<unknown>("SELECT * FROM approvals WHERE run_id = ? AND tool_call_id = ?");
  return {
    /** Returns false if the call was already decided with these arguments, or its run is over. The first decision stands. */
    saveApproval({ runId, toolCallId, decision, note, via, argumentsHash }: Approval): boolean {
      return database.transaction(
        () =>
          insert.run(toolCallId, decision, note ?? null, via ?? null, argumentsHash, database.now(), runId) >
          0,
      );
    },
    getApproval(runId: string, toolCallId: string): Approval | undefined {
      const row = select.get(runId, toolCallId);
      return row ? toApproval(row) : undefined;
    },
  };
}
