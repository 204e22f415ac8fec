import type { AccountEvent } from "../../protocol/account-events.ts";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import type { AccountPage } from "../../protocol/store.ts";
import { MAX_ACCOUNT_EVENTS, sessionToldOf } from "../values.ts";
import { accountKey } from "../watchers.ts";
import { type Database, statement } from "./database.ts";
import type { Notifier } from "./notifier.ts";

// The row of the account is locked until the commit, so events become visible in the order of their numbers.
const TELL = statement(
  `WITH about AS MATERIALIZED (
     SELECT FROM sessions WHERE id = $3 FOR KEY SHARE
   ), counted AS (
     INSERT INTO account_feeds AS f (user_id, seq)
     SELECT $1, 1 WHERE $3::text IS NULL OR EXISTS (SELECT FROM about)
     ON CONFLICT (user_id) DO UPDATE SET seq = f.seq + 1 RETURNING seq
   ), trimmed AS (
     DELETE FROM account_events WHERE user_id = $1 AND seq <= (SELECT seq - ${MAX_ACCOUNT_EVENTS} FROM counted)
   )
   INSERT INTO account_events (user_id, seq, json) SELECT $1, seq, $2 FROM counted`,
);
const NEWEST = statement("SELECT seq::int FROM account_feeds WHERE user_id = $1");
const READ = statement(
  "SELECT seq::int, json FROM account_events WHERE user_id = $1 AND seq > $2 ORDER BY seq",
);

/** The newest events of each account. */
export function accountEventsOf(database: Database, notifier: Notifier) {
  return {
    async tellAccount(userId: string, ...events: AccountEvent[]): Promise<void> {
      for (const event of events)
        await database.query(TELL, [userId, JSON.stringify(event), sessionToldOf(event) ?? null]);
      notifier.tellAll(accountKey(userId));
    },
    async readAccount(userId: string, after?: number): Promise<AccountPage> {
      const [found] = await database.queryAgain<{ seq: number }>(NEWEST, [userId]);
      const events =
        after === undefined ? [] : await database.queryAgain<EncodedEvent>(READ, [userId, after]);
      return { newest: Math.max(found?.seq ?? 0, events.at(-1)?.seq ?? 0), events };
    },
  };
}
