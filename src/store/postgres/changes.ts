import { randomUUID } from "node:crypto";
import type { Store } from "../../protocol/store.ts";
import type { Change } from "../../protocol/undo.ts";
import { toChange } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const INSERT = statement(
  `INSERT INTO changes (session_id, run_id, tool_call_id, tool_name, summary, reversible, data, at)
   VALUES ($1, $2, $3, $4, $5, $6, $7::json, tackle_now())`,
);
const SELECT = statement(
  `SELECT id, run_id, tool_call_id, tool_name, summary, reversible, data, at, format FROM changes
   WHERE session_id = $1 AND undone_at IS NULL ORDER BY id DESC`,
);
const UNDONE = statement("UPDATE changes SET undone_at = tackle_now() WHERE id = $1");
const KEEP = statement(
  "INSERT INTO kept_bytes (key, session_id, bytes) VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING",
);
const LOAD = statement("SELECT bytes FROM kept_bytes WHERE key = $1");

/** Changes that tools made in a session, with the data that undoes them. */
export function changesOf(database: Database) {
  return {
    async recordChange(change: Parameters<Store["recordChange"]>[0]): Promise<void> {
      const { sessionId, runId = null, toolCallId, toolName, summary, reversible, data } = change;
      await database.query(INSERT, [
        sessionId,
        runId,
        toolCallId,
        toolName,
        summary,
        reversible,
        JSON.stringify(data),
      ]);
    },
    listChanges: async (sessionId: string): Promise<Change[]> =>
      (await database.queryAgain<unknown>(SELECT, [sessionId])).map(toChange),
    async markUndone(id: number): Promise<void> {
      await database.queryAgain(UNDONE, [id]);
    },
    async keepBytes(sessionId: string, bytes: Uint8Array): Promise<string> {
      const key = randomUUID();
      await database.queryAgain(KEEP, [
        key,
        sessionId,
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      ]);
      return key;
    },
    loadBytes: async (key: string): Promise<Uint8Array | undefined> =>
      (await database.queryAgain<{ bytes: Buffer }>(LOAD, [key]))[0]?.bytes,
  };
}
