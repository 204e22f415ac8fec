import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { MAX_BYTES_WITH_IMAGES, readJson } from "../body.ts";
import type { HttpContext, Route, ServerState } from "../context.ts";
import { AgUiEvents } from "../dialects/ag-ui/ag-ui-events.ts";
import { readAgUiRequest } from "../dialects/ag-ui/ag-ui-request.ts";
import { pausingFrames } from "../dialects/front-ends/pauses.ts";
import {
  decideCalls,
  stopUnderWay,
  type ThreadTurn,
  toThreadTurn,
  turnsFor,
} from "../dialects/front-ends/thread.ts";
import { answerWithStream } from "../follow.ts";

/** AG-UI: what CopilotKit and other clients of that protocol speak. */
export function chatAgUiRoutes(server: ServerState): Route[] {
  return [{ method: "POST", path: "/chat/ag-ui", handle: (c) => postRun(c, server) }];
}

async function postRun(c: HttpContext, server: ServerState): Promise<Response> {
  const body = await readJson(c.req.raw, c.env?.incoming, MAX_BYTES_WITH_IMAGES);
  const { thread, runId: name, turn, onDisconnect } = readAgUiRequest(body);
  const idempotencyKey = readIdempotencyKey(c);
  const started = await beginTurn(c, server, async (principal) => {
    const chat = server.deps.chatFor(principal);
    const goesOn = await decideCalls(server, principal, thread);
    if (goesOn) return { chat, ...goesOn };
    if (idempotencyKey === undefined) await stopUnderWay(server, principal, thread);
    const turns = turnsFor(server, principal);
    const request = await toThreadTurn(turns, thread, turn);
    const { requestId, traceparent } = c.var;
    const options = { idempotencyKey, requestId, traceparent, body };
    return { chat, ...((await turns.start(request, options)) as ThreadTurn) };
  });
  const { chat, runId, clientTools, goOnFrom, decided } = started;
  const events = new AgUiEvents({ threadId: thread.id, runId: name, clientTools });
  return answerWithStream(c, server, {
    runId,
    after: 0,
    kind: "new",
    encoder: pausingFrames(events, { goOnFrom, decided, end: "" }),
    onGone: onDisconnect === "cancel" ? () => chat.cancel(runId) : undefined,
  });
}
