import type { Json } from "../../protocol/json.ts";
import { toSettings } from "../rows.ts";
import type { Database } from "./database.ts";

/** Settings of users, and of the server itself under the empty user id. */
export function settingsOf(database: Database) {
  const select = database.prepare<unknown>("SELECT name, value, format FROM user_settings WHERE user_id = ?");
  const upsert = database.prepare(
    `INSERT INTO user_settings (user_id, name, value) VALUES (?, ?, ?)
     ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value`,
  );
  const remove = database.prepare("DELETE FROM user_settings WHERE user_id = ? AND name = ?");
  return {
    getSettings: (userId: string): Record<string, Json> => toSettings(select.all(userId)),
    putSetting(userId: string, name: string, value: Json | undefined): void {
      database.transaction(() => {
        if (value === undefined) remove.run(userId, name);
        else upsert.run(userId, name, JSON.stringify(value));
      });
    },
  };
}
