import type { Watchers } from "../watchers.ts";
import { type Database, statement } from "./database.ts";
import { encodeNotifications, type Notification } from "./notifications.ts";

/** How long a run's events wait for a notification while no other instance is known to follow the run. */
const BATCH_MS = 50;
/** How often an instance repeats which runs it follows, and how long the others believe it. */
const REPEAT_FOLLOW_MS = 2_000;
const FOLLOW_MS = 6_000;
/** Expired entries are removed once there are this many. */
const MANY = 1_000;

const NOTIFY = statement("SELECT count(pg_notify($1, line)) FROM unnest($2::text[]) AS line");

/**
 * Sends notifications about new events to other instances, and receives theirs.
 *
 * This happens outside of the transaction that appends: a transaction that notifies holds a server-wide lock until it is on
 * disk, so the commits of all instances would wait for each other. Every instance receives every notification, so only runs
 * that another instance follows are announced at once; the rest are batched. A lost notification costs 50 ms, until the next
 * one. If the process dies before it notifies, the instance that takes over its runs does.
 */
export class Notifier {
  readonly #database: Database;
  readonly #watchers: Watchers;
  /** Runs with events to announce now, and with the next batch. */
  readonly #urgent = new Set<string>();
  readonly #batched = new Set<string>();
  /** Runs that this instance is about to say it follows. */
  readonly #following = new Set<string>();
  /** Until when another instance follows a run. */
  readonly #followedUntil = new Map<string, number>();
  /** When this instance last said that it follows a run, and to which instance. */
  readonly #followSent = new Map<string, { origin: string; at: number }>();
  #timer: NodeJS.Timeout | undefined;
  #sending = false;
  #closed = false;

  constructor(database: Database, watchers: Watchers) {
    this.#database = database;
    this.#watchers = watchers;
  }

  /** Call this after events of these runs were committed here. */
  appended(runIds: readonly string[]): void {
    const now = performance.now();
    for (const runId of runIds) {
      const urgent = this.#followedUntil.size > 0 && (this.#followedUntil.get(runId) ?? 0) > now;
      (urgent ? this.#urgent : this.#batched).add(runId);
    }
    if (this.#urgent.size > 0) void this.#send();
    if (this.#batched.size > 0) this.#scheduleBatch();
  }

  /** Handles a notification from any instance, this one included. */
  onNotification({ origin, signal, runIds }: Notification): void {
    // This store has already woken its own watchers.
    if (origin === this.#database.origin) return;
    const now = performance.now();
    if (signal === "follow") {
      if (this.#followedUntil.size > MANY)
        for (const [runId, until] of this.#followedUntil) if (until <= now) this.#followedUntil.delete(runId);
      for (const runId of runIds) this.#followedUntil.set(runId, now + FOLLOW_MS);
      return;
    }
    for (const runId of runIds)
      if (this.#watchers.wake(runId, signal) && signal === "events") this.#follow(runId, origin, now);
    if (this.#following.size > 0) void this.#send();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #follow(runId: string, origin: string, now: number): void {
    const sent = this.#followSent.get(runId);
    if (sent?.origin === origin && now - sent.at < REPEAT_FOLLOW_MS) return;
    if (this.#followSent.size > MANY)
      for (const [known, { at }] of this.#followSent)
        if (now - at > FOLLOW_MS) this.#followSent.delete(known);
    this.#followSent.set(runId, { origin, at: now });
    this.#following.add(runId);
  }

  #scheduleBatch(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const runId of this.#batched) this.#urgent.add(runId);
      this.#batched.clear();
      void this.#send();
    }, BATCH_MS).unref();
  }

  /** Sends one batch at a time, each with everything that came meanwhile. Never rejects. */
  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    while (!this.#closed && this.#urgent.size + this.#following.size > 0) {
      const { origin, schema } = this.#database;
      const announced = [...this.#urgent];
      const lines = [
        ...encodeNotifications({ origin, signal: "events", runIds: announced }),
        ...encodeNotifications({ origin, signal: "follow", runIds: [...this.#following] }),
      ];
      this.#urgent.clear();
      this.#following.clear();
      try {
        await this.#database.queryAgain(NOTIFY, [schema, lines]);
      } catch {
        // The database cannot be reached, which its callers report themselves. Try again with the next batch.
        for (const runId of announced) this.#batched.add(runId);
        this.#scheduleBatch();
        break;
      }
    }
    this.#sending = false;
  }
}
