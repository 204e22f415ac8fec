import type { LimitVerdict } from "../../protocol/store.ts";
import type { Database } from "./database.ts";

/** Counts uses in sliding windows. */
export function limitsOf(database: Database) {
  const prune = database.prepare("DELETE FROM user_tool_rate_limits WHERE expires_at <= ?");
  const count = database.prepare<{ uses: number; oldest: number | null }>(
    "SELECT count(*) AS uses, min(at) AS oldest FROM user_tool_rate_limits WHERE subject = ? AND name = ? AND at > ?",
  );
  const nth = database.prepare<{ at: number }>(
    `SELECT at FROM user_tool_rate_limits WHERE subject = ? AND name = ? AND at > ?
     ORDER BY at LIMIT 1 OFFSET ?`,
  );
  const insert = database.prepare(
    "INSERT INTO user_tool_rate_limits (subject, name, at, expires_at) VALUES (?, ?, ?, ?)",
  );
  const refund = database.prepare(
    `DELETE FROM user_tool_rate_limits WHERE id = (
       SELECT id FROM user_tool_rate_limits WHERE subject = ? AND name = ? ORDER BY at DESC, id DESC LIMIT 1
     )`,
  );

  function take(subject: string, name: string, limit: number, windowMs: number): LimitVerdict {
    const now = database.now();
    const since = now - windowMs;
    prune.run(now);
    const { uses, oldest } = count.get(subject, name, since) ?? { uses: 0, oldest: null };
    const resetAt = (oldest ?? now) + windowMs;
    if (uses < limit) {
      insert.run(subject, name, now, now + windowMs);
      return { allowed: true, limit, remaining: limit - uses - 1, resetAt, retryAfter: 0 };
    }
    return refused(subject, name, { uses, limit, now, windowMs, resetAt });
  }

  /** Returns when a use will be allowed again. If the limit was lowered, several uses have to expire first. */
  function refused(
    subject: string,
    name: string,
    found: { uses: number; limit: number; now: number; windowMs: number; resetAt: number },
  ): LimitVerdict {
    const { uses, limit, now, windowMs, resetAt } = found;
    const leaves = (nth.get(subject, name, now - windowMs, uses - limit)?.at ?? now) + windowMs;
    return { allowed: false, limit, remaining: 0, resetAt, retryAfter: Math.ceil((leaves - now) / 1000) };
  }

  function peek(subject: string, name: string, limit: number, windowMs: number): LimitVerdict {
    const now = database.now();
    const since = now - windowMs;
    const { uses, oldest } = count.get(subject, name, since) ?? { uses: 0, oldest: null };
    const resetAt = (oldest ?? now) + windowMs;
    if (uses < limit) return { allowed: true, limit, remaining: limit - uses, resetAt, retryAfter: 0 };
    return refused(subject, name, { uses, limit, now, windowMs, resetAt });
  }

  return {
    peekLimit: peek,
    takeLimit: (subject: string, name: string, limit: number, windowMs: number): LimitVerdict =>
      database.transaction(() => take(subject, name, limit, windowMs), { durable: false }),
    refundLimit(subject: string, name: string): void {
      database.transaction(() => refund.run(subject, name), { durable: false });
    },
  };
}
