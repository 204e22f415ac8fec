import type { Watchers } from "../watchers.ts";
import { type Database, statement } from "./database.ts";
import { encodeNotifications, type Notification } from "./news.ts";

/** How long events wait to be told of while nobody elsewhere is known to follow their run. */
const UNHURRIED_MS = 50;
/** How often an instance says what it follows, and for how long its word counts. */
const FOLLOW_AGAIN_MS = 2_000;
const FOLLOWED_MS = 6_000;
/** So many entries are kept before old ones are looked for. */
const MANY = 1_000;

const NOTIFY = statement("SELECT count(pg_notify($1, line)) FROM unnest($2::text[]) AS line");

/**
 * Tells other instances of new events, and hears of theirs.
 *
 * Not in the transaction that appends: one that notifies holds a lock of the whole server until the disk has it, so that
 * the commits of all instances would wait for each other. And not of each commit at once: every instance hears everything, so
 * only runs that somebody elsewhere has said to follow are told of without delay. A word that is lost costs 50 ms,
 * until the next one; a process that dies before it told is replaced, and whoever takes its runs tells of them.
 */
export class Announcer {
  readonly #database: Database;
  readonly #watchers: Watchers;
  /** Runs with events that others are to hear of: now, and when the time has come. */
  readonly #hurried = new Set<string>();
  readonly #unhurried = new Set<string>();
  /** Runs of others of which this instance is about to say that it follows them. */
  readonly #following = new Set<string>();
  /** Until when somebody elsewhere follows a run. */
  readonly #followed = new Map<string, number>();
  /** To which instance it was said last that a run is followed here, and when. */
  readonly #said = new Map<string, { origin: string; at: number }>();
  #timer: NodeJS.Timeout | undefined;
  #telling = false;
  #closed = false;

  constructor(database: Database, watchers: Watchers) {
    this.#database = database;
    this.#watchers = watchers;
  }

  /** Events of these runs were committed here. */
  appended(runIds: readonly string[]): void {
    const now = performance.now();
    for (const runId of runIds) {
      const hurried = this.#followed.size > 0 && (this.#followed.get(runId) ?? 0) > now;
      (hurried ? this.#hurried : this.#unhurried).add(runId);
    }
    if (this.#hurried.size > 0) void this.#tell();
    if (this.#unhurried.size > 0) this.#arm();
  }

  /** Another instance, or this one, said something. */
  hear({ origin, news, runIds }: Notification): void {
    // What this store wrote, it has already told its own watchers.
    if (origin === this.#database.origin) return;
    const now = performance.now();
    if (news === "follow") {
      if (this.#followed.size > MANY)
        for (const [runId, until] of this.#followed) if (until <= now) this.#followed.delete(runId);
      for (const runId of runIds) this.#followed.set(runId, now + FOLLOWED_MS);
      return;
    }
    for (const runId of runIds)
      if (this.#watchers.wake(runId, news) && news === "events") this.#follow(runId, origin, now);
    if (this.#following.size > 0) void this.#tell();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #follow(runId: string, origin: string, now: number): void {
    const said = this.#said.get(runId);
    if (said?.origin === origin && now - said.at < FOLLOW_AGAIN_MS) return;
    if (this.#said.size > MANY)
      for (const [known, { at }] of this.#said) if (now - at > FOLLOWED_MS) this.#said.delete(known);
    this.#said.set(runId, { origin, at: now });
    this.#following.add(runId);
  }

  #arm(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const runId of this.#unhurried) this.#hurried.add(runId);
      this.#unhurried.clear();
      void this.#tell();
    }, UNHURRIED_MS).unref();
  }

  /** One after the other, each with all that came meanwhile. Never rejects. */
  async #tell(): Promise<void> {
    if (this.#telling) return;
    this.#telling = true;
    while (!this.#closed && this.#hurried.size + this.#following.size > 0) {
      const { origin, schema } = this.#database;
      const told = [...this.#hurried];
      const lines = [
        ...encodeNotifications(origin, "events", told),
        ...encodeNotifications(origin, "follow", [...this.#following]),
      ];
      this.#hurried.clear();
      this.#following.clear();
      try {
        await this.#database.queryAgain(NOTIFY, [schema, lines]);
      } catch {
        // The database is away, which whoever needs it says itself; once it is back, this is still to be told.
        for (const runId of told) this.#unhurried.add(runId);
        this.#arm();
        break;
      }
    }
    this.#telling = false;
  }
}
