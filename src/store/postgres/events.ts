import {
  type EncodedEvent,
  Fenced,
  type FinishRun,
  type RunBatch,
  type StepRecord,
} from "../../protocol/store.ts";
import { AFTER_APPEND, APPEND, appendValues } from "./append.ts";
import { type Database, statement } from "./database.ts";
import { eventNotifications } from "./news.ts";
import { transcriptCtes, transcriptValues } from "./transcript.ts";

interface StepRow {
  key: string;
  idempotency_key: string;
  state: StepRecord["state"];
  started_seq: number;
  has_result: boolean;
  result: StepRecord["result"];
}

interface Appended {
  owned: string[];
  misfit: string | null;
}

/** What was appended to, why nothing was, and the notifications that go out with the commit. */
const OUTCOME = `
  (SELECT coalesce(array_agg(id), '{}') FROM place) AS owned,
  (SELECT reason FROM misfit LIMIT 1) AS misfit,
  (SELECT count(pg_notify($${AFTER_APPEND}, line)) FROM unnest($${AFTER_APPEND + 1}::text[]) AS line)`;

const COMMIT = statement(
  `WITH ${APPEND}, changed AS (
     UPDATE runs SET status = s.status
     FROM unnest($${AFTER_APPEND + 2}::text[], $${AFTER_APPEND + 3}::text[]) AS s (run_id, status)
     WHERE runs.id = s.run_id AND runs.status <> s.status AND EXISTS (SELECT FROM place WHERE place.id = runs.id)
       AND NOT EXISTS (SELECT FROM misfit)
   )
   SELECT ${OUTCOME}, CASE WHEN $${AFTER_APPEND + 4} THEN '' ELSE set_config('synchronous_commit', 'off', true) END`,
);
const FINISH = statement(`WITH ${APPEND}, ${transcriptCtes(AFTER_APPEND + 2)} SELECT ${OUTCOME}`);
const READ = statement(
  "SELECT seq, json FROM run_events WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
);
const STEPS = statement(
  `SELECT key, idempotency_key, state, started_seq, result IS NOT NULL AS has_result, result
   FROM run_steps WHERE run_id = $1 ORDER BY place`,
);

/** The journals of runs: their events and steps, and the end of both. */
export function eventsOf(database: Database) {
  const { schema, origin } = database;
  return {
    async commit(batches: RunBatch[], { durable }: { durable: boolean }): Promise<{ fenced: string[] }> {
      if (batches.length === 0) return { fenced: [] };
      const runIds = [...new Set(batches.map(({ runId }) => runId))];
      const statuses = new Map(batches.flatMap(({ runId, status }) => (status ? [[runId, status]] : [])));
      const [answer] = await database.query<Appended>(COMMIT, [
        ...appendValues(batches),
        schema,
        eventNotifications(origin, runIds),
        [...statuses.keys()],
        [...statuses.values()],
        durable,
      ]);
      const owned = ownedOf(answer);
      return { fenced: runIds.filter((runId) => !owned.includes(runId)) };
    },
    async finish(finish: FinishRun): Promise<void> {
      const [answer] = await database.query<Appended>(FINISH, [
        ...appendValues([finish]),
        schema,
        eventNotifications(origin, [finish.runId]),
        ...transcriptValues(finish),
      ]);
      if (!ownedOf(answer).includes(finish.runId)) throw new Fenced(finish.runId);
    },
    read: (runId: string, after: number, limit: number): Promise<EncodedEvent[]> =>
      database.queryAgain<EncodedEvent>(READ, [runId, after, limit]),
    steps: async (runId: string): Promise<StepRecord[]> =>
      (await database.queryAgain<StepRow>(STEPS, [runId])).map(toStep),
  };
}

/** The runs that were appended to. Throws where nothing was written because something did not fit. */
function ownedOf(answer: Appended | undefined): string[] {
  if (!answer) throw new Error("appending answered nothing");
  if (answer.misfit !== null) throw new Error(answer.misfit);
  return answer.owned;
}

function toStep(row: StepRow): StepRecord {
  return {
    key: row.key,
    idempotencyKey: row.idempotency_key,
    state: row.state,
    startedSeq: row.started_seq,
    ...(row.has_result ? { result: row.result } : {}),
  };
}
