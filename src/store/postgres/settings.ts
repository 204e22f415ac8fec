import type { Json } from "../../protocol/json.ts";
import { toSettings } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const SELECT = statement("SELECT name, value, format FROM user_settings WHERE user_id = $1");
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
    async putSetting(userId: string, name: string, value: Json | undefined): Promise<void> {
      if (value === undefined) await database.queryAgain(REMOVE, [userId, name]);
      else await database.queryAgain(PUT, [userId, name, JSON.stringify(value)]);
    },
  };
}
