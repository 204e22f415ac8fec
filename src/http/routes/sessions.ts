import { Failure } from "../../protocol/failure.ts";
import { newSessionRequest, parseRequest, sessionChange } from "../../protocol/requests.ts";
import { MAX_BYTES_WITH_IMAGES, readJson, readOptionalJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { HttpContext, Route, ServerState } from "../context.ts";

const MAX_PAGE = 200;

/** The caller's conversations. */
export function sessionRoutes(server: ServerState): Route[] {
  const chatOf = async (c: HttpContext) => server.deps.chatFor(await authenticate(c, server));
  return [
    {
      method: "GET",
      path: "/sessions",
      async handle(c) {
        const options = {
          limit: readLimit(c) ?? 50,
          before: c.req.query("before"),
          query: c.req.query("query"),
          pinned: c.req.query("pinned") === "true",
        };
        const chat = await chatOf(c);
        return c.json({ sessions: await chat.listSessions(options) });
      },
    },
    {
      method: "POST",
      path: "/sessions",
      async handle(c) {
        const options = parseRequest(newSessionRequest, await readOptionalJson(c.req.raw, c.env?.incoming));
        const chat = await chatOf(c);
        return c.json(await chat.createSession(options), 201);
      },
    },
    {
      method: "POST",
      path: "/sessions/import",
      async handle(c) {
        const document = await readJson(c.req.raw, c.env?.incoming, MAX_BYTES_WITH_IMAGES);
        const chat = await chatOf(c);
        return c.json({ sessions: await chat.importSessions(document) }, 201);
      },
    },
    {
      method: "GET",
      path: "/sessions/:id",
      handle: async (c) => c.json(await (await chatOf(c)).getSession(sessionId(c))),
    },
    {
      method: "PATCH",
      path: "/sessions/:id",
      async handle(c) {
        const { title, show, pinned } = parseRequest(
          sessionChange,
          await readJson(c.req.raw, c.env?.incoming),
        );
        const chat = await chatOf(c);
        if (show !== undefined) await chat.showMessage(sessionId(c), show);
        if (pinned !== undefined) await chat.pinSession(sessionId(c), pinned);
        if (title !== undefined) await chat.renameSession(sessionId(c), title);
        return c.json(await chat.getSession(sessionId(c)));
      },
    },
    {
      method: "DELETE",
      path: "/sessions/:id",
      async handle(c) {
        const chat = await chatOf(c);
        const report =
          c.req.query("rollback") === "true" ? await chat.rollbackSession(sessionId(c)) : undefined;
        // What could not be undone can still be, for as long as the session knows how.
        if (report && report.notUndone.length > 0) return c.json({ deleted: false, ...report }, 409);
        await chat.deleteSession(sessionId(c));
        if (report) return c.json({ deleted: true, ...report });
        return c.body(null, 204);
      },
    },
    {
      method: "POST",
      path: "/sessions/:id/rollback",
      handle: async (c) => c.json(await (await chatOf(c)).rollbackSession(sessionId(c))),
    },
    {
      method: "GET",
      path: "/sessions/:id/messages",
      async handle(c) {
        const options = { limit: readLimit(c), before: c.req.query("before") };
        const chat = await chatOf(c);
        return c.json({ messages: await chat.messages(sessionId(c), options) });
      },
    },
    { method: "GET", path: "/sessions/:id/export", handle: (c) => exportSession(c, server) },
  ];
}

async function exportSession(c: HttpContext, server: ServerState): Promise<Response> {
  const format = c.req.query("format") ?? "json";
  if (format !== "json" && format !== "md") throw new Failure("INVALID_INPUT", "format must be json or md.");
  const chat = server.deps.chatFor(await authenticate(c, server));
  const text = await chat.exportSession(sessionId(c), format);
  const name = `session-${sessionId(c).replace(/[^A-Za-z0-9_-]/g, "")}.${format}`;
  return c.body(text, 200, {
    "content-type": `${format === "json" ? "application/json" : "text/markdown"}; charset=utf-8`,
    "content-disposition": `attachment; filename="${name}"`,
  });
}

function sessionId(c: HttpContext): string {
  return c.req.param("id") ?? "";
}

function readLimit(c: HttpContext): number | undefined {
  const text = c.req.query("limit");
  if (text === undefined) return undefined;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new Failure("INVALID_INPUT", `limit must be a number from 1 to ${MAX_PAGE}.`);
}
