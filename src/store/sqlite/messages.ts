import type { FinishRun } from "../../protocol/run-records.ts";
import type { MessagePage, StoredMessage } from "../../protocol/sessions.ts";
import { pauseIfLong } from "../../protocol/slices.ts";
import type { MessageColumns } from "../packing.ts";
import { toMessage } from "../rows.ts";
import { SharedBranches, SharedMessages } from "../shared-messages.ts";
import {
  CALL_COLUMNS,
  callsToWrite,
  MESSAGE_COLUMNS,
  messageValues,
  OUTPUT_COLUMNS,
  USAGE_COLUMNS,
  usageValues,
} from "../values.ts";
import type { Artifacts } from "./artifacts.ts";
import { type Database, toNumbers } from "./database.ts";
import type { Sessions } from "./sessions.ts";

const OWN_COLUMNS = `m.id, m.session_id, m.parent_id, m.role, m.model, m.run_id, m.text, m.parts, m.state, m.finish_reason, m.usage,
  m.created_at, m.format`;
/** `siblings`: all messages with the same parent. An answer that is still being written comes last. */
const COLUMNS = `${OWN_COLUMNS}, (
    SELECT json_group_array(id ORDER BY place) FROM (
      SELECT s.id, s.position AS place FROM messages AS s WHERE s.parent_id = m.parent_id
      UNION ALL
      SELECT s.id, s.position FROM messages AS s
      WHERE m.parent_id IS NULL AND s.session_id = m.session_id AND s.parent_id IS NULL
      UNION ALL
      SELECT r.message_id, 9e18 FROM runs AS r
      WHERE r.session_id = m.session_id AND r.status IN ('running', 'waiting') AND r.parent_id = m.parent_id
    )
  ) AS siblings`;

/** Bytes of messages that are read at once. Others get their turn before the rest is read. */
const READ_AT_ONCE = 256 * 1024;

interface Sized {
  id: string;
  bytes: number;
}
const SIZED =
  "m.id, octet_length(m.text) + octet_length(m.parts) + coalesce(octet_length(m.state), 0) AS bytes";

/** The messages of sessions. */
export function messagesOf(database: Database) {
  const shared = new SharedMessages();
  const branches = new SharedBranches();
  const branch = database.prepare<Sized>(
    `WITH RECURSIVE branch (id, parent_id, depth) AS (
       SELECT id, parent_id, 1 FROM messages WHERE session_id = ?1 AND id = iif(
         ?2 IS NOT NULL,
         (SELECT b.parent_id FROM messages AS b WHERE b.id = ?2 AND b.session_id = ?1),
         coalesce(?3, (SELECT head_id FROM sessions WHERE id = ?1))
       )
       UNION ALL
       SELECT m.id, m.parent_id, depth + 1 FROM branch JOIN messages AS m ON m.id = branch.parent_id
       WHERE depth < ?4 AND branch.id IS NOT ?5
     )
     SELECT ${SIZED} FROM branch JOIN messages AS m ON m.id = branch.id ORDER BY depth DESC`,
  );
  const all = database.prepare<Sized>(
    `SELECT ${SIZED} FROM messages AS m WHERE session_id = ? ORDER BY position`,
  );
  const readSome = (columns: string) =>
    database.prepare<MessageColumns>(
      `SELECT ${columns} FROM json_each(?) AS wanted JOIN messages AS m ON m.id = wanted.value ORDER BY wanted.key`,
    );
  const some = readSome(COLUMNS);
  const someAlone = readSome(`${OWN_COLUMNS}, '[]' AS siblings`);
  const one = database.prepare<MessageColumns>(`SELECT ${COLUMNS} FROM messages AS m WHERE id = ?`);
  const insert = database.prepare(
    `INSERT INTO messages (${MESSAGE_COLUMNS}, session_id, parent_id, position, created_at) VALUES (
       ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?11, ?, (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE session_id = ?11), ?)`,
  );

  /** Reads messages in slices. One that is deleted meanwhile is left out. */
  async function read(messages: readonly Sized[], statement = some): Promise<StoredMessage[]> {
    const found: StoredMessage[] = [];
    for (let at = 0; at < messages.length; ) {
      const ids: string[] = [];
      for (let bytes = 0; at < messages.length && (bytes < READ_AT_ONCE || ids.length === 0); at++) {
        const message = messages[at];
        if (message) ids.push(message.id);
        bytes += message?.bytes ?? 0;
      }
      found.push(...statement.all(JSON.stringify(ids)).map(toMessage));
      if (at < messages.length) await pauseIfLong();
    }
    return found;
  }

  /** Reads only what was not read lately. */
  async function readShared(messages: readonly Sized[]): Promise<StoredMessage[]> {
    const known = new Map(messages.map(({ id }) => [id, shared.get(id)]));
    const missing = messages.filter(({ id }) => known.get(id) === undefined);
    const sizes = new Map(missing.map(({ id, bytes }) => [id, bytes]));
    for (const message of await read(missing, someAlone)) {
      known.set(message.id, message);
      shared.add(message, sizes.get(message.id) ?? 0);
    }
    return messages.flatMap(({ id }) => known.get(id) ?? []);
  }

  /** Reads a whole branch; of one that was read lately, only what was added to it. */
  function readBranch(sessionId: string, upTo: string | undefined): Promise<StoredMessage[]> {
    const find = (from?: string) =>
      branch.all(sessionId, null, upTo ?? null, Number.MAX_SAFE_INTEGER, from ?? null);
    return branches.read(sessionId, find, readShared);
  }

  return {
    /** Call this after messages were deleted. */
    forget() {
      shared.clear();
      branches.clear();
    },
    methods: {
      listMessages(sessionId: string, { limit, before, upTo, from, ...page }: MessagePage = {}) {
        if (page.shared && limit === undefined && before === undefined && from === undefined)
          return readBranch(sessionId, upTo);
        const most = limit ?? Number.MAX_SAFE_INTEGER;
        const found = branch.all(sessionId, before ?? null, upTo ?? null, most, from ?? null);
        return page.shared ? readShared(found) : read(found);
      },
      listAllMessages: (sessionId: string) => read(all.all(sessionId)),
      getMessage(id: string): StoredMessage | undefined {
        const row = one.get(id);
        return row ? toMessage(row) : undefined;
      },
    },
    /** Inside a transaction. */
    add(message: Omit<StoredMessage, "createdAt" | "siblings">, at = database.now()): void {
      insert.run(...messageValues(message), message.sessionId, message.parentId ?? null, at);
    },
  };
}

export type Messages = ReturnType<typeof messagesOf>;

/** The tables that people query. They are written once, when a run ends. */
export function transcriptOf(
  database: Database,
  { sessions, messages, artifacts }: { sessions: Sessions; messages: Messages; artifacts: Artifacts },
) {
  const insertCall = database.prepare(
    `INSERT INTO tool_calls (run_id, message_id, position, ${CALL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertOutput = database.prepare(
    `INSERT INTO tool_outputs (run_id, ${OUTPUT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertUsage = database.prepare(
    `INSERT INTO usage (run_id, user_id, at, ${USAGE_COLUMNS}, key_id)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, (SELECT key_id FROM runs WHERE id = ?1)`,
  );

  return {
    /** Inside a transaction. */
    write(
      finish: FinishRun,
      { parentId, ...owner }: { sessionId: string; userId: string; parentId: string | undefined },
    ): void {
      const { message, runId } = finish;
      const { sessionId, userId } = owner;
      messages.add({ ...message, role: "assistant", runId, sessionId, parentId });
      sessions.growBranch({ id: sessionId, userId }, { id: message.id, parentId });
      for (const [position, { call, output, artifact }] of callsToWrite(finish).entries()) {
        insertCall.run(runId, message.id, position, ...call);
        if (output) insertOutput.run(runId, ...toNumbers(output));
        if (artifact) artifacts.add(artifact, { ...owner, runId });
      }
      if (message.usage)
        insertUsage.run(runId, userId, database.now(), ...usageValues(message.model ?? "", message.usage));
    },
  };
}

export type Transcript = ReturnType<typeof transcriptOf>;
