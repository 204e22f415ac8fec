import { randomUUID } from "node:crypto";
import type { Store } from "../../protocol/store.ts";
import type { Change } from "../../protocol/undo.ts";
import { toChange } from "../rows.ts";
import type { Database } from "./database.ts";

/** Changes that tools made in a session, with the data that undoes them. */
export function changesOf(database: Database) {
  const insert = database.prepare(
    `INSERT INTO changes (session_id, run_id, tool_call_id, tool_name, summary, reversible, data, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const select = database.prepare<unknown>(
    `SELECT id, run_id, tool_call_id, tool_name, summary, reversible, data, at, format FROM changes
     WHERE session_id = ? AND undone_at IS NULL ORDER BY id DESC`,
  );
  const undone = database.prepare("UPDATE changes SET undone_at = ? WHERE id = ?");
  const keep = database.prepare("INSERT INTO kept_bytes (key, session_id, bytes) VALUES (?, ?, ?)");
  const load = database.prepare<{ bytes: Uint8Array }>("SELECT bytes FROM kept_bytes WHERE key = ?");
  return {
    recordChange({
      sessionId,
      runId,
      toolCallId,
      toolName,
      summary,
      reversible,
      data,
    }: Parameters<Store["recordChange"]>[0]): void {
      const facts = [summary, reversible ? 1 : 0, JSON.stringify(data), database.now()] as const;
      database.transaction(() => insert.run(sessionId, runId ?? null, toolCallId, toolName, ...facts));
    },
    listChanges: (sessionId: string): Change[] => select.all(sessionId).map(toChange),
    markUndone(id: number): void {
      database.transaction(() => undone.run(database.now(), id));
    },
    keepBytes(sessionId: string, bytes: Uint8Array): string {
      const key = randomUUID();
      database.transaction(() => keep.run(key, sessionId, bytes));
      return key;
    },
    loadBytes: (key: string): Uint8Array | undefined => load.get(key)?.bytes,
  };
}
