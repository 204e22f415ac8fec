import { RELEASED_RUNS } from "../../protocol/store.ts";
import { accountKey, type Watchers } from "../watchers.ts";
import { type Database, statement } from "./database.ts";
import { channelOf, encodeNotifications, type Notification } from "./notifications.ts";

/** How long what everybody hears waits to be sent together. */
const BATCH_MS = 50;
/** How often an instance repeats which runs it follows, and how long the others believe it. */
const REPEAT_MS = 5_000;
const FOLLOW_MS = 15_000;
/** Expired entries are removed once there are this many. */
const MANY = 10_000;

const NOTIFY = statement(
  "SELECT count(pg_notify(channel, line)) FROM unnest($1::text[], $2::text[]) AS n (channel, line)",
);

/**
 * Sends notifications about new events to other instances, and receives theirs.
 *
 * This happens outside of the transaction that appends: a transaction that notifies holds a server-wide lock until it is on
 * disk, so the commits of all instances would wait for each other. An instance with followers of a run that it does not write
 * tells all others so (`subscribe`), and repeats it. The instance that writes the run wakes only those instances, each on its own
 * channel, and wakes a new one at once, because it may have read just before. While an instance of the former version is
 * connected, all events are also announced to everybody.
 */
export class Notifier {
  readonly #database: Database;
  readonly #watchers: Watchers;
  /** Events to announce now, by channel, and to everybody with the next batch. */
  readonly #urgent = new Map<string, Set<string>>();
  readonly #batched = new Set<string>();
  /** Runs that this instance is about to say it follows: to all, and to an instance of the former version. */
  readonly #subscribing = new Set<string>();
  readonly #following = new Set<string>();
  /** Until when each other instance follows a run, by run and channel. */
  readonly #followers = new Map<string, Map<string, number>>();
  /** When events of a run were last written here. */
  readonly #written = new Map<string, number>();
  /** When this instance last answered another that told all of a run. */
  readonly #answered = new Map<string, { origin: string; at: number }>();
  #batchTimer: NodeJS.Timeout | undefined;
  #repeatTimer: NodeJS.Timeout | undefined;
  #sending = false;
  #closed = false;

  constructor(database: Database, watchers: Watchers) {
    this.#database = database;
    this.#watchers = watchers;
  }

  /** Call this after events of these runs were committed here. */
  appended(runIds: readonly string[]): void {
    const now = performance.now();
    if (this.#written.size > MANY) removeOld(this.#written, now - FOLLOW_MS);
    for (const runId of runIds) {
      this.#written.set(runId, now);
      this.#wakeFollowers(runId, now);
    }
    if (this.#database.formerIsThere) this.broadcast(runIds);
    if (this.#urgent.size > 0) void this.#send();
  }

  /** Tells everybody of something new, at once those that are known to follow it. */
  tellAll(key: string): void {
    this.#wakeFollowers(key, performance.now());
    this.broadcast([key]);
    if (this.#urgent.size > 0) void this.#send();
  }

  /** Tells everybody that there is something new, within 50 ms. */
  broadcast(keys: readonly string[]): void {
    for (const key of keys) this.#batched.add(key);
    if (this.#closed) return;
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = undefined;
      for (const key of this.#batched) this.#announce(this.#database.schema, key);
      this.#batched.clear();
      void this.#send();
    }, BATCH_MS).unref();
  }

  /** Call this when somebody here starts to wait for events. */
  watched(key: string): void {
    if (!isRun(key) || this.#closed) return;
    this.#subscribing.add(key);
    this.#repeatTimer ??= setInterval(() => this.#repeat(), REPEAT_MS).unref();
    void this.#send();
  }

  /** Handles a notification from any instance, this one included, on the channel of all or on our own. */
  onNotification({ origin, signal, runIds }: Notification, channel: string): void {
    // This store has already woken its own watchers.
    if (origin === this.#database.origin) return;
    if (signal === "subscribe") this.#follow(runIds, channelOf(origin));
    else if (signal === "follow") this.#follow(runIds, this.#database.schema);
    else
      for (const runId of runIds)
        if (this.#watchers.wake(runId, signal) && signal === "events" && channel === this.#database.schema)
          this.#answer(runId, origin);
    if (this.#urgent.size + this.#subscribing.size > 0) void this.#send();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#batchTimer);
    clearInterval(this.#repeatTimer);
  }

  #wakeFollowers(key: string, now: number): void {
    for (const [channel, until] of this.#followers.get(key) ?? []) {
      if (until > now) this.#announce(channel, key);
      else this.#followers.get(key)?.delete(channel);
    }
  }

  #announce(channel: string, key: string): void {
    const keys = this.#urgent.get(channel) ?? new Set();
    this.#urgent.set(channel, keys.add(key));
  }

  /** Notes a follower elsewhere. It is woken at once if it is new and there may be something that it has not read. */
  #follow(runIds: readonly string[], channel: string): void {
    const now = performance.now();
    if (this.#followers.size > MANY)
      for (const [runId, channels] of this.#followers) {
        removeOld(channels, now);
        if (channels.size === 0) this.#followers.delete(runId);
      }
    for (const runId of runIds) {
      const channels = this.#followers.get(runId) ?? new Map<string, number>();
      const isNew = (channels.get(channel) ?? 0) <= now;
      if (isNew && this.#written.has(runId)) this.#announce(channel, runId);
      this.#followers.set(runId, channels.set(channel, now + FOLLOW_MS));
    }
  }

  /** An instance that wakes all others does not know that the run is followed here: it has just claimed the run, or runs the previous version. */
  #answer(runId: string, origin: string): void {
    const now = performance.now();
    const sent = this.#answered.get(runId);
    if (sent?.origin === origin && now - sent.at < REPEAT_MS / 2) return;
    if (this.#answered.size > MANY) this.#answered.clear();
    this.#answered.set(runId, { origin, at: now });
    this.#subscribing.add(runId);
    if (this.#database.formerIsThere) this.#following.add(runId);
  }

  #repeat(): void {
    const runs = this.#watchers.watched().filter(isRun);
    for (const runId of runs) this.#subscribing.add(runId);
    if (runs.length > 0) return void this.#send();
    clearInterval(this.#repeatTimer);
    this.#repeatTimer = undefined;
  }

  /** Sends one batch at a time, each with everything that came meanwhile. Never rejects. */
  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    // What comes in the same turn of the event loop goes along.
    await Promise.resolve();
    while (!this.#closed && this.#urgent.size + this.#subscribing.size + this.#following.size > 0) {
      const { origin, schema } = this.#database;
      const announced = [...this.#urgent];
      const lines = announced.flatMap(([channel, keys]) =>
        encodeNotifications({ origin, signal: "events", runIds: [...keys] }).map((line) => [channel, line]),
      );
      for (const [signal, runs] of [
        ["subscribe", this.#subscribing],
        ["follow", this.#following],
      ] as const) {
        for (const line of encodeNotifications({ origin, signal, runIds: [...runs] }))
          lines.push([schema, line]);
        runs.clear();
      }
      this.#urgent.clear();
      try {
        await this.#database.queryAgain(NOTIFY, [
          lines.map(([channel]) => channel),
          lines.map(([, line]) => line),
        ]);
      } catch {
        // The database cannot be reached, which its callers report themselves. Everybody is told with the next batch, and
        // what this instance follows is repeated anyway.
        this.broadcast(announced.flatMap(([, keys]) => [...keys]));
        break;
      }
    }
    this.#sending = false;
  }
}

/** Returns false for accounts, which everybody hears of, and for the watch for released runs. */
function isRun(key: string): boolean {
  return key !== RELEASED_RUNS && !key.startsWith(accountKey(""));
}

function removeOld(entries: Map<string, number>, before: number): void {
  for (const [key, at] of entries) if (at <= before) entries.delete(key);
}
