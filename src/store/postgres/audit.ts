import type { AuditHead, AuditQuery, AuditRow, LinkEntry, StoredAuditEntry } from "../../protocol/audit.ts";
import {
  AUDIT_COLUMNS,
  auditConditions,
  auditValues,
  linked,
  toAuditEntry,
  trimmedRow,
} from "../audit-rows.ts";
import { type Database, type Query, statement } from "./database.ts";
import { columnsOf } from "./lists.ts";

// Locks the head until the commit, so instances add to one chain, one after the other.
const LOCK = statement(
  `INSERT INTO audit_head AS h (id, seq, hash) VALUES (1, 0, '') ON CONFLICT (id) DO UPDATE SET id = 1
   RETURNING seq::float8 AS seq, hash, floor(extract(epoch FROM tackle_now()) * 1000)::float8 AS at`,
);
const APPEND = statement(
  `WITH added AS (
     INSERT INTO audit_log (${AUDIT_COLUMNS})
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::text[], $9::text[])
   )
   UPDATE audit_head SET seq = $10, hash = $11`,
);
const HEAD = statement("SELECT seq::float8 AS seq, hash FROM audit_head WHERE seq > 0");
const TRIMMED = statement(
  `SELECT seq::float8 AS seq, hash, (SELECT count(*)::int FROM audit_log AS o WHERE o.seq <= l.seq) AS entries
   FROM audit_log AS l
   WHERE seq < coalesce((SELECT min(seq) FROM audit_log WHERE at >= $1), 9007199254740991)
   ORDER BY l.seq DESC LIMIT 1`,
);
const ALLOW_TRIM = statement("UPDATE audit_head SET trimmed_seq = $1");
const TRIM = statement("DELETE FROM audit_log WHERE seq <= $1");
const READ_COLUMNS = AUDIT_COLUMNS.replace("seq, at,", "seq::float8 AS seq, at::float8 AS at,");

/** The audit log. */
export function auditOf(database: Database) {
  async function lock(query: Query): Promise<AuditHead & { at: number }> {
    const [head] = await query<AuditHead & { at: number }>(LOCK);
    if (!head) throw new Error("locking the head of the audit log returned nothing");
    return head;
  }

  async function append(
    query: Query,
    rows: readonly AuditRow[],
    head: AuditHead & { at: number },
    link: LinkEntry,
  ): Promise<void> {
    const entries = linked(rows, head, head.at, link);
    const last = entries.at(-1);
    if (last) await query(APPEND, [...columnsOf(entries.map(auditValues), 9), last.seq, last.hash]);
  }

  return {
    async appendAudit(rows: readonly AuditRow[], link: LinkEntry): Promise<void> {
      await database.transaction(async (query) => append(query, rows, await lock(query), link));
    },
    async readAudit(query: AuditQuery): Promise<StoredAuditEntry[]> {
      const { where, order, values } = auditConditions(query, (number) => `$${number}`);
      const select = statement(
        `SELECT ${READ_COLUMNS} FROM audit_log ${where} ORDER BY audit_log.seq ${order} LIMIT $${values.length + 1}`,
      );
      return (await database.queryAgain<unknown>(select, [...values, query.limit])).map(toAuditEntry);
    },
    async auditHead(): Promise<AuditHead | undefined> {
      const [head] = await database.queryAgain<AuditHead>(HEAD);
      return head;
    },
    trimAudit: (since: number, link: LinkEntry): Promise<number> =>
      database.transaction(async (query) => {
        const head = await lock(query);
        const [through] = await query<AuditHead & { entries: number }>(TRIMMED, [since]);
        if (!through) return 0;
        await append(query, [trimmedRow(through, through.entries)], head, link);
        await query(ALLOW_TRIM, [through.seq]);
        await query(TRIM, [through.seq]);
        return through.entries;
      }),
  };
}
