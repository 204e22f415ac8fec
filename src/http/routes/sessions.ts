import { Failure } from "../../protocol/failure.ts";
import {
  compactRequest,
  newSessionRequest,
  rollbackRequest,
  sessionChange,
} from "../../protocol/requests.ts";
import { readJson, readOptionalRequest, readRequest } from "../body.ts";
import { chatOf } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { answerList } from "../large-answer.ts";

const MAX_PAGE = 200;
const MOST_WAITING = 20;

/** The caller's conversations. */
export function sessionRoutes(): Route[] {
  return [
    route("GET /sessions", async (c) => {
      const options = {
        limit: readLimit(c) ?? 50,
        before: c.req.query("before"),
        query: c.req.query("query"),
        pinned: c.req.query("pinned") === "true",
        archived: c.req.query("archived") === "true",
        projectId: c.req.query("projectId"),
      };
      const chat = await chatOf(c);
      const [sessions, archived, waiting] = await Promise.all([
        chat.listSessions(options),
        chat.countArchived(),
        chat.listSessions({ limit: MOST_WAITING, waiting: true }),
      ]);
      return c.json({ sessions, archived, waiting });
    }),
    route("POST /sessions", async (c) => {
      const options = await readOptionalRequest(c, newSessionRequest);
      const chat = await chatOf(c);
      return c.json(await chat.createSession(options), 201);
    }),
    route("POST /sessions/import", async (c) => {
      const document = await readJson(c, "conversation");
      const chat = await chatOf(c);
      return c.json({ sessions: await chat.importSessions(document) }, 201);
    }),
    route("GET /sessions/:id", async (c) =>
      c.json(await (await chatOf(c)).getSession(pathParameter(c, "id"))),
    ),
    route("PATCH /sessions/:id", async (c) => {
      const change = await readRequest(c, sessionChange);
      const { title, show, pinned, archived, projectId, parameters } = change;
      const chat = await chatOf(c);
      if (change.temporary === false) await chat.keepSession(pathParameter(c, "id"));
      if (show !== undefined) await chat.showMessage(pathParameter(c, "id"), show);
      if (archived !== undefined) await chat.archiveSession(pathParameter(c, "id"), archived);
      if (pinned !== undefined) await chat.pinSession(pathParameter(c, "id"), pinned);
      if (projectId !== undefined) await chat.moveSession(pathParameter(c, "id"), projectId);
      if (parameters !== undefined) await chat.setParameters(pathParameter(c, "id"), parameters);
      if (title !== undefined) await chat.renameSession(pathParameter(c, "id"), title);
      return c.json(await chat.getSession(pathParameter(c, "id")));
    }),
    route("DELETE /sessions", async (c) => c.json({ deleted: await (await chatOf(c)).deleteAllSessions() })),
    route("DELETE /sessions/:id", async (c) => {
      const chat = await chatOf(c);
      const report =
        c.req.query("rollback") === "true" ? await chat.rollbackSession(pathParameter(c, "id")) : undefined;
      // Keep the session if something could not be undone, so that it can be tried again.
      if (report && report.notUndone.length > 0) return c.json({ deleted: false, ...report }, 409);
      await chat.deleteSession(pathParameter(c, "id"));
      if (report) return c.json({ deleted: true, ...report });
      return c.body(null, 204);
    }),
    route("POST /sessions/:id/rollback", async (c) => {
      const options = await readOptionalRequest(c, rollbackRequest);
      return c.json(await (await chatOf(c)).rollbackSession(pathParameter(c, "id"), options));
    }),
    route("POST /sessions/:id/compact", async (c) => {
      const options = await readOptionalRequest(c, compactRequest);
      return c.json(await (await chatOf(c)).compact(pathParameter(c, "id"), options));
    }),
    route("GET /sessions/:id/summaries", async (c) => {
      const chat = await chatOf(c);
      return c.json({ summaries: await chat.summaries(pathParameter(c, "id")) });
    }),
    route("GET /sessions/:id/messages", async (c) => {
      const options = { limit: readLimit(c), before: c.req.query("before") };
      const chat = await chatOf(c);
      return answerList(c, "messages", await chat.messages(pathParameter(c, "id"), options));
    }),
    route("GET /sessions/:id/commands", async (c) => {
      const chat = await chatOf(c);
      return c.json({ commands: await chat.commands(pathParameter(c, "id")) });
    }),
    route("POST /sessions/:id/commands/:commandId/stop", async (c) => {
      const chat = await chatOf(c);
      return c.json(await chat.stopCommand(pathParameter(c, "id"), pathParameter(c, "commandId")));
    }),
  ];
}

/** Reads the number of items that a page may have. */
export function readLimit(c: HttpContext): number | undefined {
  const text = c.req.query("limit");
  if (text === undefined) return undefined;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new Failure("INVALID_INPUT", `limit must be a number from 1 to ${MAX_PAGE}.`);
}
