import { fileIdsIn } from "../../protocol/files.ts";
import type { NewRunInput, RunInput } from "../../protocol/run-records.ts";
import { toInput } from "../rows.ts";
import type { Database } from "./database.ts";

const COLUMNS = "message_id, run_id, delivery, interrupt, state, parts, created_at, format";
const UNUSED = "state IN ('waiting', 'claimed')";

/** Messages that people send into runs. */
export function inputsOf(database: Database) {
  const known = database.prepare<unknown>("SELECT 1 FROM run_inputs WHERE message_id = ? AND run_id = ?");
  const active = database.prepare<unknown>(
    "SELECT 1 FROM runs WHERE id = ? AND status IN ('running', 'waiting')",
  );
  const count = database.prepare<{ waiting: number; last: number }>(
    `SELECT count(*) FILTER (WHERE ${UNUSED}) AS waiting, coalesce(max(position), 0) AS last
     FROM run_inputs WHERE run_id = ?`,
  );
  const insert = database.prepare(
    `INSERT INTO run_inputs (message_id, run_id, position, delivery, interrupt, state, parts, created_at)
     VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?)`,
  );
  const insertUse = database.prepare(
    "INSERT OR IGNORE INTO file_uses (session_id, file_id) SELECT session_id, ? FROM runs WHERE id = ?",
  );
  const list = database.prepare<unknown>(
    `SELECT ${COLUMNS} FROM run_inputs WHERE run_id = ? ORDER BY position, message_id`,
  );
  const change = database.prepare(
    `UPDATE run_inputs SET parts = coalesce(?, parts), delivery = coalesce(?, delivery)
     WHERE run_id = ? AND message_id = ? AND state = 'waiting'`,
  );
  const place = database.prepare(
    "UPDATE run_inputs SET position = ? WHERE run_id = ? AND message_id = ? AND state = 'waiting'",
  );
  const withdraw = database.prepare(
    `UPDATE run_inputs SET state = 'withdrawn'
     WHERE run_id = ? AND message_id = ? AND state IN ('waiting', 'returned')`,
  );
  const meantForNow = database.prepare<unknown>(
    `SELECT ${COLUMNS} FROM run_inputs WHERE run_id = ?1 AND delivery = 'now' AND ${UNUSED}
       AND EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND epoch = ?2 AND status IN ('running', 'waiting'))
     ORDER BY position, message_id`,
  );
  const claim = database.prepare("UPDATE run_inputs SET state = 'claimed' WHERE message_id = ?");
  const unused = database.prepare<{ run_id: string }>(
    `SELECT DISTINCT run_id FROM run_inputs JOIN runs ON runs.id = run_id
     WHERE run_inputs.${UNUSED} AND status NOT IN ('running', 'waiting') LIMIT ?`,
  );
  const giveBack = database.prepare(
    `UPDATE run_inputs SET state = 'returned' WHERE run_id = ? AND ${UNUSED}`,
  );

  return {
    addInput(input: NewRunInput, most: number): "added" | "known" | "over" | "full" {
      return database.transaction(() => {
        const { messageId, runId, when, interrupt, parts } = input;
        if (known.get(messageId, runId)) return "known";
        if (!active.get(runId)) return "over";
        const { waiting, last } = count.get(runId) ?? { waiting: 0, last: 0 };
        if (waiting >= most) return "full";
        const text = JSON.stringify(parts);
        insert.run(messageId, runId, last + 1, when, interrupt ? 1 : 0, text, database.now());
        for (const file of fileIdsIn(parts)) insertUse.run(file, runId);
        return "added";
      });
    },
    listInputs: (runId: string): RunInput[] => list.all(runId).map(toInput),
    changeInput(
      runId: string,
      messageId: string,
      { parts, when }: Partial<Pick<RunInput, "parts" | "when">>,
    ): boolean {
      const text = parts ? JSON.stringify(parts) : null;
      return database.transaction(() => change.run(text, when ?? null, runId, messageId) > 0);
    },
    orderInputs(runId: string, messageIds: readonly string[]): void {
      database.transaction(() => {
        for (const [index, messageId] of messageIds.entries()) place.run(index + 1, runId, messageId);
      });
    },
    withdrawInput: (runId: string, messageId: string): boolean =>
      database.transaction(() => withdraw.run(runId, messageId) > 0),
    claimInputs(runId: string, epoch: number): RunInput[] {
      if (meantForNow.all(runId, epoch).length === 0) return [];
      return database.transaction(() => {
        const found = meantForNow.all(runId, epoch).map(toInput);
        for (const { messageId } of found) claim.run(messageId);
        return found.map((input) => ({ ...input, state: "claimed" as const }));
      });
    },
    runsWithUnusedInputs: (limit: number): string[] => unused.all(limit).map((row) => row.run_id),
    returnInputs(runId: string): void {
      database.transaction(() => giveBack.run(runId));
    },
  };
}
