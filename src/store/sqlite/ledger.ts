import {
  type DirectUsage,
  ERRORS_DAYS,
  type ErrorEntry,
  MOST_ERRORS,
  type StoredError,
  TIMED_USES,
  TOOL_USES_DAYS,
  type ToolUsage,
  type ToolUse,
  type UsageQuery,
  type UsageSlice,
} from "../../protocol/ledger.ts";
import { toStoredError, toToolUsage, toUsageSlice } from "../rows.ts";
import { TOOL_USE_COLUMNS, toolUseValues, USAGE_COLUMNS, usageValues } from "../values.ts";
import { activityOf } from "./activity.ts";
import { type Database, toNumbers } from "./database.ts";

const DAY_MS = 24 * 3_600_000;
const QUARTER_MS = 900_000;
const OF_WHOM = "(?1 IS NULL OR user_id = ?1)";

/** Usage, spending and errors. */
export function ledgerOf(database: Database) {
  const recordSpending = database.prepare("UPDATE runs SET spent_usd = ? WHERE id = ?");
  const insertUsage = database.prepare(
    `INSERT OR IGNORE INTO usage (run_id, user_id, at, key_id, tool, ${USAGE_COLUMNS})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const spentBy = (column: "user_id" | "key_id") =>
    database.prepare<{ usd: number }>(
      `SELECT (SELECT coalesce(sum(cost_usd), 0) FROM usage WHERE ${column} = ?1 AND at > ?2) +
         (SELECT coalesce(sum(spent_usd), 0) FROM runs WHERE ${column} = ?1 AND status IN ('running', 'waiting')) AS usd`,
    );
  const spentByUsers = database.prepare<{ userId: string; usd: number }>(
    `SELECT value AS userId, (SELECT coalesce(sum(cost_usd), 0) FROM usage WHERE user_id = value AND at > ?2) +
       (SELECT coalesce(sum(spent_usd), 0) FROM runs WHERE user_id = value AND status IN ('running', 'waiting')) AS usd
     FROM json_each(?1)`,
  );
  const spentByUser = spentBy("user_id");
  const spentByKey = spentBy("key_id");
  // A run's total includes what its tools' models used: that is moved from the run's model to theirs.
  const slices = database.prepare<unknown>(
    `WITH mine AS (SELECT * FROM usage WHERE ${OF_WHOM} AND at > ?2),
       asked AS (
         SELECT mine.at, mine.model AS run_model, t.* FROM tool_uses AS t JOIN mine ON mine.run_id = t.run_id
         WHERE t.model IS NOT NULL OR t.cost_usd > 0
       ),
       entries AS (
         SELECT at, model, run_id NOT LIKE '%:title' AS runs, input_tokens, output_tokens, coalesce(cost_usd, 0) AS usd FROM mine
         UNION ALL SELECT at, run_model, 0, -input_tokens, -output_tokens, -(model_cost_usd + cost_usd) FROM asked
         UNION ALL SELECT at, model, 0, input_tokens, output_tokens, model_cost_usd FROM asked WHERE model IS NOT NULL
         UNION ALL SELECT at, '', 0, 0, 0, cost_usd FROM asked WHERE cost_usd > 0
       )
     SELECT at / ${QUARTER_MS} * ${QUARTER_MS} AS at, model, sum(runs) AS runs, sum(input_tokens) AS inputTokens,
       sum(output_tokens) AS outputTokens, sum(usd) AS costUsd
     FROM entries GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const insertUse = database.prepare(
    `INSERT INTO tool_uses (${TOOL_USE_COLUMNS}, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const forgetUses = database.prepare(
    "DELETE FROM tool_uses WHERE id IN (SELECT id FROM tool_uses WHERE at <= ? ORDER BY at LIMIT 1000)",
  );
  const tools = database.prepare<unknown>(
    `SELECT tool, count(*) AS calls, sum(outcome <> 'success') AS failures, sum(cached) AS cached,
       sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens, sum(cost_usd + model_cost_usd) AS costUsd
     FROM tool_uses WHERE ${OF_WHOM} AND at > ?2 GROUP BY tool ORDER BY calls DESC, tool`,
  );
  const times = database.prepare<unknown>(
    `WITH latest AS (
       SELECT tool, duration_ms FROM tool_uses WHERE ${OF_WHOM} AND at > ?2 AND cached = 0
       ORDER BY at DESC LIMIT ${TIMED_USES}
     ), ranked AS (
       SELECT tool, duration_ms, row_number() OVER (PARTITION BY tool ORDER BY duration_ms) AS place,
         count(*) OVER (PARTITION BY tool) AS total FROM latest
     )
     SELECT tool, min(duration_ms) FILTER (WHERE place >= total * 0.5) AS p50,
       min(duration_ms) FILTER (WHERE place >= total * 0.95) AS p95 FROM ranked GROUP BY tool`,
  );
  const insertError = database.prepare(
    "INSERT INTO errors (code, source, request_id, at) VALUES (?, ?, ?, ?)",
  );
  const forgetErrors = database.prepare(
    `DELETE FROM errors WHERE at <= ? OR id <= (SELECT max(id) FROM errors) - ${MOST_ERRORS}`,
  );
  const latestErrors = database.prepare<unknown>(
    "SELECT code, source, request_id, at FROM errors ORDER BY id DESC LIMIT ?",
  );

  const since = (windowMs: number) => database.now() - windowMs;

  return {
    recordSpending(runId: string, usd: number): void {
      database.transaction(() => recordSpending.run(usd, runId), { durable: false });
    },
    recordUsage({ id, userId, keyId, tool, model, usage }: DirectUsage): void {
      const entry = [id, userId, database.now(), keyId ?? null, tool] as const;
      database.transaction(() => insertUsage.run(...entry, ...usageValues(model, usage)));
    },
    spentWithin: (userId: string, windowMs: number): number =>
      spentByUser.get(userId, since(windowMs))?.usd ?? 0,
    spentByEach: (userIds: readonly string[], windowMs: number): Map<string, number> =>
      new Map(
        spentByUsers
          .all(JSON.stringify(userIds), since(windowMs))
          .map(({ userId, usd }) => [userId, usd] as const),
      ),
    spentByKey: (keyId: string, windowMs?: number): number =>
      spentByKey.get(keyId, windowMs === undefined ? 0 : since(windowMs))?.usd ?? 0,
    readUsage({ userId, windowMs }: UsageQuery): { now: number; slices: UsageSlice[] } {
      const found = slices.all(userId ?? null, since(windowMs));
      return { now: database.now(), slices: found.map(toUsageSlice) };
    },

    recordToolUses(uses: readonly ToolUse[]): void {
      const now = database.now();
      database.transaction(
        () => {
          forgetUses.run(now - TOOL_USES_DAYS * DAY_MS);
          for (const use of uses) insertUse.run(...toNumbers(toolUseValues(use)), now);
        },
        { durable: false },
      );
    },
    readToolUses({ userId, windowMs }: UsageQuery): ToolUsage[] {
      const values = [userId ?? null, since(windowMs)] as const;
      return toToolUsage(tools.all(...values), times.all(...values));
    },
    ...activityOf(database),
    recordErrors(errors: readonly ErrorEntry[]): void {
      const now = database.now();
      database.transaction(
        () => {
          for (const { code, source, requestId } of errors)
            insertError.run(code, source, requestId ?? null, now);
          forgetErrors.run(now - ERRORS_DAYS * DAY_MS);
        },
        { durable: false },
      );
    },
    listErrors: (limit: number): StoredError[] => latestErrors.all(limit).map(toStoredError),
  };
}
