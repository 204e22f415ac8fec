import type { AlwaysApprovals } from "../../protocol/always.ts";
import { Failure } from "../../protocol/failure.ts";
import { aboutAct } from "../audited.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";

/** What the caller said "always" to. */
export function alwaysRoutes(): Route[] {
  return [
    route("GET /me/approvals", async (c) => {
      const { id } = await authenticate(c);
      return c.json({ approvals: await alwaysOf(c).list(id) });
    }),
    route("DELETE /me/approvals/:id", async (c) => {
      const { id } = await authenticate(c);
      const { covers, sessionId } = await alwaysOf(c).remove(id, pathParameter(c, "id"));
      aboutAct(c, { subject: { tool: covers.tool, session: sessionId } });
      return c.body(null, 204);
    }),
  ];
}

function alwaysOf(c: HttpContext): AlwaysApprovals {
  const { always } = c.get("server").deps;
  if (always) return always;
  throw new Failure("NOT_FOUND", "This server does not store settings.");
}
