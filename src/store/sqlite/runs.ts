import { Failure } from "../../protocol/failure.ts";
import type { OpenedRun, OpenRun, RenewedLeases, Run } from "../../protocol/run-records.ts";
import { toRun } from "../rows.ts";
import type { Database } from "./database.ts";
import type { Messages } from "./messages.ts";
import { WHOLE_REQUEST } from "./schema.ts";
import type { Sessions } from "./sessions.ts";

/** A row with the hash of the request that opened it. */
type EarlierRow = { body_hash: string | null };

const COLUMNS = `id, session_id, user_id, message_id, parent_id, status, owner, epoch, cancel_requested, body_hash, created_at, events_cleared, ${WHOLE_REQUEST}`;
/** SQLite writes the whole row again when a run changes hands: 16 ms of CPU for a megabyte. Longer requests are beside it. */
const MOST_IN_ROW = 16_384;
const ACTIVE = "status IN ('running', 'waiting')";

interface Others {
  sessions: Sessions;
  messages: Messages;
  /** Is told of a run that was opened. */
  opened(run: Run): void;
}

/** Opens, leases, claims and cancels runs. */
export function runsOf(database: Database, { sessions, messages, opened }: Others) {
  const select = database.prepare<unknown>(`SELECT ${COLUMNS} FROM runs WHERE id = ?`);
  const byKey = database.prepare<EarlierRow>(
    `SELECT ${COLUMNS} FROM runs WHERE user_id = ? AND idempotency_key = ?`,
  );
  const active = database.prepare<{ id: string }>(`SELECT id FROM runs WHERE session_id = ? AND ${ACTIVE}`);
  const insert = database.prepare(
    `INSERT INTO runs (id, session_id, user_id, message_id, parent_id, status, owner, epoch, lease_until, request, idempotency_key, body_hash, key_id, created_at, parent_run_id, parent_call_id)
     VALUES (?, ?, ?, ?, ?, 'running', ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertLarge = database.prepare("INSERT INTO large_requests (run_id, request) VALUES (?, ?)");
  const insertUse = database.prepare("INSERT OR IGNORE INTO file_uses (session_id, file_id) VALUES (?, ?)");
  const insertEvent = database.prepare("INSERT INTO run_events (run_id, seq, json) VALUES (?, 1, ?)");
  const insertStep = database.prepare(
    "INSERT INTO run_steps (run_id, key, idempotency_key, state, started_seq) VALUES (?, ?, ?, 'started', 1)",
  );
  const claim = database.prepare<unknown>(
    `UPDATE runs SET owner = ?, epoch = epoch + 1, lease_until = ? WHERE id IN (
       SELECT id FROM runs WHERE ${ACTIVE} AND lease_until <= ? ORDER BY lease_until LIMIT ?
     ) RETURNING ${COLUMNS}`,
  );
  const claimable = database.prepare(`SELECT 1 FROM runs WHERE ${ACTIVE} AND lease_until <= ? LIMIT 1`);
  const renew = database.prepare<{ id: string; cancel_requested: number }>(
    `UPDATE runs SET lease_until = ? WHERE ${ACTIVE} AND owner = ?
       AND (? IS NULL OR id IN (SELECT value FROM json_each(?)))
     RETURNING id, cancel_requested`,
  );
  const going = database.prepare<unknown>(
    `SELECT ${COLUMNS} FROM runs WHERE ${ACTIVE} ORDER BY created_at, id LIMIT ?`,
  );
  const release = database.prepare(`UPDATE runs SET lease_until = 0 WHERE ${ACTIVE} AND owner = ?`);
  const cancel = database.prepare(`UPDATE runs SET cancel_requested = 1 WHERE id = ? AND ${ACTIVE}`);

  const children = database.prepare<{ id: string }>(
    `SELECT id FROM runs WHERE parent_run_id = ? AND ${ACTIVE}`,
  );
  const takeInput = database.prepare(
    "UPDATE run_inputs SET state = 'taken' WHERE message_id = ? AND run_id = ? AND state IN ('waiting', 'claimed')",
  );
  const moveInputs = database.prepare(
    "UPDATE run_inputs SET run_id = ? WHERE run_id = ? AND state IN ('waiting', 'claimed')",
  );

  function openInTransaction(open: OpenRun): OpenedRun {
    if (open.idempotency) {
      const earlier = byKey.get(open.userId, open.idempotency.key);
      if (earlier && earlier.body_hash !== open.idempotency.bodyHash) return { outcome: "key_reused" };
      if (earlier) return { outcome: "joined", run: toRun(earlier) };
    }
    const busy = open.newSession ? undefined : active.get(open.sessionId);
    if (busy) return { outcome: "busy", runId: busy.id };
    if (open.parent && !select.get(open.parent.runId))
      throw new Failure("NOT_FOUND", "There is no such run.");
    const { takes } = open;
    if (takes && takeInput.run(takes.messageId, takes.runId) === 0) return { outcome: "withdrawn" };

    const session = { id: open.sessionId, userId: open.userId };
    const known = open.newSession ? undefined : sessions.headOf(session.id);
    const before = open.parentId === undefined ? (known?.head_id ?? null) : open.parentId;
    const answered = open.userMessage?.id ?? before;
    if (open.newSession)
      sessions.add({ ...session, ...open.newSession, parentRunId: open.parent?.runId, headId: answered });
    else if (!known) throw new Failure("NOT_FOUND", "There is no such session.");
    else sessions.setHead(session, answered);

    const now = database.now();
    const request = JSON.stringify(open.request);
    const isLarge = request.length > MOST_IN_ROW;
    insert.run(
      open.runId,
      open.sessionId,
      open.userId,
      open.messageId,
      answered,
      open.owner,
      now + open.leaseMs,
      isLarge ? "" : request,
      open.idempotency?.key ?? null,
      open.idempotency?.bodyHash ?? null,
      open.keyId ?? null,
      now,
      open.parent?.runId ?? null,
      open.parent?.callId ?? null,
    );
    if (isLarge) insertLarge.run(open.runId, request);
    if (takes) moveInputs.run(open.runId, takes.runId);
    if (open.userMessage) {
      const place = { sessionId: open.sessionId, parentId: before ?? undefined };
      messages.add({ ...open.userMessage, ...place, runId: open.runId });
    }
    for (const file of open.files ?? []) insertUse.run(open.sessionId, file);
    insertEvent.run(open.runId, JSON.stringify(open.firstEvent));
    if (open.firstStep) insertStep.run(open.runId, open.firstStep.key, open.firstStep.idempotencyKey);
    return { outcome: "opened", run: newRun(open, answered, now) };
  }

  return {
    async openRun(open: OpenRun): Promise<OpenedRun> {
      const work = () => openInTransaction(open);
      const outcome = await database.together(work, { durable: true, when: "this turn" });
      if (outcome.outcome === "opened") opened(outcome.run);
      else if (outcome.outcome !== "joined") return outcome;
      const durable = database.synced();
      durable.catch(() => undefined); // Callers that need it wait for it.
      return { ...outcome, durable };
    },
    getRun(id: string): Run | undefined {
      const row = select.get(id);
      return row ? toRun(row) : undefined;
    },
    activeChildren: (id: string): string[] => children.all(id).map((row) => row.id),
    listActiveRuns: (limit: number): Run[] => going.all(limit).map(toRun),
    claimRuns(owner: string, leaseMs: number, limit: number): Run[] {
      // A transaction without changes would still be synced to disk, every few seconds on an idle server.
      if (!claimable.get(database.now())) return [];
      return database.transaction(() => {
        const now = database.now();
        return claim.all(owner, now + leaseMs, now, limit).map(toRun);
      });
    },
    renewLeases(owner: string, leaseMs: number, runIds?: readonly string[]): RenewedLeases {
      if (runIds?.length === 0) return { cancelled: [], lost: [] };
      const only = runIds ? JSON.stringify(runIds) : null;
      const rows = database.transaction(() => renew.all(database.now() + leaseMs, owner, only, only), {
        durable: false,
      });
      const kept = new Set(rows.map((row) => row.id));
      return {
        cancelled: rows.filter((row) => row.cancel_requested === 1).map((row) => row.id),
        lost: (runIds ?? []).filter((id) => !kept.has(id)),
      };
    },
    releaseLeases(owner: string): void {
      database.transaction(() => release.run(owner));
    },
    requestCancel: (id: string): boolean => database.transaction(() => cancel.run(id) > 0),
  };
}

/** Returns a run as it was just written. Reading the row back would cost as much as writing it. */
function newRun(
  { runId, sessionId, userId, messageId, owner, request }: OpenRun,
  answered: string | null,
  now: number,
): Run {
  return {
    id: runId,
    sessionId,
    userId,
    messageId,
    ...(answered === null ? {} : { parentId: answered }),
    status: "running",
    owner,
    epoch: 1,
    cancelRequested: false,
    request,
    createdAt: new Date(now).toISOString(),
  };
}
