import { Failure } from "../../protocol/failure.ts";
import { answerRequest, decisionRequest, messageChange, messageToRun } from "../../protocol/requests.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { readRequest } from "../body.ts";
import { authenticate, chatOf } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { ownCallId } from "../dialects/front-ends/thread.ts";
import { answerWithStream, checkFollower } from "../follow.ts";
import { readAfter } from "../query.ts";

/** Runs: resume, cancel, approve calls, send messages into them, read whole results. */
export function runRoutes(): Route[] {
  return [
    route("GET /runs/:id/events", getEvents),
    route("POST /runs/:id/cancel", postCancel),
    route("POST /runs/:id/retry", async (c) => {
      await (await chatOf(c)).tryNow(pathParameter(c, "id"));
      return c.json({ ok: true });
    }),
    route("POST /runs/:id/approvals/:toolCallId", postApproval),
    route("POST /runs/:id/answers/:toolCallId", postAnswer),
    route("GET /me/questions", getQuestions),
    route("POST /runs/:id/messages", postMessage),
    route("GET /runs/:id/messages", getMessages),
    route("PATCH /runs/:id/messages/:messageId", patchMessage),
    route("DELETE /runs/:id/messages/:messageId", deleteMessage),
    route("GET /runs/:id/results/:toolCallId", async (c) => {
      const chat = await chatOf(c);
      return c.text(await chat.readResult(pathParameter(c, "id"), pathParameter(c, "toolCallId")));
    }),
  ];
}

async function getEvents(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const after = readAfter(c);
  const principal = await authenticate(c);
  const { id: runId, eventsCleared } = await server.deps.ownRun(principal, pathParameter(c, "id"));
  if (eventsCleared && after > 0) {
    throw new Failure(
      "NOT_FOUND",
      "This run ended long ago and its events were deleted. Follow it from the start to get its answer, or read its session.",
    );
  }
  checkFollower(server);
  return answerWithStream(c, { runId, after, kind: "resumed" });
}

async function postCancel(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const principal = await authenticate(c);
  const { id: runId } = await server.deps.ownRun(principal, pathParameter(c, "id"));
  await server.deps.chatFor(principal).cancel(runId);
  return c.json({ ok: true });
}

async function postApproval(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const decision = await readRequest(c, decisionRequest);
  const principal = await authenticate(c);
  const { id: runId } = await server.deps.ownRun(principal, pathParameter(c, "id"));
  const toolCallId = await ownCallId(server, principal, runId, pathParameter(c, "toolCallId"));
  await server.deps.chatFor(principal).decide(runId, toolCallId, decision);
  return c.json({ ok: true });
}

async function postAnswer(c: HttpContext): Promise<Response> {
  const { answer } = await readRequest(c, answerRequest);
  const principal = await authenticate(c);
  const server = c.get("server");
  const runId = pathParameter(c, "id");
  const toolCallId = await ownCallId(server, principal, runId, pathParameter(c, "toolCallId"));
  await server.deps.chatFor(principal).answer(runId, toolCallId, answer);
  return c.json({ ok: true });
}

async function getQuestions(c: HttpContext): Promise<Response> {
  const principal = await authenticate(c);
  return c.json({ questions: await c.get("server").deps.chatFor(principal).questions() });
}

/** A message to a run counts like one to a session. */
async function postMessage(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const message = await readRequest(c, messageToRun);
  const idempotencyKey = readIdempotencyKey(c);
  const { messageId } = await beginTurn(c, (principal) =>
    server.deps.chatFor(principal).steer(pathParameter(c, "id"), message, { idempotencyKey }),
  );
  return c.json({ messageId }, 202);
}

async function getMessages(c: HttpContext): Promise<Response> {
  const principal = await authenticate(c);
  const chat = c.get("server").deps.chatFor(principal);
  return c.json({ messages: await chat.waitingMessages(pathParameter(c, "id")) });
}

async function patchMessage(c: HttpContext): Promise<Response> {
  const change = await readRequest(c, messageChange);
  const principal = await authenticate(c);
  const chat = c.get("server").deps.chatFor(principal);
  return c.json(await chat.changeMessage(pathParameter(c, "id"), pathParameter(c, "messageId"), change));
}

async function deleteMessage(c: HttpContext): Promise<Response> {
  const principal = await authenticate(c);
  const chat = c.get("server").deps.chatFor(principal);
  await chat.withdrawMessage(pathParameter(c, "id"), pathParameter(c, "messageId"));
  return c.body(null, 204);
}
