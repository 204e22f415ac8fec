import { type AccountEvent, sessionToldOf } from "../../protocol/account-events.ts";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import type { AccountPage } from "../../protocol/store.ts";
import { MAX_ACCOUNT_EVENTS } from "../values.ts";
import type { Database } from "./database.ts";

/** How many events of an account are deleted together, so that not every new one touches the oldest page too. */
const DELETE_TOGETHER = 50;

/** The newest events of each account. */
export function accountEventsOf(database: Database) {
  const count = database.prepare<{ seq: number }>(
    `INSERT INTO account_feeds (user_id, seq) VALUES (?, 1)
     ON CONFLICT (user_id) DO UPDATE SET seq = seq + 1 RETURNING seq`,
  );
  const insert = database.prepare("INSERT INTO account_events (user_id, seq, json) VALUES (?, ?, ?)");
  const trim = database.prepare("DELETE FROM account_events WHERE user_id = ? AND seq <= ?");
  const newest = database.prepare<{ seq: number }>("SELECT seq FROM account_feeds WHERE user_id = ?");
  const select = database.prepare<EncodedEvent>(
    "SELECT seq, json FROM account_events WHERE user_id = ? AND seq > ? ORDER BY seq",
  );
  const session = database.prepare("SELECT 1 FROM sessions WHERE id = ?");

  function write(userId: string, event: AccountEvent): void {
    const about = sessionToldOf(event);
    if (about !== undefined && !session.get(about)) return;
    const { seq } = count.get(userId) ?? { seq: 1 };
    insert.run(userId, seq, JSON.stringify(event));
    if (seq > MAX_ACCOUNT_EVENTS && seq % DELETE_TOGETHER === 0) trim.run(userId, seq - MAX_ACCOUNT_EVENTS);
  }

  return {
    /** A power cut may take the newest ones. Clients then load everything again. */
    tellAccount(userId: string, ...events: AccountEvent[]): Promise<void> {
      const writeAll = () => {
        for (const event of events) write(userId, event);
      };
      return database.together(writeAll, { durable: false, when: "soon" });
    },
    readAccount(userId: string, after?: number): AccountPage {
      const last = newest.get(userId)?.seq ?? 0;
      const from = Math.max(after ?? last, last - MAX_ACCOUNT_EVENTS);
      return { newest: last, events: select.all(userId, from).map(({ seq, json }) => ({ seq, json })) };
    },
  };
}
