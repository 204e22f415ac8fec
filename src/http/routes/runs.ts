import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import { decisionRequest } from "../../protocol/requests.ts";
import { readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import type { RunOwner } from "../dependencies.ts";
import { answerWithStream, checkCapacity } from "../follow.ts";

/** Runs: resume, cancel, approve calls. */
export function runRoutes(): Route[] {
  return [
    route("GET /runs/:id/events", getEvents),
    route("POST /runs/:id/cancel", postCancel),
    route("POST /runs/:id/approvals/:toolCallId", postApproval),
  ];
}

async function getEvents(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const after = readAfter(c);
  const principal = await authenticate(c);
  const { runId, eventsCleared } = await ownRun(c, principal);
  if (eventsCleared && after > 0) {
    throw new Failure(
      "NOT_FOUND",
      "This run ended long ago and its events were deleted. Follow it from the start to get its answer, or read its session.",
    );
  }
  checkCapacity(server);
  return answerWithStream(c, { runId, after, kind: "resumed" });
}

async function postCancel(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const principal = await authenticate(c);
  const { runId } = await ownRun(c, principal);
  await server.deps.chatFor(principal).cancel(runId);
  return c.json({ ok: true });
}

async function postApproval(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const decision = await readRequest(c, decisionRequest);
  const principal = await authenticate(c);
  const { runId } = await ownRun(c, principal);
  await server.deps.chatFor(principal).decide(runId, pathParameter(c, "toolCallId"), decision);
  return c.json({ ok: true });
}

/** Returns the run in the path. Throws if it is not the caller's. */
async function ownRun(c: HttpContext, principal: Principal): Promise<RunOwner & { runId: string }> {
  const server = c.get("server");
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
