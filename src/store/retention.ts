import { setTimeout as pause } from "node:timers/promises";
import { draftSetting } from "../protocol/drafts.ts";
import type { Store } from "../protocol/store.ts";
import { type ErasingStore, repeatErasure } from "./repeat-erasure.ts";

/** How many days something is kept; 0 keeps it forever. */
export interface RetentionDays {
  events: number;
  sessions: number;
  files: number;
  audit: number;
}

export interface RetentionParts {
  store: Pick<
    Store,
    | "clearEvents"
    | "foldEvents"
    | "tidyJournals"
    | "clearSessions"
    | "clearFiles"
    | "clearShares"
    | "tellAccount"
    | "unfinishedErasures"
    | "now"
    | "putSetting"
  > &
    ErasingStore;
  days: RetentionDays;
  /** Removes the bytes of deleted files. */
  tidy(): Promise<void>;
  /** Removes the entries of the audit log from before this time. */
  trimAudit(since: number): Promise<unknown>;
  onErased(session: { id: string; userId: string }): void;
  onProblem(thrown: unknown): void;
}

export const DAY_MS = 24 * 60 * 60_000;
const EVERY_MS = 10 * 60_000;
/** With the time between two passes, temporary sessions are gone an hour after their last use at the latest. */
const TEMPORARY_MS = 50 * 60_000;
/** What goes in one transaction, transactions in one pass, and the pause between two of them. */
const BATCH = 50;
const MAX_BATCHES = 200;
const PAUSE_MS = 100;

/**
 * Deletes what is older than the settings allow, now and every few minutes, and completes deletions that a crash cut short.
 * Processes that do this at the same time take different sessions. Returns a function that stops it.
 */
export function startRetention({ store, days, ...parts }: RetentionParts): () => void {
  let stopped = false;

  /** Repeats until there is nothing left. */
  async function inBatches(daysKept: number, clear: (olderThanMs: number) => Promise<number>): Promise<void> {
    for (let batch = 0; daysKept > 0 && batch < MAX_BATCHES && !stopped; batch++) {
      if ((await clear(daysKept * DAY_MS)) < BATCH) return;
      await pause(PAUSE_MS, undefined, { ref: false });
    }
  }

  async function clearSessions(olderThanMs: number, options?: { temporary: true }): Promise<number> {
    const erased = await store.clearSessions(olderThanMs, BATCH, options);
    for (const session of erased) {
      parts.onErased(session);
      await store.putSetting(session.userId, draftSetting(session.id), undefined);
      await store.tellAccount(session.userId, { type: "session_deleted", sessionId: session.id });
    }
    return erased.length;
  }

  async function sweep(): Promise<void> {
    try {
      for (const erasure of await store.unfinishedErasures())
        if (erasure.kind !== "account") await repeatErasure(store, erasure);
      await inBatches(TEMPORARY_MS / DAY_MS, (olderThanMs) =>
        clearSessions(olderThanMs, { temporary: true }),
      );
      await inBatches(1, () => store.foldEvents(BATCH));
      await store.tidyJournals();
      await inBatches(days.events, (olderThanMs) => store.clearEvents(olderThanMs, BATCH));
      await inBatches(days.sessions, (olderThanMs) => clearSessions(olderThanMs));
      await inBatches(days.files, (olderThanMs) => store.clearFiles(olderThanMs, BATCH));
      await inBatches(1, () => store.clearShares(BATCH));
      if (days.audit > 0 && !stopped) await parts.trimAudit((await store.now()) - days.audit * DAY_MS);
      if (!stopped) await parts.tidy();
    } catch (thrown) {
      if (!stopped) parts.onProblem(thrown);
    }
  }
  void sweep();
  const timer = setInterval(() => void sweep(), EVERY_MS);
  timer.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
