import { fileIdsIn } from "../../protocol/files.ts";
import type { NewRunInput, RunInput } from "../../protocol/run-records.ts";
import { toInput } from "../rows.ts";
import { type Database, statement } from "./database.ts";
import { notifyRun } from "./notifications.ts";
import { ACTIVE } from "./runs.ts";

const COLUMNS = "message_id, run_id, delivery, interrupt, state, parts, created_at, format";
/** Rows that their run may still use. */
export const UNUSED = "state IN ('waiting', 'claimed')";

// Locks the run: it must not end in between, and two messages must not get the same position.
const ADD = statement(
  `WITH known AS MATERIALIZED (
     SELECT FROM run_inputs WHERE message_id = $1 AND run_id = $2
   ), run AS MATERIALIZED (
     SELECT id FROM runs WHERE id = $2 AND ${ACTIVE} FOR NO KEY UPDATE
   ), room AS MATERIALIZED (
     SELECT id, (SELECT coalesce(max(position), 0) FROM run_inputs WHERE run_id = $2) AS last FROM run
     WHERE (SELECT count(*) FROM run_inputs WHERE run_id = $2 AND ${UNUSED}) < $6
   ), added AS (
     INSERT INTO run_inputs (message_id, run_id, position, delivery, interrupt, state, parts, created_at)
     SELECT $1, id, last + 1, $3, $4, 'waiting', $5::json, tackle_now() FROM room WHERE NOT EXISTS (SELECT FROM known)
     ON CONFLICT (message_id) DO NOTHING RETURNING run_id
   ), uses AS (
     INSERT INTO file_uses (session_id, file_id)
     SELECT r.session_id, file FROM added JOIN runs AS r ON r.id = added.run_id, unnest($9::text[]) AS file
     ON CONFLICT DO NOTHING
   )
   SELECT CASE WHEN EXISTS (SELECT FROM known) THEN 'known'
     WHEN NOT EXISTS (SELECT FROM run) THEN 'over' WHEN NOT EXISTS (SELECT FROM room) THEN 'full'
     ELSE 'added' END AS outcome,
     (SELECT ${notifyRun("$7", "$8", "run_id")} FROM added) AS told`,
);
const LIST = statement(`SELECT ${COLUMNS} FROM run_inputs WHERE run_id = $1 ORDER BY position, message_id`);
const CHANGE = statement(
  `UPDATE run_inputs SET parts = coalesce($3::json, parts), delivery = coalesce($4, delivery)
   WHERE run_id = $1 AND message_id = $2 AND state = 'waiting' RETURNING message_id`,
);
const ORDER = statement(
  `UPDATE run_inputs SET position = place FROM unnest($2::text[]) WITH ORDINALITY AS o (id, place)
   WHERE run_id = $1 AND message_id = id AND state = 'waiting'`,
);
const WITHDRAW = statement(
  `UPDATE run_inputs SET state = 'withdrawn'
   WHERE run_id = $1 AND message_id = $2 AND state IN ('waiting', 'returned') RETURNING message_id`,
);
const CLAIM = statement(
  `WITH claimed AS (
     UPDATE run_inputs SET state = 'claimed' WHERE run_id = $1 AND delivery = 'now' AND ${UNUSED}
       AND EXISTS (SELECT FROM runs WHERE id = $1 AND epoch = $2 AND ${ACTIVE})
     RETURNING position, ${COLUMNS}
   )
   SELECT ${COLUMNS} FROM claimed ORDER BY position, message_id`,
);
const OVER = statement(
  `SELECT DISTINCT run_id FROM run_inputs JOIN runs ON runs.id = run_id
   WHERE run_inputs.${UNUSED} AND NOT (runs.${ACTIVE}) LIMIT $1`,
);
const RETURN = statement(`UPDATE run_inputs SET state = 'returned' WHERE run_id = $1 AND ${UNUSED}`);

type Outcome = "added" | "known" | "over" | "full";

/** Messages that people send into runs. */
export function inputsOf(database: Database) {
  return {
    async addInput(input: NewRunInput, most: number): Promise<Outcome> {
      const { messageId, runId, when, interrupt = false, parts } = input;
      const values = [messageId, runId, when, interrupt, JSON.stringify(parts), most];
      const told = [database.schema, database.origin];
      const [row] = await database.query<{ outcome: Outcome }>(ADD, [...values, ...told, fileIdsIn(parts)]);
      return row?.outcome ?? "over";
    },
    listInputs: async (runId: string): Promise<RunInput[]> =>
      (await database.queryAgain<unknown>(LIST, [runId])).map(toInput),
    async changeInput(
      runId: string,
      messageId: string,
      { parts, when }: Partial<Pick<RunInput, "parts" | "when">>,
    ): Promise<boolean> {
      const text = parts ? JSON.stringify(parts) : null;
      return (await database.queryAgain(CHANGE, [runId, messageId, text, when ?? null])).length > 0;
    },
    async orderInputs(runId: string, messageIds: readonly string[]): Promise<void> {
      await database.queryAgain(ORDER, [runId, [...messageIds]]);
    },
    withdrawInput: async (runId: string, messageId: string): Promise<boolean> =>
      (await database.query(WITHDRAW, [runId, messageId])).length > 0,
    claimInputs: async (runId: string, epoch: number): Promise<RunInput[]> =>
      (await database.queryAgain<unknown>(CLAIM, [runId, epoch])).map(toInput),
    runsWithUnusedInputs: async (limit: number): Promise<string[]> =>
      (await database.queryAgain<{ run_id: string }>(OVER, [limit])).map((row) => row.run_id),
    async returnInputs(runId: string): Promise<void> {
      await database.queryAgain(RETURN, [runId]);
    },
  };
}
