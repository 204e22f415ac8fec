import type { ItemBounds, NewItem, StoredItem } from "../../protocol/conversations.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { toItem, toMetadata } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const SAVE = statement(
  `INSERT INTO conversations (session_id, metadata) VALUES ($1, $2::json)
   ON CONFLICT (session_id) DO UPDATE SET metadata = excluded.metadata`,
);
const LOAD = statement("SELECT metadata::text AS metadata FROM conversations WHERE session_id = $1");
// Requests that add at the same time are counted one after the other.
const LOCK = statement("SELECT id FROM sessions WHERE id = $1 FOR UPDATE");
const ADD = statement(
  `INSERT INTO conversation_items (session_id, id, item, at)
   SELECT $1, new.id, new.item::json, tackle_now()
   FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS new (id, item, nth)
   WHERE (SELECT count(*) FROM conversation_items WHERE session_id = $1) + cardinality($2::text[]) <= $4
     AND (SELECT coalesce(sum(octet_length(item::text)), 0) FROM conversation_items WHERE session_id = $1) + $5 <= $6
   ORDER BY new.nth RETURNING id`,
);
const REPLACE = statement("DELETE FROM conversation_items WHERE session_id = $1 AND id = ANY ($2)");
const LIST = statement(
  "SELECT id, item::text AS item, at FROM conversation_items WHERE session_id = $1 ORDER BY position",
);
const REMOVE = statement("DELETE FROM conversation_items WHERE session_id = $1 AND id = $2 RETURNING id");
const NOTE_REMOVED = statement(
  "INSERT INTO conversation_items (session_id, id, at) VALUES ($1, $2, tackle_now()) ON CONFLICT DO NOTHING",
);

/** What clients of other protocols keep with a session. */
export function conversationsOf(database: Database) {
  return {
    async saveConversation(sessionId: string, metadata: JsonObject): Promise<void> {
      await database.queryAgain(SAVE, [sessionId, JSON.stringify(metadata)]);
    },
    async loadConversation(sessionId: string): Promise<JsonObject | undefined> {
      const [row] = await database.queryAgain<unknown>(LOAD, [sessionId]);
      return row ? toMetadata(row).metadata : undefined;
    },
    addItems: (sessionId: string, items: readonly NewItem[], most: ItemBounds): Promise<boolean> =>
      database.transaction(async (query) => {
        await query(LOCK, [sessionId]);
        const texts = items.map(({ item }) => JSON.stringify(item));
        const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
        const ids = items.map(({ id }) => id);
        await query(REPLACE, [sessionId, ids]);
        const added = await query(ADD, [sessionId, ids, texts, most.items, bytes, most.bytes]);
        return added.length === items.length;
      }),
    listItems: async (sessionId: string): Promise<StoredItem[]> =>
      (await database.queryAgain<unknown>(LIST, [sessionId])).map(toItem),
    removeItem: (sessionId: string, id: string): Promise<void> =>
      database.transaction(async (query) => {
        if ((await query(REMOVE, [sessionId, id])).length === 0) await query(NOTE_REMOVED, [sessionId, id]);
      }),
  };
}
