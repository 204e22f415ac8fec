import type {
  EncodedEvent,
  FinishRun,
  OpenRun,
  Run,
  RunBatch,
  StepRecord,
} from "../../protocol/run-records.ts";
import { Fenced } from "../../protocol/store.ts";
import { toStep } from "../rows.ts";
import { AFTER_APPEND, APPEND, appendValues } from "./append.ts";
import {
  APPEND_EVENTS,
  APPEND_HELD,
  appendEventsValues,
  appendHeldValues,
  type Held,
  WrittenRuns,
} from "./append-events.ts";
import { batched } from "./batched.ts";
import { type Database, statement } from "./database.ts";
import { UNUSED } from "./inputs.ts";
import { encodeNotifications } from "./notifications.ts";
import type { Notifier } from "./notifier.ts";
import { eventsOfPages, readPages, type StoredPage, type Wanted } from "./read-events.ts";
import { transcriptCtes, transcriptValues } from "./transcript.ts";

interface Appended {
  /** Null if it is all of them. */
  owned: string[] | null;
  misfit: string | null;
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** The largest number in an integer column. */
const MAX_INTEGER = 2 ** 31 - 1;

/** The runs that were appended to, or why nothing was. */
const OUTCOME = `
  (SELECT CASE WHEN count(*) < cardinality($1) THEN coalesce(array_agg(id), '{}') END FROM place) AS owned,
  (SELECT reason FROM misfit LIMIT 1) AS misfit`;

const COMMIT_EVENTS = statement(APPEND_EVENTS);
const COMMIT_HELD = statement(APPEND_HELD);
const COMMIT = statement(
  `WITH ${APPEND}, changed AS (
     UPDATE runs SET status = s.status
     FROM unnest($${AFTER_APPEND}::text[], $${AFTER_APPEND + 1}::text[]) AS s (run_id, status)
     WHERE runs.id = s.run_id AND runs.status <> s.status AND EXISTS (SELECT FROM place WHERE place.id = runs.id)
       AND NOT EXISTS (SELECT FROM misfit)
   )
   SELECT ${OUTCOME}`,
);
// The end is announced in the same transaction: if this process died right after, no other process would announce it.
const FINISH = statement(
  `WITH ${APPEND}, ${transcriptCtes(AFTER_APPEND + 2)}
   SELECT ${OUTCOME}, (SELECT count(pg_notify($${AFTER_APPEND}, line)) FROM unnest($${AFTER_APPEND + 1}::text[]) AS line),
     EXISTS (SELECT FROM run_inputs WHERE run_id = ANY ($1) AND ${UNUSED} AND message_id <> ALL ($12)) AS has_inputs`,
);
const STEPS = statement(
  `SELECT key, idempotency_key, state, started_seq, result, format
   FROM run_steps WHERE run_id = $1 ORDER BY place`,
);

/** The journals of runs: events, steps and how runs end. */
export function eventsOf(database: Database, notifier: Notifier) {
  const { schema, origin } = database;
  const written = new WrittenRuns();
  const read = batched<Wanted, StoredPage[]>(
    (wanted) => readPages(database.queryAgain, wanted),
    ({ runId, after, limit }) => `${after} ${limit} ${runId}`,
  );

  async function append(batches: RunBatch[]): Promise<Appended | undefined> {
    if (written.fits(batches)) return appendEvents(batches);
    const statuses = new Map(batches.flatMap(({ runId, status }) => (status ? [[runId, status]] : [])));
    const values = [...appendValues(batches), [...statuses.keys()], [...statuses.values()]];
    return (await database.query<Appended>(COMMIT, values))[0];
  }

  async function appendEvents(batches: RunBatch[]): Promise<Appended | undefined> {
    const held = written.heldBy(batches);
    const [done] = held ? await database.query<Appended>(COMMIT_HELD, appendHeldValues(held, batches)) : [];
    if (done) return done;
    const values = appendEventsValues(batches);
    const [found] = await database.query<Appended & Nullable<Held>>(COMMIT_EVENTS, values);
    if (found?.owned === null && found.owner && found.fence && found.day)
      written.hold(batches, { owner: found.owner, fence: found.fence, day: found.day });
    return found;
  }

  return {
    /** Call this before a run is opened, and what it returns after it was opened with its first event. */
    journalOpening(): (run: Run, open: OpenRun) => void {
      const { held } = written;
      return (run, { firstEvent }) => written.begin(run, JSON.stringify(firstEvent), held);
    },
    /** Always waits for the disk: otherwise a crash of the database server could lose what followers have seen. */
    async commit(batches: RunBatch[]): Promise<{ fenced: string[] }> {
      if (batches.length === 0) return { fenced: [] };
      const runIds = [...new Set(batches.map(({ runId }) => runId))];
      let owned: readonly string[] | null;
      try {
        owned = ownedOf(await append(batches));
      } catch (error) {
        written.forget(runIds);
        throw error;
      }
      written.note(batches);
      notifier.appended(runIds);
      if (owned === null) return { fenced: [] };
      const fenced = runIds.filter((runId) => !owned.includes(runId));
      written.forget(fenced);
      return { fenced };
    },
    /** Resolves with true if something was sent into the run that it has not used. */
    async finishRun(finish: FinishRun): Promise<boolean> {
      const events = written.end(finish);
      const [answer] = await database.query<Appended & { has_inputs: boolean }>(FINISH, [
        ...appendValues([finish], { ends: true }),
        schema,
        encodeNotifications({ origin, signal: "events", runIds: [finish.runId] }),
        ...transcriptValues(finish, events, database),
      ]);
      if (ownedOf(answer) !== null) throw new Fenced(finish.runId);
      return answer?.has_inputs === true;
    },
    async readEvents(runId: string, after: number, limit: number): Promise<EncodedEvent[]> {
      // A number that is too large would fail the query for all runs in it.
      const wanted = { runId, after: Math.min(after, MAX_INTEGER), limit: Math.min(limit, MAX_INTEGER) };
      return eventsOfPages(await read(wanted), wanted);
    },
    readSteps: async (runId: string): Promise<StepRecord[]> =>
      (await database.queryAgain<unknown>(STEPS, [runId])).map(toStep),
  };
}

/** Returns the runs that were appended to, null for all. Throws if nothing was written because something did not fit. */
function ownedOf(answer: Appended | undefined): string[] | null {
  if (!answer) throw new Error("appending returned nothing");
  if (answer.misfit !== null) throw new Error(answer.misfit);
  return answer.owned;
}
