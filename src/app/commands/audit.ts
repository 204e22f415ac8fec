import { setTimeout as pause } from "node:timers/promises";
import { createAuditReader } from "../../observe/audit/read.ts";
import type { AuditEntry, AuditQuery } from "../../protocol/audit.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { auditLines } from "../../terminal/audit-view.ts";
import { report, say } from "../../terminal/output.ts";
import { withAudit } from "./open-audit.ts";
import { configOf } from "./open-tackle.ts";

const USUAL = 50;
const POLL_MS = 500;
const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Shows the newest entries of the audit log, the newest last. */
export async function run(line: CommandLine): Promise<number> {
  return withAudit(await configOf(line, false), async (store) => {
    const reader = createAuditReader(store);
    const { actor, action, session: sessionId, since, limit = USUAL, json } = line;
    const which: Omit<AuditQuery, "limit"> = { actor, action, sessionId, since: timeOf(since) };
    const entries = (await reader.list({ ...which, limit })).reverse();
    if (!line.follow) {
      report(line, entries, (columns, paint) => auditLines(entries, columns, paint));
      return 0;
    }
    const show = (some: readonly AuditEntry[]) => {
      if (json) for (const entry of some) say([JSON.stringify(entry)]);
      else report(line, some, (columns, paint) => auditLines(some, columns, paint));
    };
    show(entries);
    for (let last = entries.at(-1)?.seq ?? 0; ; ) {
      await pause(POLL_MS);
      const more = await reader.list({ ...which, after: last, limit: 1_000 });
      last = more.at(-1)?.seq ?? last;
      if (more.length > 0) show(more);
    }
  });
}

function timeOf(since: string | undefined): number | undefined {
  if (since === undefined) return undefined;
  const [, count, unit = ""] = /^(\d+)([smhd])$/.exec(since) ?? [];
  return count === undefined ? Date.parse(since) : Date.now() - Number(count) * (UNITS[unit] ?? 0);
}
