import type { EventJournal } from "../protocol/event-journal.ts";
import type { Run } from "../protocol/run-records.ts";
import { RELEASED_RUNS, type Store } from "../protocol/store.ts";
import { CollectedEvents } from "./folding.ts";

/** What moving ended runs into the database needs. */
export interface KeeperParts {
  journal: EventJournal;
  getRun(id: string): Promise<Run | undefined>;
  /** Reads from both the database and the journal. */
  readEvents: Store["readEvents"];
  /** Writes all events of a run to the database. */
  keepEvents(runId: string, events: CollectedEvents): Promise<void>;
  /** How often runs are looked for whose owner died before it moved them. */
  sweepMs?: number | undefined;
}

export interface Keeper {
  /** Moves what the journal holds of an ended run to the database, soon. */
  ended(runId: string): void;
  /** Resolves when nothing is being moved any more. */
  close(): Promise<void>;
}

const PAGE = 1_000;
const SWEEP_MS = 5 * 60_000;
const MAX_SWEPT = 10_000;

/**
 * Keeps the journal small: the events of a run that has ended move to the database, with what a deleted run left behind
 * removed. Failures are repeated by the next sweep.
 */
export function createKeeper(parts: KeeperParts): Keeper {
  const { journal } = parts;
  const moving = new Set<Promise<void>>();
  let closed = false;
  const timer = setInterval(() => run(sweep()), parts.sweepMs ?? SWEEP_MS).unref();

  function run(work: Promise<void>): void {
    const settled = work.catch(() => undefined).then(() => void moving.delete(settled));
    moving.add(settled);
  }

  async function sweep(): Promise<void> {
    for (const runId of await journal.list(MAX_SWEPT)) {
      if (closed) return;
      await settleRun(parts, runId).catch(() => undefined);
    }
  }

  return {
    ended: (runId) => run(settleRun(parts, runId)),
    async close() {
      closed = true;
      clearInterval(timer);
      await Promise.all(moving);
    },
  };
}

/** Moves an ended run, removes what is left of a deleted one, and leaves an active one alone. */
async function settleRun(parts: KeeperParts, runId: string): Promise<void> {
  const run = await parts.getRun(runId);
  if (run?.status === "running" || run?.status === "waiting") return;
  if (run && !run.eventsCleared) await moveEvents(parts, runId);
  await parts.journal.remove([runId], run ? "moved" : "deleted");
}

/** The end of a run is in the database, and reading fails if there is a gap before it: so nothing can be missing. */
async function moveEvents({ readEvents, keepEvents }: KeeperParts, runId: string): Promise<void> {
  const events = new CollectedEvents();
  for (;;) {
    const page = await readEvents(runId, events.count, PAGE);
    for (const { json } of page) events.add(json);
    if (page.length < PAGE) return keepEvents(runId, events);
  }
}

/** Returns the store; its watchers in this process are also woken by what others append to the journal. */
export function followingJournal(store: Store, journal: EventJournal): Store {
  return {
    ...store,
    watch(runId, wake, only) {
      const stop = store.watch(runId, wake, only);
      if (only === "control" || runId === RELEASED_RUNS) return stop;
      const stopFollowing = journal.follow(runId, () => wake("events"));
      return () => {
        stop();
        stopFollowing();
      };
    },
  };
}
