import type { AuditEntry, AuditReader, AuditRows, StoredAuditEntry } from "../../protocol/audit.ts";
import { parseObject } from "../../protocol/json.ts";

/** Reads entries, whether or not the chain is whole. */
export function createAuditReader(rows: Pick<AuditRows, "readAudit" | "auditHead">): AuditReader {
  return {
    list: async (query) => (await rows.readAudit(query)).map(toEntry),
    head: () => rows.auditHead(),
  };
}

function toEntry({ at, subject, ...entry }: StoredAuditEntry): AuditEntry {
  const { seq, actor, action, sessionId, former, hash, seal } = entry;
  return {
    seq,
    at: new Date(at).toISOString(),
    actor,
    action,
    sessionId,
    subject: parseObject(subject) ?? {},
    former,
    hash,
    seal,
  };
}
