import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import { decisionRequest, parseRequest } from "../../protocol/requests.ts";
import { readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import type { RunOwner } from "../dependencies.ts";
import { answerWithStream, checkCapacity } from "../follow.ts";

/** Following a run again, stopping it, deciding on its calls. */
export function runRoutes(door: Door): Route[] {
  return [
    { method: "GET", path: "/runs/:id/events", handle: (c) => getEvents(c, door) },
    { method: "POST", path: "/runs/:id/cancel", handle: (c) => postCancel(c, door) },
    { method: "POST", path: "/runs/:id/approvals/:toolCallId", handle: (c) => postApproval(c, door) },
  ];
}

async function getEvents(c: HttpContext, door: Door): Promise<Response> {
  const after = readAfter(c);
  const principal = await authenticate(c, door);
  const { runId, eventsCleared } = await ownRun(c, door, principal);
  if (eventsCleared && after > 0) {
    throw new Failure(
      "NOT_FOUND",
      "This run ended long ago and its events are gone. Follow it from the start to get its answer, or read its session.",
    );
  }
  checkCapacity(door);
  return answerWithStream(c, door, { runId, after, kind: "resumed" });
}

async function postCancel(c: HttpContext, door: Door): Promise<Response> {
  const principal = await authenticate(c, door);
  const { runId } = await ownRun(c, door, principal);
  await door.deps.chatFor(principal).cancel(runId);
  return c.json({ ok: true });
}

async function postApproval(c: HttpContext, door: Door): Promise<Response> {
  const decision = parseRequest(decisionRequest, await readJson(c.req.raw, c.env?.incoming));
  const principal = await authenticate(c, door);
  const { runId } = await ownRun(c, door, principal);
  await door.deps.chatFor(principal).decide(runId, c.req.param("toolCallId") ?? "", decision);
  return c.json({ ok: true });
}

/** The run in the address, once it is known to be the caller's. */
async function ownRun(
  c: HttpContext,
  door: Door,
  principal: Principal,
): Promise<RunOwner & { runId: string }> {
  const runId = c.req.param("id") ?? "";
  const owner = await door.deps.runOwner(runId);
  if (!owner) throw new Failure("NOT_FOUND", "There is no such run.");
  if (owner.userId !== principal.id) throw new Failure("FORBIDDEN", "This run belongs to somebody else.");
  return { ...owner, runId };
}

function readAfter(c: HttpContext): number {
  const text = c.req.header("last-event-id") || c.req.query("after") || "0";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure("INVALID_INPUT", "Last-Event-ID and after must be the number of an event.");
}
