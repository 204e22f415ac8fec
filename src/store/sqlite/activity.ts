import { type Activity, SAMPLES_DAYS } from "../../protocol/ledger.ts";
import { toActivity } from "../rows.ts";
import type { Database } from "./database.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What happened in periods of time, and hourly samples of what runs and is stored. */
export function activityOf(database: Database) {
  const activity = database.prepare<unknown>(
    `WITH spans AS (
       SELECT key, value AS since, coalesce(lead(value) OVER (ORDER BY key), ?2) AS until FROM json_each(?1)
     )
     SELECT (SELECT count(DISTINCT user_id) FROM usage WHERE at >= since AND at < until) AS people,
       (SELECT count(*) FROM tool_uses WHERE at >= since AND at < until) AS calls,
       (SELECT count(*) FROM tool_uses WHERE at >= since AND at < until AND outcome <> 'success') AS failures,
       (SELECT coalesce(max(running), 0) FROM samples WHERE at >= since AND at < until) AS running,
       coalesce((SELECT bytes FROM samples WHERE at < until ORDER BY at DESC LIMIT 1), 0) AS bytes
     FROM spans ORDER BY key`,
  );
  const active = "(SELECT count(*) FROM runs WHERE status IN ('running', 'waiting'))";
  const raiseSample = database.prepare(`UPDATE samples SET running = max(running, ${active}) WHERE at = ?`);
  const insertSample = database.prepare(
    `INSERT INTO samples (at, running, bytes) SELECT ?, ${active}, (SELECT coalesce(sum(size), 0) FROM files) +
       (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)`,
  );
  const forgetSamples = database.prepare("DELETE FROM samples WHERE at <= ?");

  return {
    recordSample(): void {
      const now = database.now();
      const hour = now - (now % HOUR_MS);
      database.transaction(
        () => {
          if (raiseSample.run(hour) > 0) return;
          insertSample.run(hour);
          forgetSamples.run(now - SAMPLES_DAYS * DAY_MS);
        },
        { durable: false },
      );
    },
    countActivity: (starts: readonly number[]): Activity[] =>
      activity.all(JSON.stringify(starts), Number.MAX_SAFE_INTEGER).map(toActivity),
  };
}
