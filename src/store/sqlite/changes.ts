import { randomUUID } from "node:crypto";
import type { Change, Store } from "../../protocol/store.ts";
import type { Database } from "./database.ts";

interface ChangeRow {
  id: number;
  tool_call_id: string;
  tool_name: string;
  summary: string;
  reversible: number;
  data: string;
  at: number;
}

/** What tools changed in a session, with what it takes to undo it. */
export function changesOf(database: Database) {
  const insert = database.prepare(
    `INSERT INTO changes (session_id, tool_call_id, tool_name, summary, reversible, data, at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const select = database.prepare<ChangeRow>(
    `SELECT id, tool_call_id, tool_name, summary, reversible, data, at FROM changes
     WHERE session_id = ? AND undone_at IS NULL ORDER BY id DESC`,
  );
  const undone = database.prepare("UPDATE changes SET undone_at = ? WHERE id = ?");
  const keep = database.prepare("INSERT INTO kept_bytes (key, session_id, bytes) VALUES (?, ?, ?)");
  const load = database.prepare<{ bytes: Uint8Array }>("SELECT bytes FROM kept_bytes WHERE key = ?");
  return {
    record({
      sessionId,
      toolCallId,
      toolName,
      summary,
      reversible,
      data,
    }: Parameters<Store["recordChange"]>[0]): void {
      const facts = [summary, reversible ? 1 : 0, JSON.stringify(data), database.now()] as const;
      database.transaction(() => insert.run(sessionId, toolCallId, toolName, ...facts));
    },
    list: (sessionId: string): Change[] => select.all(sessionId).map(toChange),
    markUndone(id: number): void {
      database.transaction(() => undone.run(database.now(), id));
    },
    keep(sessionId: string, bytes: Uint8Array): string {
      const key = randomUUID();
      database.transaction(() => keep.run(key, sessionId, bytes));
      return key;
    },
    load: (key: string): Uint8Array | undefined => load.get(key)?.bytes,
  };
}

function toChange(row: ChangeRow): Change {
  return {
    id: row.id,
    toolCallId: row.tool_call_id,
    toolName: row.tool_name,
    summary: row.summary,
    reversible: row.reversible === 1,
    data: JSON.parse(row.data),
    at: new Date(row.at).toISOString(),
  };
}
