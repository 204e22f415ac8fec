import { setTimeout as pause } from "node:timers/promises";
import type { EventBatch, EventJournal, JournalOutcome } from "../protocol/event-journal.ts";
import { Failure } from "../protocol/failure.ts";
import type { EncodedEvent, FinishRun, Run, RunBatch } from "../protocol/run-records.ts";
import { Fenced, type Store } from "../protocol/store.ts";
import { continuing, mergeEvents } from "./merge-events.ts";
import type { UnwatchedStore } from "./watchers.ts";

/** The parts of a database store that change if there is an event journal. */
export type JournaledParts = Pick<
  UnwatchedStore,
  "openRun" | "commit" | "finishRun" | "readEvents" | "claimRuns" | "getRun" | "deleteSession" | "deleteUser"
>;

/** What the journal held when this process was last told so. */
interface Held {
  epoch: number;
  /** The last event in the journal, 0 for none. Undefined before it was fenced. */
  lastSeq: number | undefined;
  /** The database has taken something of this owner after the fence, so that no later owner can be without one. */
  confirmed: boolean;
  /** When the journal last answered, by the clock that keeps counting while a machine sleeps. */
  at: number;
}

/** All entries of one run and owner in a commit. */
interface Group {
  runId: string;
  epoch: number;
  batches: RunBatch[];
}

/** More text than this at once goes to the database: a journal limits the size of its messages. */
const MAX_CHARACTERS = 200_000;
/** How many runs are remembered. One that is forgotten is fenced again. */
const MAX_RUNS = 50_000;
/** A process that has not written to a run for so long asks the database first whether it still owns it. */
const FRESH_MS = 60 * 60_000;
/** Waits before a run is read again whose events have a gap: a replica of the journal may be behind. */
const GAP_DELAYS_MS = [0, 10, 30, 100, 300, 1_000, 2_000];

/**
 * Returns the parts over a database and a journal beside it. The first entries of an owner go to the database, after a fence:
 * a process that slept in between learns there that the run has another owner, even if the journal is empty again.
 */
export function withEventJournal(
  database: JournaledParts,
  journal: EventJournal,
  onEnded: (runId: string) => void,
): JournaledParts {
  const held = new Map<string, Held>();

  /** Fences a run unless this process has done so. Returns undefined if the run has another owner. */
  async function ensureFenced(runId: string, epoch: number): Promise<Held | undefined> {
    const known = held.get(runId);
    const isFresh = known?.epoch === epoch && Date.now() - known.at < FRESH_MS;
    if (isFresh && known.lastSeq !== undefined) return known;
    if (!isFresh && (await database.getRun(runId))?.epoch !== epoch) return undefined;
    const fenced = await journal.fence(runId, epoch);
    if ("error" in fenced) throw fenced.error;
    return fenced.outcome === "fenced" ? undefined : remember(runId, { epoch, lastSeq: fenced.lastSeq });
  }

  function remember(runId: string, { epoch, lastSeq }: Pick<Held, "epoch" | "lastSeq">): Held {
    if (held.size > MAX_RUNS) held.clear();
    const now = { epoch, lastSeq, confirmed: false, at: Date.now() };
    held.set(runId, now);
    return now;
  }

  async function appendTo(batch: EventBatch): Promise<JournalOutcome> {
    const outcome = await journal.append(batch);
    const known = held.get(batch.runId);
    if (known?.epoch !== batch.epoch) return outcome;
    if ("lastSeq" in outcome) Object.assign(known, { lastSeq: outcome.lastSeq, at: Date.now() });
    else held.delete(batch.runId);
    return outcome;
  }

  async function commitToDatabase(groups: readonly Group[], durable: boolean): Promise<{ fenced: string[] }> {
    if (groups.length === 0) return { fenced: [] };
    try {
      const batches = groups.flatMap((group) => group.batches);
      const outcome = await database.commit(batches, { durable });
      for (const { runId, epoch } of groups) {
        const known = held.get(runId);
        if (outcome.fenced.includes(runId)) held.delete(runId);
        else if (known?.epoch === epoch) known.confirmed = true;
      }
      return outcome;
    } catch (error) {
      for (const { runId } of groups) held.delete(runId);
      throw error;
    }
  }

  return {
    ...database,
    async openRun(open) {
      const opened = await database.openRun(open);
      if (opened.outcome === "opened")
        remember(opened.run.id, { epoch: opened.run.epoch, lastSeq: undefined });
      return opened;
    },
    async commit(batches, { durable }) {
      const fenced: string[] = [];
      const errors: unknown[] = [];
      const toDatabase: Group[] = [];
      const toJournal: EventBatch[] = [];
      const assign = async ({ runId, epoch, batches }: Group) => {
        const known = await ensureFenced(runId, epoch);
        const events = eventsOnly(batches);
        if (!known) fenced.push(runId);
        else if (events && lastSeqOf(events) <= (known.lastSeq ?? 0))
          return; // It was written before.
        else if (events && known.confirmed) toJournal.push(events);
        else toDatabase.push({ runId, epoch, batches: withJournaled(batches, known) });
      };
      const failed = (error: unknown) => void errors.push(error);
      await Promise.all(groupsOf(batches).map((group) => assign(group).catch(failed)));
      const append = async (batch: EventBatch) => {
        const outcome = await appendTo(batch);
        if ("error" in outcome) failed(outcome.error);
        else if (outcome.outcome === "fenced") fenced.push(batch.runId);
      };
      const store = async () => {
        const outcome = await commitToDatabase(toDatabase, durable);
        fenced.push(...outcome.fenced);
      };
      await Promise.all([store().catch(failed), ...toJournal.map(append)]);
      if (errors.length > 0) throw errors[0];
      return { fenced };
    },
    async finishRun(finish: FinishRun) {
      const { runId, epoch } = finish;
      const known = await ensureFenced(runId, epoch);
      if (!known) throw new Fenced(runId);
      try {
        const hasInputs = await database.finishRun({ ...finish, journaled: known.lastSeq ?? 0 });
        onEnded(runId);
        return hasInputs;
      } finally {
        held.delete(runId);
      }
    },
    readEvents: (runId, after, limit) => readBoth(database, journal, { runId, after, limit }),
    /** Returns only those runs whose former owners cannot write any more. The leases of the others run out again. */
    async claimRuns(owner, leaseMs, limit) {
      const claimed = await database.claimRuns(owner, leaseMs, limit);
      for (const { id, epoch } of claimed) remember(id, { epoch, lastSeq: undefined });
      const outcomes = await Promise.allSettled(claimed.map(({ id, epoch }) => ensureFenced(id, epoch)));
      const failed = outcomes.find(({ status }) => status === "rejected");
      const ready = claimed.filter((_run: Run, index) => {
        const outcome = outcomes[index];
        return outcome?.status === "fulfilled" && outcome.value !== undefined;
      });
      if (failed?.status === "rejected" && ready.length === 0) throw failed.reason;
      return ready;
    },
    deleteSession: (id) => database.deleteSession(id).then(removed),
    deleteUser: (userId) => database.deleteUser(userId).then(removed),
  };

  async function removed(runIds: string[]): Promise<string[]> {
    for (const runId of runIds) held.delete(runId);
    // What cannot be removed now is removed by `sweepJournal`.
    await journal.remove(runIds, "deleted").catch(() => undefined);
    return runIds;
  }
}

/** Reads from the database first: what it holds was written after everything before it in the journal. */
async function readBoth(
  database: Pick<Store, "readEvents">,
  journal: EventJournal,
  { runId, after, limit }: { runId: string; after: number; limit: number },
): Promise<EncodedEvent[]> {
  for (const delayMs of GAP_DELAYS_MS) {
    await pause(delayMs);
    const stored = await database.readEvents(runId, after, limit);
    if (continuing(stored, after) && (stored.length === limit || isLast(stored.at(-1)))) return stored;
    const journaled = await journal.read(runId, after, limit);
    const merged = mergeEvents(stored, journaled).slice(0, limit);
    if (!continuing(merged, after)) continue;
    // If the journal is empty, its events may have moved to the database meanwhile.
    if (journaled.length > 0 || merged.length === limit) return merged;
    if ((await database.readEvents(runId, after, limit)).length === stored.length) return merged;
  }
  throw new Failure("RESOURCE_EXHAUSTED", "The journal of this run cannot be read right now. Try again.", {
    retryable: true,
    retryAfter: 2,
  });
}

function isLast(event: EncodedEvent | undefined): boolean {
  return event?.json.startsWith('{"type":"done"') ?? false;
}

function groupsOf(batches: readonly RunBatch[]): Group[] {
  const groups = new Map<string, Group>();
  for (const batch of batches) {
    const { runId, epoch } = batch;
    const key = `${epoch} ${runId}`;
    const group = groups.get(key) ?? { runId, epoch, batches: [] };
    groups.set(key, group);
    group.batches.push(batch);
  }
  return [...groups.values()];
}

/** Returns batches that hold nothing but events as one batch. Undefined for others, and for events that are too long for one. */
function eventsOnly(batches: readonly RunBatch[]): EventBatch | undefined {
  const [first] = batches;
  if (!first || batches.some(({ steps, status, settings }) => steps.length > 0 || status || settings))
    return undefined;
  const events = batches.flatMap((batch) => batch.events);
  const characters = events.reduce((sum, { length }) => sum + length, 0);
  if (events.length === 0 || characters > MAX_CHARACTERS) return undefined;
  return { runId: first.runId, epoch: first.epoch, firstSeq: first.firstSeq, events };
}

function lastSeqOf({ firstSeq, events }: EventBatch): number {
  return firstSeq + events.length - 1;
}

function withJournaled(batches: readonly RunBatch[], { lastSeq }: Held): RunBatch[] {
  return batches.map((batch) => ({ ...batch, journaled: lastSeq ?? 0 }));
}
