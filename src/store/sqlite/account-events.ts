import type { AccountEvent } from "../../protocol/account-events.ts";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import type { AccountPage } from "../../protocol/store.ts";
import { MAX_ACCOUNT_EVENTS, sessionToldOf } from "../values.ts";
import type { Database } from "./database.ts";

/** How many events of an account are deleted together, so that not every new one touches the oldest page too. */
const DELETE_TOGETHER = 50;

/** The newest events of each account. */
export function accountEventsOf(database: Database) {
  // Nothing is told of a session that was deleted.
  const session = database.prepare("SELECT 1 FROM sessions WHERE id = ?");
  const count = database.prepare<{ seq: number }>(
    `INSERT INTO account_feeds (user_id, seq) VALUES (?1, ?2)
     ON CONFLICT (user_id) DO UPDATE SET seq = seq + ?2 RETURNING seq`,
  );
  const insert = database.prepare("INSERT INTO account_events (user_id, seq, json) VALUES (?, ?, ?)");
  const trim = database.prepare("DELETE FROM account_events WHERE user_id = ? AND seq <= ?");
  const newest = database.prepare<{ seq: number }>("SELECT seq FROM account_feeds WHERE user_id = ?");
  const select = database.prepare<EncodedEvent>(
    "SELECT seq, json FROM account_events WHERE user_id = ? AND seq > ? ORDER BY seq",
  );
  /** What is told next, by account. */
  let next: Map<string, AccountEvent[]> | undefined;
  let writing: Promise<void> = Promise.resolve();

  function write(userId: string, events: readonly AccountEvent[]): void {
    const told = events.filter((event) => {
      const sessionId = sessionToldOf(event);
      return sessionId === undefined || session.get(sessionId) !== undefined;
    });
    const last = told.length === 0 ? undefined : count.get(userId, told.length)?.seq;
    if (last === undefined) return;
    for (const [at, event] of told.entries())
      insert.run(userId, last - told.length + 1 + at, JSON.stringify(event));
    const isDue = last % DELETE_TOGETHER < told.length;
    if (last > MAX_ACCOUNT_EVENTS && isDue) trim.run(userId, last - MAX_ACCOUNT_EVENTS);
  }

  /** Collects what is told until it is written. */
  function collect(): Map<string, AccountEvent[]> {
    const all = new Map<string, AccountEvent[]>();
    const work = () => {
      if (next === all) next = undefined;
      for (const [userId, events] of all) write(userId, events);
    };
    writing = database.together(work, { durable: false, when: "soon" });
    return all;
  }

  return {
    /** A power cut may take the newest ones. Clients then load everything again. */
    tellAccount(userId: string, ...events: AccountEvent[]): Promise<void> {
      next ??= collect();
      const told = next.get(userId);
      if (told) told.push(...events);
      else next.set(userId, events);
      return writing;
    },
    readAccount(userId: string, after?: number): AccountPage {
      const last = newest.get(userId)?.seq ?? 0;
      const from = Math.max(after ?? last, last - MAX_ACCOUNT_EVENTS);
      return { newest: last, events: select.all(userId, from).map(({ seq, json }) => ({ seq, json })) };
    },
  };
}
