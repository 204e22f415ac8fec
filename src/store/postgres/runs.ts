import type { Json } from "../../protocol/json.ts";
import { RELEASED_RUNS, type RenewedLeases, type Run } from "../../protocol/store.ts";
import { batched } from "./batched.ts";
import { type Database, statement } from "./database.ts";
import { notifyRun } from "./notifications.ts";

export interface RunRow {
  id: string;
  session_id: string;
  user_id: string;
  message_id: string;
  parent_id: string | null;
  status: Run["status"];
  owner: string;
  epoch: number;
  cancel_requested: boolean;
  request: Json;
  body_hash: string | null;
  created_at: Date;
  events_cleared: boolean;
}

export const RUN_COLUMNS =
  "id, session_id, user_id, message_id, parent_id, status, owner, epoch, cancel_requested, request, body_hash, created_at, events_cleared";
export const ACTIVE = "status IN ('running', 'waiting')";

const SELECT = statement(`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ANY ($1)`);
const LIST_ACTIVE = statement(
  `SELECT ${RUN_COLUMNS} FROM runs WHERE ${ACTIVE} ORDER BY created_at, id LIMIT $1`,
);
// With a word to whoever follows: the former owner may have died before it told of its last events.
const CLAIM = statement(
  `UPDATE runs SET owner = $1, epoch = epoch + 1, lease_until = tackle_now() + $2 * INTERVAL '1 millisecond'
   WHERE id IN (
     SELECT id FROM runs WHERE ${ACTIVE} AND lease_until <= (SELECT tackle_now())
     ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED
   ) RETURNING ${RUN_COLUMNS}, ${notifyRun("$4", "$5", "id", "events")}`,
);
// In the order of ids, like appending: whoever locks in one order never waits in a circle.
const RENEW = statement(
  `WITH kept AS MATERIALIZED (
     SELECT id FROM runs WHERE ${ACTIVE} AND owner = $1 AND ($3::text[] IS NULL OR id = ANY ($3))
     ORDER BY id FOR NO KEY UPDATE
   )
   UPDATE runs SET lease_until = tackle_now() + $2 * INTERVAL '1 millisecond' FROM kept WHERE runs.id = kept.id
   RETURNING runs.id, cancel_requested, set_config('synchronous_commit', 'off', true)`,
);
const RELEASE = statement(
  `WITH released AS (UPDATE runs SET lease_until = 'epoch' WHERE ${ACTIVE} AND owner = $1 RETURNING id)
   SELECT ${notifyRun("$2", "$3", "$4::text")} FROM released LIMIT 1`,
);
const CANCEL = statement(
  `WITH asked AS (UPDATE runs SET cancel_requested = true WHERE id = $1 AND ${ACTIVE} RETURNING id)
   SELECT id, ${notifyRun("$2", "$3", "id")} FROM asked`,
);

/** Who works on what: runs are leased, taken over and asked to stop. */
export function runsOf(database: Database) {
  const get = batched<string, Run | undefined>(
    async (ids) => {
      const rows = await database.queryAgain<RunRow>(SELECT, [ids]);
      const runs = new Map(rows.map((row) => [row.id, toRun(row)]));
      return ids.map((id) => runs.get(id));
    },
    (id) => id,
  );

  return {
    get,
    listActive: async (limit: number): Promise<Run[]> =>
      (await database.queryAgain<RunRow>(LIST_ACTIVE, [limit])).map(toRun),
    async claim(owner: string, leaseMs: number, limit: number): Promise<Run[]> {
      const values = [owner, leaseMs, limit, database.schema, database.origin];
      return (await database.query<RunRow>(CLAIM, values)).map(toRun);
    },
    async renew(owner: string, leaseMs: number, runIds?: readonly string[]): Promise<RenewedLeases> {
      if (runIds?.length === 0) return { cancelled: [], lost: [] };
      const rows = await database.queryAgain<RunRow>(RENEW, [owner, leaseMs, runIds ?? null]);
      const kept = new Set(rows.map((row) => row.id));
      return {
        cancelled: rows.filter((row) => row.cancel_requested).map((row) => row.id),
        lost: (runIds ?? []).filter((id) => !kept.has(id)),
      };
    },
    async release(owner: string): Promise<void> {
      await database.queryAgain(RELEASE, [owner, database.schema, database.origin, RELEASED_RUNS]);
    },
    async requestCancel(id: string): Promise<boolean> {
      return (await database.queryAgain(CANCEL, [id, database.schema, database.origin])).length > 0;
    },
  };
}

/** The run that a row holds. */
export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    sessionId: row.session_id,
    userId: row.user_id,
    messageId: row.message_id,
    ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
    status: row.status,
    owner: row.owner,
    epoch: row.epoch,
    cancelRequested: row.cancel_requested,
    request: row.request,
    createdAt: row.created_at.toISOString(),
    ...(row.events_cleared ? { eventsCleared: true } : {}),
  };
}
