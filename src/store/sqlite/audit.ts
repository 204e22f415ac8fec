import type { AuditHead, AuditQuery, AuditRow, LinkEntry, StoredAuditEntry } from "../../protocol/audit.ts";
import {
  AUDIT_COLUMNS,
  auditConditions,
  auditValues,
  linked,
  NO_ENTRY,
  toAuditEntry,
  trimmedRow,
} from "../audit-rows.ts";
import type { Database } from "./database.ts";

/** The audit log. Writers of all processes take turns, because each transaction begins with the lock for writing. */
export function auditOf(database: Database) {
  const selectHead = database.prepare<AuditHead>("SELECT seq, hash FROM audit_head");
  const putHead = database.prepare(
    `INSERT INTO audit_head (id, seq, hash) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
  );
  const insert = database.prepare(
    `INSERT INTO audit_log (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const firstSince = database.prepare<{ seq: number | null }>(
    "SELECT min(seq) AS seq FROM audit_log WHERE at >= ?",
  );
  const newestBefore = database.prepare<AuditHead>(
    "SELECT seq, hash FROM audit_log WHERE seq < ? ORDER BY seq DESC LIMIT 1",
  );
  const count = database.prepare<{ entries: number }>(
    "SELECT count(*) AS entries FROM audit_log WHERE seq <= ?",
  );
  const allowTrim = database.prepare("UPDATE audit_head SET trimmed_seq = ?");
  const trim = database.prepare("DELETE FROM audit_log WHERE seq <= ?");

  const head = () => {
    const found = selectHead.get();
    return found && { seq: found.seq, hash: found.hash };
  };

  function append(rows: readonly AuditRow[], link: LinkEntry): void {
    const entries = linked(rows, head() ?? NO_ENTRY, database.now(), link);
    for (const entry of entries) insert.run(...auditValues(entry));
    const last = entries.at(-1);
    if (last) putHead.run(last.seq, last.hash);
  }

  return {
    appendAudit(rows: readonly AuditRow[], link: LinkEntry): void {
      database.transaction(() => append(rows, link));
    },
    readAudit(query: AuditQuery): StoredAuditEntry[] {
      const { where, order, values } = auditConditions(query, (number) => `?${number}`);
      return database
        .prepare<unknown>(
          `SELECT ${AUDIT_COLUMNS} FROM audit_log ${where} ORDER BY seq ${order} LIMIT ?${values.length + 1}`,
        )
        .all(...values, query.limit)
        .map(toAuditEntry);
    },
    auditHead: head,
    trimAudit: (since: number, link: LinkEntry): number =>
      database.transaction(() => {
        const from = firstSince.get(since)?.seq ?? (head()?.seq ?? 0) + 1;
        const through = newestBefore.get(from);
        if (!through) return 0;
        const { entries } = count.get(through.seq) ?? { entries: 0 };
        append([trimmedRow(through, entries)], link);
        allowTrim.run(through.seq);
        trim.run(through.seq);
        return entries;
      }),
  };
}
