import type { LimitVerdict } from "../../protocol/store.ts";
import { type Database, statement } from "./database.ts";

interface VerdictRow {
  allowed: boolean;
  remaining: number;
  reset_at: number;
  retry_after: number;
}

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

/** Uses counted in sliding windows, by functions of the database that anybody may call there too. */
export function limitsOf(database: Database) {
  return {
    async take(subject: string, name: string, limit: number, windowMs: number): Promise<LimitVerdict> {
      const rows = await database.query<VerdictRow>(TAKE, [subject, name, limit, windowMs]);
      return toVerdict(rows, limit);
    },
    async peek(subject: string, name: string, limit: number, windowMs: number): Promise<LimitVerdict> {
      const rows = await database.queryAgain<VerdictRow>(PEEK, [subject, name, limit, windowMs]);
      return toVerdict(rows, limit);
    },
    async refund(subject: string, name: string): Promise<void> {
      await database.query(REFUND, [subject, name]);
    },
  };
}

function toVerdict([row]: VerdictRow[], limit: number): LimitVerdict {
  if (!row) throw new Error("looking at a limit answered nothing");
  const { allowed, remaining, reset_at: resetAt, retry_after: retryAfter } = row;
  return { allowed, limit, remaining, resetAt, retryAfter };
}
