import type { Json } from "../../protocol/json.ts";
import { toSettings, toSettingsOfEach } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const SELECT = statement("SELECT name, value, format FROM user_settings WHERE user_id = $1");
const SELECT_SEVERAL = statement(
  "SELECT user_id, name, value, format FROM user_settings WHERE user_id = ANY ($1) AND name = ANY ($2)",
);
const PUT = statement(
  `INSERT INTO user_settings (user_id, name, value) VALUES ($1, $2, $3::json)
   ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value`,
);
const REMOVE = statement("DELETE FROM user_settings WHERE user_id = $1 AND name = $2");

/** Settings of users, and of the server itself under the empty user id. */
export function settingsOf(database: Database) {
  return {
    async getSettings(userId: string): Promise<Record<string, Json>> {
      return toSettings(await database.queryAgain<unknown>(SELECT, [userId]));
    },
    async getSettingsOfEach(
      userIds: readonly string[],
      names: readonly string[],
    ): Promise<Map<string, Record<string, Json>>> {
      const rows = await database.queryAgain<{ user_id: string }>(SELECT_SEVERAL, [userIds, names]);
      return toSettingsOfEach(rows.map(({ user_id, ...setting }) => ({ user_id, setting })));
    },
    async putSetting(userId: string, name: string, value: Json | undefined): Promise<void> {
      if (value === undefined) await database.queryAgain(REMOVE, [userId, name]);
      else await database.queryAgain(PUT, [userId, name, JSON.stringify(value)]);
    },
  };
}
