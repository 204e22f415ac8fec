import type { AuditEntry, AuditQuery } from "../../protocol/audit.ts";
import { Failure } from "../../protocol/failure.ts";
import { administrator } from "../administrator.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { namesOf } from "../names.ts";
import { readNumber } from "../query.ts";

const MAX_PAGE = 1_000;
const LINES = "application/x-ndjson";

/** The audit log, for administrators. */
export function auditRoute(): Route {
  return route("GET /admin/audit", async (c) => {
    await administrator(c);
    const { auditReader } = c.get("server").deps;
    if (!auditReader) throw new Failure("NOT_FOUND", "This server keeps no audit log.");
    const query = queryOf(c);
    const entries = await auditReader.list(query);
    if (wantsLines(c)) return c.body(linesOf(entries), 200, { "content-type": LINES });
    const last = entries.length === query.limit ? entries.at(-1)?.seq : undefined;
    const mentioned = entries.flatMap(({ actor, subject: { target } }) => [actor, target]);
    const people = new Set(mentioned.filter((id) => typeof id === "string"));
    return c.json({
      entries,
      names: Object.fromEntries(await namesOf(c.get("server"), people)),
      head: (await auditReader.head()) ?? null,
      next: last,
    });
  });
}

function queryOf(c: HttpContext): AuditQuery {
  const text = (name: string) => c.req.query(name) || undefined;
  const place = (name: string) =>
    text(name) === undefined ? undefined : readNumber(c, name, 0, 0, 999_999_999);
  const [after, before] = [place("after"), place("before")];
  if (after !== undefined && before !== undefined)
    throw new Failure("INVALID_INPUT", "Give after or before, not both.");
  return {
    after,
    before,
    actor: text("actor"),
    action: text("action"),
    sessionId: text("sessionId") ?? text("session"),
    since: timeIn(text("since")),
    limit: readNumber(c, "limit", 100, 1, MAX_PAGE),
  };
}

function timeIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new Failure("INVALID_INPUT", "since must be a time, such as 2030-01-31T12:00:00Z.");
}

function wantsLines(c: HttpContext): boolean {
  return c.req.query("format") === "ndjson" || (c.req.header("accept") ?? "").includes(LINES);
}

function linesOf(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
