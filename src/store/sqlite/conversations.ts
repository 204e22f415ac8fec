import type { ItemBounds, NewItem, StoredItem } from "../../protocol/conversations.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { toItem, toMetadata } from "../rows.ts";
import type { Database } from "./database.ts";

/** What clients of other protocols keep with a session. */
export function conversationsOf(database: Database) {
  const save = database.prepare(
    `INSERT INTO conversations (session_id, metadata) VALUES (?, ?)
     ON CONFLICT (session_id) DO UPDATE SET metadata = excluded.metadata`,
  );
  const load = database.prepare<unknown>("SELECT metadata FROM conversations WHERE session_id = ?");
  const size = database.prepare<{ items: number; bytes: number }>(
    `SELECT count(*) AS items, coalesce(sum(octet_length(item)), 0) AS bytes
     FROM conversation_items WHERE session_id = ?`,
  );
  const add = database.prepare(
    "INSERT OR REPLACE INTO conversation_items (session_id, id, item, at) VALUES (?, ?, ?, ?)",
  );
  const list = database.prepare<unknown>(
    "SELECT id, item, at FROM conversation_items WHERE session_id = ? ORDER BY position",
  );
  const remove = database.prepare("DELETE FROM conversation_items WHERE session_id = ? AND id = ?");
  return {
    saveConversation(sessionId: string, metadata: JsonObject): void {
      database.transaction(() => save.run(sessionId, JSON.stringify(metadata)));
    },
    loadConversation(sessionId: string): JsonObject | undefined {
      const row = load.get(sessionId);
      return row ? toMetadata(row).metadata : undefined;
    },
    addItems: (sessionId: string, items: readonly NewItem[], most: ItemBounds): boolean =>
      database.transaction(() => {
        const texts = items.map(({ id, item }) => [id, JSON.stringify(item)] as const);
        const { items: count = 0, bytes = 0 } = size.get(sessionId) ?? {};
        const more = texts.reduce((sum, [, text]) => sum + Buffer.byteLength(text), bytes);
        if (count + items.length > most.items || more > most.bytes) return false;
        for (const [id, text] of texts) add.run(sessionId, id, text, database.now());
        return true;
      }),
    listItems: (sessionId: string): StoredItem[] => list.all(sessionId).map(toItem),
    removeItem(sessionId: string, id: string): void {
      database.transaction(() => {
        if (remove.run(sessionId, id) === 0) add.run(sessionId, id, null, database.now());
      });
    },
  };
}
