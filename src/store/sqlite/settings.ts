import type { Json } from "../../protocol/json.ts";
import { toSettings, toSettingsOfEach } from "../rows.ts";
import type { Database } from "./database.ts";

/** Settings of users, and of the server itself under the empty user id. */
export function settingsOf(database: Database) {
  const select = database.prepare<unknown>("SELECT name, value, format FROM user_settings WHERE user_id = ?");
  const several = database.prepare<{ user_id: string }>(
    `SELECT user_id, name, value, format FROM user_settings
     WHERE user_id IN (SELECT value FROM json_each(?1)) AND name IN (SELECT value FROM json_each(?2))`,
  );
  const upsert = database.prepare(
    `INSERT INTO user_settings (user_id, name, value) VALUES (?, ?, ?)
     ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value`,
  );
  const remove = database.prepare("DELETE FROM user_settings WHERE user_id = ? AND name = ?");
  return {
    getSettings(userId: string): Record<string, Json> {
      const rows = select.all(userId);
      return rows.length > 0 ? toSettings(rows) : {};
    },
    getSettingsOfEach(
      userIds: readonly string[],
      names: readonly string[],
    ): Map<string, Record<string, Json>> {
      const rows = several.all(JSON.stringify(userIds), JSON.stringify(names));
      return toSettingsOfEach(rows.map(({ user_id, ...setting }) => ({ user_id, setting })));
    },
    putSetting(userId: string, name: string, value: Json | undefined): void {
      database.transaction(() => {
        if (value === undefined) remove.run(userId, name);
        else upsert.run(userId, name, JSON.stringify(value));
      });
    },
  };
}
