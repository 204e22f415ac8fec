import type { RenewedLeases, Run } from "../../protocol/run-records.ts";
import { RELEASED_RUNS } from "../../protocol/store.ts";
import { toRun } from "../rows.ts";
import { batched } from "./batched.ts";
import { type Database, statement } from "./database.ts";
import { notifyRun } from "./notifications.ts";

type RenewedRow = { id: string; cancel_requested: boolean };

export const RUN_COLUMNS =
  "id, session_id, user_id, message_id, parent_id, status, owner, epoch, cancel_requested, request, body_hash, created_at, events_cleared";
export const ACTIVE = "status IN ('running', 'waiting')";

/**
 * How many leases of its owner a run's own lease has: instances of the former version, which know no other, take over a run
 * when it is over.
 */
const OWN_LEASES = 8;

const NOW = statement("SELECT tackle_now() AS now");
const SELECT = statement(`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ANY ($1)`);
const LIST_ACTIVE = statement(
  `SELECT ${RUN_COLUMNS} FROM runs WHERE ${ACTIVE} ORDER BY created_at, id LIMIT $1`,
);
// Notifies followers too: the previous owner may have died before it announced its last events.
const CLAIM = statement(
  `UPDATE runs SET owner = $1, epoch = epoch + 1, kept = false, lease_until = tackle_now() + $2 * INTERVAL '1 millisecond'
   WHERE id IN (
     SELECT id FROM runs WHERE ${ACTIVE} AND (
       lease_until <= (SELECT tackle_now())
       OR (kept AND owner IN (SELECT o.id FROM owners AS o WHERE o.lease_until <= (SELECT tackle_now())))
     ) ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED
   ) RETURNING ${RUN_COLUMNS}, ${notifyRun("$4", "$5", "id", "events")}`,
);
// Besides the lease of the owner, this writes only runs that are new, that the owner gave up, or whose own lease gets short.
// It locks in the order of ids, as appending does, so that the two cannot deadlock.
const RENEW = statement(
  `WITH owner AS (
     INSERT INTO owners (id, lease_until) VALUES ($1, tackle_now() + $2 * INTERVAL '1 millisecond')
     ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until
   ), mine AS MATERIALIZED (
     SELECT id, cancel_requested, kept, $3::text[] IS NULL OR id = ANY ($3) AS wanted,
       lease_until < tackle_now() + $2 * ${OWN_LEASES / 2} * INTERVAL '1 millisecond' AS short
     FROM runs WHERE ${ACTIVE} AND owner = $1
   ), changing AS MATERIALIZED (
     SELECT runs.id, wanted FROM runs JOIN mine ON runs.id = mine.id AND owner = $1
     WHERE CASE WHEN wanted THEN NOT mine.kept OR short ELSE mine.kept END
     ORDER BY runs.id FOR NO KEY UPDATE OF runs
   ), changed AS (
     UPDATE runs SET kept = wanted,
       lease_until = tackle_now() + $2 * CASE WHEN wanted THEN ${OWN_LEASES} ELSE 1 END * INTERVAL '1 millisecond'
     FROM changing WHERE runs.id = changing.id
   )
   SELECT id, cancel_requested, set_config('synchronous_commit', 'off', true) FROM mine WHERE wanted`,
);
const RELEASE = statement(
  `WITH owner AS (
     UPDATE owners SET lease_until = 'epoch' WHERE id = $1
   ), released AS (
     UPDATE runs SET lease_until = 'epoch', kept = false WHERE ${ACTIVE} AND owner = $1 RETURNING id
   )
   SELECT ${notifyRun("$2", "$3", "$4::text")} FROM released LIMIT 1`,
);
const CHILDREN = statement(`SELECT id FROM runs WHERE parent_run_id = $1 AND ${ACTIVE}`);
const CANCEL = statement(
  `WITH asked AS (UPDATE runs SET cancel_requested = true WHERE id = $1 AND ${ACTIVE} RETURNING id)
   SELECT id, ${notifyRun("$2", "$3", "id")} FROM asked`,
);

/** Leases, claims and cancels runs. */
export function runsOf(database: Database) {
  const get = batched<string, Run | undefined>(
    async (ids) => {
      const found = (await database.queryAgain<unknown>(SELECT, [ids])).map(toRun);
      const runs = new Map(found.map((run) => [run.id, run]));
      return ids.map((id) => runs.get(id));
    },
    (id) => id,
  );

  return {
    async now(): Promise<number> {
      const [row] = await database.queryAgain<{ now: Date }>(NOW);
      return row?.now.getTime() ?? 0;
    },
    getRun: get,
    listActiveRuns: async (limit: number): Promise<Run[]> =>
      (await database.queryAgain<unknown>(LIST_ACTIVE, [limit])).map(toRun),
    async claimRuns(owner: string, leaseMs: number, limit: number): Promise<Run[]> {
      const values = [owner, leaseMs, limit, database.schema, database.origin];
      return (await database.query<unknown>(CLAIM, values)).map(toRun);
    },
    async renewLeases(owner: string, leaseMs: number, runIds?: readonly string[]): Promise<RenewedLeases> {
      if (runIds?.length === 0) return { cancelled: [], lost: [] };
      const rows = await database.queryAgain<RenewedRow>(RENEW, [owner, leaseMs, runIds ?? null]);
      const kept = new Set(rows.map((row) => row.id));
      return {
        cancelled: rows.filter((row) => row.cancel_requested).map((row) => row.id),
        lost: (runIds ?? []).filter((id) => !kept.has(id)),
      };
    },
    async releaseLeases(owner: string): Promise<void> {
      await database.queryAgain(RELEASE, [owner, database.schema, database.origin, RELEASED_RUNS]);
    },
    async activeChildren(id: string): Promise<string[]> {
      return (await database.queryAgain<{ id: string }>(CHILDREN, [id])).map((row) => row.id);
    },
    async requestCancel(id: string): Promise<boolean> {
      return (await database.queryAgain(CANCEL, [id, database.schema, database.origin])).length > 0;
    },
  };
}
