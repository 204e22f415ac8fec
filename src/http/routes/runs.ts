import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import { decisionRequest } from "../../protocol/requests.ts";
import { readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route, type ServerState } from "../context.ts";
import type { RunOwner } from "../dependencies.ts";
import { answerWithStream, checkCapacity } from "../follow.ts";

/** Following a run again, stopping it, deciding on its calls. */
export function runRoutes(server: ServerState): Route[] {
  return [
    route("GET /runs/:id/events", (c) => getEvents(c, server)),
    route("POST /runs/:id/cancel", (c) => postCancel(c, server)),
    route("POST /runs/:id/approvals/:toolCallId", (c) => postApproval(c, server)),
  ];
}

async function getEvents(c: HttpContext, server: ServerState): Promise<Response> {
  const after = readAfter(c);
  const principal = await authenticate(c, server);
  const { runId, eventsCleared } = await ownRun(c, server, principal);
  if (eventsCleared && after > 0) {
    throw new Failure(
      "NOT_FOUND",
      "This run ended long ago and its events are gone. Follow it from the start to get its answer, or read its session.",
    );
  }
  checkCapacity(server);
  return answerWithStream(c, server, { runId, after, kind: "resumed" });
}

async function postCancel(c: HttpContext, server: ServerState): Promise<Response> {
  const principal = await authenticate(c, server);
  const { runId } = await ownRun(c, server, principal);
  await server.deps.chatFor(principal).cancel(runId);
  return c.json({ ok: true });
}

async function postApproval(c: HttpContext, server: ServerState): Promise<Response> {
  const decision = await readRequest(c, decisionRequest);
  const principal = await authenticate(c, server);
  const { runId } = await ownRun(c, server, principal);
  await server.deps.chatFor(principal).decide(runId, pathParameter(c, "toolCallId"), decision);
  return c.json({ ok: true });
}

/** The run in the address, once it is known to be the caller's. */
async function ownRun(
  c: HttpContext,
  server: ServerState,
  principal: Principal,
): Promise<RunOwner & { runId: string }> {
  const runId = pathParameter(c, "id");
  const owner = await server.deps.runOwner(runId);
  if (!owner) throw new Failure("NOT_FOUND", "There is no such run.");
  if (owner.userId !== principal.id) throw new Failure("FORBIDDEN", "This run belongs to somebody else.");
  return { ...owner, runId };
}

function readAfter(c: HttpContext): number {
  const text = c.req.header("last-event-id") || c.req.query("after") || "0";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure("INVALID_INPUT", "Last-Event-ID and after must be the number of an event.");
}
