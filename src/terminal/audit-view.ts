import type { AuditEntry } from "../protocol/audit.ts";
import { visibleLine } from "../protocol/visible-text.ts";
import { table } from "./listings.ts";
import type { Paint } from "./style.ts";

/** A table of entries of the audit log: when, who, what, and about what. */
export function auditLines(entries: readonly AuditEntry[], columns: number, paint: Paint): string[] {
  if (entries.length === 0) return ["No entries."];
  return table(["TIME", "NO.", "WHO", "WHAT", "ABOUT"], entries.map(rowOf), columns, paint);
}

function rowOf({ seq, at, actor, action, sessionId, subject }: AuditEntry): string[] {
  const about = Object.entries({ ...subject, ...(sessionId === undefined ? {} : { session: sessionId }) });
  return [
    at.replace("T", " ").replace(/\.\d+Z$/, "Z"),
    String(seq),
    visibleLine(actor),
    visibleLine(action),
    about.map(([name, value]) => visibleLine(`${name}=${shown(value)}`)).join(" "),
  ];
}

/** Words with spaces are quoted. Hashes are shortened: `--json` has them whole. */
function shown(value: unknown): string {
  const text = String(value);
  if (/^[0-9a-f]{64}$/.test(text)) return `${text.slice(0, 12)}…`;
  return /\s/.test(text) ? JSON.stringify(text) : text;
}
