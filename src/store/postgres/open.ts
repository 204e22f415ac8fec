import { Failure } from "../../protocol/failure.ts";
import type { OpenedRun, OpenRun } from "../../protocol/run-records.ts";
import { toRun } from "../rows.ts";
import { MESSAGE_COLUMNS, messageValues } from "../values.ts";
import { type Database, statement } from "./database.ts";
import { UNUSED } from "./inputs.ts";
import { dayOf } from "./journal-tables.ts";
import { messagePlaceholders, nextPosition } from "./messages.ts";
import { ACTIVE, RUN_COLUMNS } from "./runs.ts";
import { nextUpdatedAt } from "./sessions.ts";

interface OutcomeRow {
  outcome: "earlier" | "busy" | "opened";
  id: string;
  body_hash: string | null;
}

const NO_MESSAGE = Array(10).fill(null);

// Of two requests at the same moment, the second hits a unique index, tries again and joins the first.
const OPEN = statement(
  `WITH earlier AS MATERIALIZED (
     SELECT ${RUN_COLUMNS} FROM runs WHERE user_id = $3 AND idempotency_key = $8
   ), busy AS MATERIALIZED (
     SELECT ${RUN_COLUMNS} FROM runs WHERE session_id = $2 AND ${ACTIVE} AND NOT EXISTS (SELECT FROM earlier)
   ), input AS MATERIALIZED (
     SELECT message_id FROM run_inputs WHERE message_id = $26 AND run_id = $27 AND ${UNUSED} FOR NO KEY UPDATE
   ), parent AS MATERIALIZED (
     SELECT FROM runs WHERE id = $28 FOR KEY SHARE
   ), free AS MATERIALIZED (
     SELECT tackle_now() AS now,
       CASE WHEN $23::bool THEN $24::text ELSE (SELECT head_id FROM sessions WHERE id = $2) END AS before
     WHERE NOT EXISTS (SELECT FROM earlier) AND NOT EXISTS (SELECT FROM busy)
       AND ($10::text IS NOT NULL OR EXISTS (SELECT FROM sessions WHERE id = $2))
       AND ($26::text IS NULL OR EXISTS (SELECT FROM input)) AND ($28::text IS NULL OR EXISTS (SELECT FROM parent))
   ), new_session AS (
     INSERT INTO sessions (id, user_id, title, folder, created_at, updated_at, head_id, parent_run_id, project_id, temporary, parameters)
     SELECT $2, $3, $10, $25, now, ${nextUpdatedAt("$3", "$2")}, $12, $28, $31, $32, $33::json FROM free WHERE $10 IS NOT NULL
   ), touched AS (
     UPDATE sessions SET updated_at = ${nextUpdatedAt("$3", "$2")}, head_id = coalesce($12, before)
     FROM free WHERE id = $2 AND $10 IS NULL
   ), opened AS (
     INSERT INTO runs (id, session_id, user_id, message_id, parent_id, status, owner, epoch, lease_until, request, idempotency_key, body_hash, key_id, created_at, parent_run_id, parent_call_id)
     SELECT $1, $2, $3, $4, coalesce($12, before), 'running', $5, 1, now + $6 * INTERVAL '1 millisecond', $7::json, $8, $9, $22, now, $28, $29 FROM free
     RETURNING ${RUN_COLUMNS}
   ), message AS (
     INSERT INTO messages (session_id, parent_id, position, created_at, ${MESSAGE_COLUMNS})
     SELECT $2, before, ${nextPosition("$2")}, now, ${messagePlaceholders(12)} FROM free WHERE $12::text IS NOT NULL
   ), uses AS (
     INSERT INTO file_uses (session_id, file_id) SELECT DISTINCT $2, file FROM free, unnest($30::text[]) AS file
     ON CONFLICT DO NOTHING
   ), event AS (
     INSERT INTO run_pages (run_id, day, seq, json) SELECT $1, ${dayOf("now")}, 1, $11 FROM free
   ), step AS (
     INSERT INTO run_steps (run_id, key, idempotency_key, state, started_seq)
     SELECT $1, $34, $35, 'started', 1 FROM free WHERE $34::text IS NOT NULL
   ), moved AS (
     UPDATE run_inputs SET state = CASE WHEN message_id = $26 THEN 'taken' ELSE state END,
       run_id = CASE WHEN message_id = $26 THEN run_id ELSE $1 END
     FROM free WHERE run_id = $27 AND ${UNUSED}
   )
   SELECT 'earlier' AS outcome, * FROM earlier
   UNION ALL SELECT 'busy', * FROM busy
   UNION ALL SELECT 'opened', * FROM opened`,
);

/** Opens a run, or finds the one that is there already. */
export async function openRunOn(database: Database, open: OpenRun): Promise<OpenedRun> {
  const { runId, userMessage } = open;
  // The run id is new, so a run that has it comes from an earlier attempt of this call.
  const [row] = await database.queryAgain<OutcomeRow>(OPEN, [
    runId,
    open.sessionId,
    open.userId,
    open.messageId,
    open.owner,
    open.leaseMs,
    JSON.stringify(open.request),
    open.idempotency?.key ?? null,
    open.idempotency?.bodyHash ?? null,
    open.newSession?.title ?? null,
    JSON.stringify(open.firstEvent),
    ...(userMessage ? messageValues({ ...userMessage, runId }, database) : NO_MESSAGE),
    open.keyId ?? null,
    open.parentId !== undefined,
    open.parentId ?? null,
    open.newSession?.folder ?? null,
    open.takes?.messageId ?? null,
    open.takes?.runId ?? null,
    open.parent?.runId ?? null,
    open.parent?.callId ?? null,
    open.files ?? [],
    open.newSession?.projectId ?? null,
    open.newSession?.temporary ?? false,
    open.newSession?.parameters ? JSON.stringify(open.newSession.parameters) : null,
    open.firstStep?.key ?? null,
    open.firstStep?.idempotencyKey ?? null,
  ]);
  if (!row && open.takes) return { outcome: "withdrawn" };
  if (!row) throw new Failure("NOT_FOUND", "There is no such session.");
  if (row.outcome === "opened" || row.id === runId) return { outcome: "opened", run: toRun(row) };
  if (row.outcome === "busy") return { outcome: "busy", runId: row.id };
  if (row.body_hash !== open.idempotency?.bodyHash) return { outcome: "key_reused" };
  return { outcome: "joined", run: toRun(row) };
}
