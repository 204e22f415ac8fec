import {
  type Activity,
  type DirectUsage,
  ERRORS_DAYS,
  type ErrorEntry,
  MOST_ERRORS,
  SAMPLES_DAYS,
  type StoredError,
  TIMED_USES,
  TOOL_USES_DAYS,
  type ToolUsage,
  type ToolUse,
  type UsageQuery,
  type UsageSlice,
} from "../../protocol/ledger.ts";
import { toActivity, toStoredError, toToolUsage, toUsageSlice } from "../rows.ts";
import { TOOL_USE_COLUMNS, toolUseValues, USAGE_COLUMNS, usageValues } from "../values.ts";
import { type Database, statement } from "./database.ts";
import { columnsOf } from "./lists.ts";
import { ACTIVE } from "./runs.ts";
import { STORED_BYTES } from "./statistics.ts";

const MILLISECONDS = "INTERVAL '1 millisecond'";
const OF_WHOM = `($1::text IS NULL OR user_id = $1) AND at > tackle_now() - $2::float8 * ${MILLISECONDS}`;
const WITHOUT_DISK = "set_config('synchronous_commit', 'off', true)";

const NOTE_SPENDING = statement(
  `UPDATE runs SET spent_usd = $2 WHERE id = $1 AND ${ACTIVE} RETURNING ${WITHOUT_DISK}`,
);
const INSERT_USAGE = statement(
  `INSERT INTO usage (run_id, user_id, key_id, tool, ${USAGE_COLUMNS}, at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, tackle_now()) ON CONFLICT (run_id) DO NOTHING`,
);
const spentBy = (column: "user_id" | "key_id") =>
  statement(
    `SELECT (
       (SELECT coalesce(sum(cost_usd), 0) FROM usage WHERE ${column} = $1
          AND ($2::float8 IS NULL OR at > tackle_now() - $2 * ${MILLISECONDS})) +
       (SELECT coalesce(sum(spent_usd), 0) FROM runs WHERE ${column} = $1 AND ${ACTIVE})
     )::float8 AS usd`,
  );
const SPENT_BY_USERS = statement(
  `SELECT u.id AS "userId", (
     (SELECT coalesce(sum(cost_usd), 0) FROM usage WHERE user_id = u.id AND at > tackle_now() - $2::float8 * ${MILLISECONDS}) +
     (SELECT coalesce(sum(spent_usd), 0) FROM runs WHERE user_id = u.id AND ${ACTIVE})
   )::float8 AS usd FROM unnest($1::text[]) AS u (id)`,
);
const SPENT_BY_USER = spentBy("user_id");
const SPENT_BY_KEY = spentBy("key_id");
// A run's total includes what its tools' models used: that is moved from the run's model to theirs.
const SLICES = statement(
  `WITH mine AS MATERIALIZED (SELECT * FROM usage WHERE ${OF_WHOM}),
     asked AS MATERIALIZED (
       SELECT mine.at AS used_at, mine.model AS run_model, t.* FROM tool_uses AS t JOIN mine ON mine.run_id = t.run_id
       WHERE t.model IS NOT NULL OR t.cost_usd > 0
     ),
     entries AS (
       SELECT at, model, (run_id NOT LIKE '%:title')::int AS runs, input_tokens, output_tokens, coalesce(cost_usd, 0) AS usd FROM mine
       UNION ALL SELECT used_at, run_model, 0, -input_tokens, -output_tokens, -(model_cost_usd + cost_usd) FROM asked
       UNION ALL SELECT used_at, model, 0, input_tokens, output_tokens, model_cost_usd FROM asked WHERE model IS NOT NULL
       UNION ALL SELECT used_at, '', 0, 0, 0, cost_usd FROM asked WHERE cost_usd > 0
     )
   SELECT floor(extract(epoch FROM at) / 900)::float8 * 900000 AS at, model, sum(runs)::float8 AS "runs",
     sum(input_tokens)::float8 AS "inputTokens", sum(output_tokens)::float8 AS "outputTokens",
     sum(usd)::float8 AS "costUsd"
   FROM entries GROUP BY 1, 2 ORDER BY 1, 2`,
);
const NOW = statement("SELECT (extract(epoch FROM tackle_now()) * 1000)::float8 AS now");
const INSERT_USES = statement(
  `WITH forgotten AS (
     DELETE FROM tool_uses WHERE id IN (
       SELECT id FROM tool_uses WHERE at <= tackle_now() - INTERVAL '${TOOL_USES_DAYS} days'
       ORDER BY at LIMIT 1000 FOR UPDATE SKIP LOCKED
     )
   )
   INSERT INTO tool_uses (${TOOL_USE_COLUMNS}, at)
   SELECT u.*, tackle_now() FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::bool[],
     $7::float8[], $8::text[], $9::bigint[], $10::bigint[], $11::float8[]) AS u
   RETURNING ${WITHOUT_DISK}`,
);
const TOOLS = statement(
  `SELECT tool, count(*)::float8 AS calls, count(*) FILTER (WHERE outcome <> 'success')::float8 AS failures,
     count(*) FILTER (WHERE cached)::float8 AS cached, sum(input_tokens)::float8 AS "inputTokens",
     sum(output_tokens)::float8 AS "outputTokens", sum(cost_usd + model_cost_usd)::float8 AS "costUsd"
   FROM tool_uses WHERE ${OF_WHOM} GROUP BY tool ORDER BY calls DESC, tool`,
);
const TIMES = statement(
  `SELECT tool, percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS p50,
     percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) AS p95
   FROM (
     SELECT tool, duration_ms FROM tool_uses WHERE ${OF_WHOM} AND NOT cached ORDER BY at DESC LIMIT ${TIMED_USES}
   ) AS latest GROUP BY tool`,
);
const ACTIVITY = statement(
  `WITH spans AS (
     SELECT place, to_timestamp(start / 1000) AS since,
       coalesce(to_timestamp(lead(start) OVER (ORDER BY place) / 1000), 'infinity') AS until
     FROM unnest($1::float8[]) WITH ORDINALITY AS given (start, place)
   )
   SELECT (SELECT count(DISTINCT user_id) FROM usage WHERE at >= since AND at < until)::float8 AS people,
     (SELECT count(*) FROM tool_uses WHERE at >= since AND at < until)::float8 AS calls,
     (SELECT count(*) FROM tool_uses WHERE at >= since AND at < until AND outcome <> 'success')::float8 AS failures,
     (SELECT coalesce(max(running), 0) FROM samples WHERE at >= since AND at < until)::float8 AS running,
     coalesce((SELECT bytes FROM samples WHERE at < until ORDER BY at DESC LIMIT 1), 0)::float8 AS bytes
   FROM spans ORDER BY place`,
);
const ACTIVE_RUNS = `(SELECT count(*) FROM runs WHERE ${ACTIVE})`;
const HOUR = "to_timestamp(floor(extract(epoch FROM tackle_now()) / 3600) * 3600)";
const RAISE_SAMPLE = statement(
  `UPDATE samples SET running = greatest(running, ${ACTIVE_RUNS}) WHERE at = ${HOUR} RETURNING ${WITHOUT_DISK}`,
);
const INSERT_SAMPLE = statement(
  `WITH forgotten AS (DELETE FROM samples WHERE at <= tackle_now() - INTERVAL '${SAMPLES_DAYS} days')
   INSERT INTO samples (at, running, bytes)
   SELECT ${HOUR}, ${ACTIVE_RUNS}, ${STORED_BYTES} + (SELECT coalesce(sum(size), 0) FROM files)
   ON CONFLICT (at) DO NOTHING`,
);
const INSERT_ERRORS = statement(
  `WITH forgotten AS (
     DELETE FROM errors WHERE id IN (
       SELECT id FROM errors
       WHERE at <= tackle_now() - INTERVAL '${ERRORS_DAYS} days' OR id <= (SELECT max(id) FROM errors) - ${MOST_ERRORS}
       LIMIT 1000 FOR UPDATE SKIP LOCKED
     )
   )
   INSERT INTO errors (code, source, request_id, at)
   SELECT e.*, tackle_now() FROM unnest($1::text[], $2::text[], $3::text[]) AS e RETURNING ${WITHOUT_DISK}`,
);
const ERRORS = statement("SELECT code, source, request_id, at FROM errors ORDER BY id DESC LIMIT $1");

/** Usage, spending and errors. */
export function ledgerOf(database: Database) {
  async function spent(sql: typeof SPENT_BY_KEY, id: string, windowMs: number | null): Promise<number> {
    return (await database.queryAgain<{ usd: number }>(sql, [id, windowMs]))[0]?.usd ?? 0;
  }

  return {
    async recordSpending(runId: string, usd: number): Promise<void> {
      await database.queryAgain(NOTE_SPENDING, [runId, usd]);
    },
    async recordUsage({ id, userId, keyId, tool, model, usage }: DirectUsage): Promise<void> {
      await database.queryAgain(INSERT_USAGE, [
        id,
        userId,
        keyId ?? null,
        tool,
        ...usageValues(model, usage),
      ]);
    },
    spentWithin: (userId: string, windowMs: number) => spent(SPENT_BY_USER, userId, windowMs),
    async spentByEach(userIds: readonly string[], windowMs: number): Promise<Map<string, number>> {
      const rows = await database.queryAgain<{ userId: string; usd: number }>(SPENT_BY_USERS, [
        userIds,
        windowMs,
      ]);
      return new Map(rows.map(({ userId, usd }) => [userId, usd]));
    },
    spentByKey: (keyId: string, windowMs?: number) => spent(SPENT_BY_KEY, keyId, windowMs ?? null),
    async readUsage({ userId, windowMs }: UsageQuery): Promise<{ now: number; slices: UsageSlice[] }> {
      const slices = await database.queryAgain<unknown>(SLICES, [userId ?? null, windowMs]);
      const [clock] = await database.queryAgain<{ now: number }>(NOW);
      if (!clock) throw new Error("reading the time returned nothing");
      return { now: clock.now, slices: slices.map(toUsageSlice) };
    },

    async recordToolUses(uses: readonly ToolUse[]): Promise<void> {
      await database.query(INSERT_USES, columnsOf(uses.map(toolUseValues), 11));
    },
    async readToolUses({ userId, windowMs }: UsageQuery): Promise<ToolUsage[]> {
      const values = [userId ?? null, windowMs];
      const counts = await database.queryAgain<unknown>(TOOLS, values);
      return toToolUsage(counts, await database.queryAgain<unknown>(TIMES, values));
    },
    async recordSample(): Promise<void> {
      const raised = await database.queryAgain<unknown>(RAISE_SAMPLE);
      if (raised.length === 0) await database.queryAgain(INSERT_SAMPLE);
    },
    async countActivity(starts: readonly number[]): Promise<Activity[]> {
      return (await database.queryAgain<unknown>(ACTIVITY, [starts])).map(toActivity);
    },

    async recordErrors(errors: readonly ErrorEntry[]): Promise<void> {
      const rows = errors.map(({ code, source, requestId = null }) => [code, source, requestId]);
      await database.query(INSERT_ERRORS, columnsOf(rows, 3));
    },
    async listErrors(limit: number): Promise<StoredError[]> {
      return (await database.queryAgain<unknown>(ERRORS, [limit])).map(toStoredError);
    },
  };
}
