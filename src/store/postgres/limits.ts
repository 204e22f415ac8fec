import type { LimitVerdict } from "../../protocol/store.ts";
import { toVerdict } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const TAKE = statement(
  "SELECT allowed, remaining, reset_at, retry_after FROM check_user_tool_rate_limit($1, $2, $3, $4)",
);
const PEEK = statement(
  "SELECT allowed, remaining, reset_at, retry_after FROM look_at_user_tool_rate_limit($1, $2, $3, $4, tackle_now())",
);
const REFUND = statement(
  `DELETE FROM user_tool_rate_limits WHERE id = (
     SELECT id FROM user_tool_rate_limits WHERE subject = $1 AND name = $2
     ORDER BY at DESC, id DESC LIMIT 1 FOR UPDATE SKIP LOCKED
   )`,
);

/** Counts uses in sliding windows, with SQL functions that other programs can call too. */
export function limitsOf(database: Database) {
  return {
    async takeLimit(subject: string, name: string, limit: number, windowMs: number): Promise<LimitVerdict> {
      const [row] = await database.query<unknown>(TAKE, [subject, name, limit, windowMs]);
      return { limit, ...toVerdict(row) };
    },
    async peekLimit(subject: string, name: string, limit: number, windowMs: number): Promise<LimitVerdict> {
      const [row] = await database.queryAgain<unknown>(PEEK, [subject, name, limit, windowMs]);
      return { limit, ...toVerdict(row) };
    },
    async refundLimit(subject: string, name: string): Promise<void> {
      await database.query(REFUND, [subject, name]);
    },
  };
}
