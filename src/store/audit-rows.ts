import { z } from "zod";
import type { AuditHead, AuditQuery, AuditRow, LinkEntry, StoredAuditEntry } from "../protocol/audit.ts";
import { reader, text } from "./row-reader.ts";
import type { Value } from "./values.ts";

/** The place before the first entry. */
export const NO_ENTRY: AuditHead = { seq: 0, hash: "" };

export const AUDIT_COLUMNS = "seq, at, actor, action, session_id, subject_json, former, hash, seal";

/** Reads a row of `AUDIT_COLUMNS`. */
export const toAuditEntry = reader<StoredAuditEntry>(
  "Audit entry",
  z
    .object({
      seq: z.number(),
      at: z.number(),
      actor: z.string(),
      action: z.string(),
      sessionId: text,
      subjectJson: z.string(),
      former: z.string(),
      hash: z.string(),
      seal: z.string(),
    })
    .transform(({ subjectJson: subject, sessionId, ...entry }) => ({
      ...entry,
      subject,
      ...(sessionId === undefined ? {} : { sessionId }),
    })),
);

/** Returns the entries that follow the head, each with the hash of the one before it. */
export function linked(
  rows: readonly AuditRow[],
  head: AuditHead,
  at: number,
  link: LinkEntry,
): StoredAuditEntry[] {
  let { seq, hash: former } = head;
  return rows.map((row) => {
    seq += 1;
    const entry = { ...row, seq, at, former };
    const linking = link(entry);
    former = linking.hash;
    return { ...entry, ...linking };
  });
}

/** Returns the values of `AUDIT_COLUMNS`. */
export function auditValues(entry: StoredAuditEntry): (string | number | null)[] {
  const { seq, at, actor, action, sessionId = null, subject, former, hash, seal } = entry;
  return [seq, at, actor, action, sessionId, subject, former, hash, seal];
}

/** The entry that says which entries were removed, and from which hash the rest continues. */
export function trimmedRow(through: AuditHead, removed: number): AuditRow {
  const subject = JSON.stringify({ through: through.seq, hash: through.hash, entries: removed });
  return { actor: "system", action: "audit.trimmed", subject };
}

/** Returns a query as conditions and their values. `mark` numbers the values from 1 on. */
export function auditConditions(
  query: AuditQuery,
  mark: (number: number) => string,
): { where: string; order: "ASC" | "DESC"; values: Exclude<Value, boolean | null>[] } {
  const { after, before, actor, action, sessionId, since } = query;
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (value: string | number | undefined, condition: (mark: string) => string) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(mark(values.length)));
  };
  add(after, (value) => `seq > ${value}`);
  add(before, (value) => `seq < ${value}`);
  add(actor, (value) => `actor = ${value}`);
  add(since, (value) => `at >= ${value}`);
  add(sessionId, (value) => `session_id = ${value}`);
  if (action?.includes(".")) add(action, (value) => `action = ${value}`);
  else
    add(
      action === undefined ? undefined : `${action}.`,
      (value) => `substr(action, 1, length(${value})) = ${value}`,
    );
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  return { where, order: after === undefined ? "DESC" : "ASC", values };
}
