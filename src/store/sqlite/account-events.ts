import type { AccountEvent } from "../../protocol/account-events.ts";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import type { AccountPage } from "../../protocol/store.ts";
import { sessionToldOf } from "../erasing.ts";
import { MAX_ACCOUNT_EVENTS } from "../values.ts";
import type { Database } from "./database.ts";

/** How long an event waits to be written together with what runs write: a transaction of its own costs as much as a run's. */
const WAIT_MS = 20;

interface Waiting {
  userId: string;
  event: AccountEvent;
  written: PromiseWithResolvers<void>;
}

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
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  function write({ userId, event }: Waiting): void {
    const about = sessionToldOf(event);
    if (about !== undefined && !session.get(about)) return;
    const { seq } = count.get(userId) ?? { seq: 1 };
    insert.run(userId, seq, JSON.stringify(event));
    if (seq > MAX_ACCOUNT_EVENTS) trim.run(userId, seq - MAX_ACCOUNT_EVENTS);
  }

  /** Calls `transact`, which has to write the events that wait in a transaction with the function that it is given. */
  function writeWith<Result>(transact: (writeEvents: () => void) => Result): Result {
    const taken = waiting;
    waiting = [];
    try {
      const result = transact(() => taken.forEach(write));
      for (const { written } of taken) written.resolve();
      return result;
    } catch (error) {
      waiting = [...taken, ...waiting];
      throw error;
    }
  }

  function writeAlone(): void {
    timer = undefined;
    if (waiting.length === 0) return;
    try {
      // A power cut may take the newest ones. Clients then load everything again.
      writeWith((writeEvents) => database.transaction(writeEvents, { durable: false }));
    } catch (error) {
      for (const { written } of waiting) written.reject(error);
      waiting = [];
    }
  }

  return {
    writeWith,
    close() {
      clearTimeout(timer);
      writeAlone();
    },
    methods: {
      tellAccount(userId: string, ...events: AccountEvent[]): Promise<void> {
        const written = Promise.withResolvers<void>();
        for (const event of events) waiting.push({ userId, event, written });
        timer ??= setTimeout(writeAlone, WAIT_MS);
        return written.promise;
      },
      readAccount: (userId: string, after?: number): AccountPage => ({
        newest: newest.get(userId)?.seq ?? 0,
        events: after === undefined ? [] : select.all(userId, after).map(({ seq, json }) => ({ seq, json })),
      }),
    },
  };
}

export type AccountEvents = ReturnType<typeof accountEventsOf>;
