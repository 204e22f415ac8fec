import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { MAX_BYTES_WITH_IMAGES, readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { HttpContext, Route, ServerState } from "../context.ts";
import { pausingFrames } from "../dialects/front-ends/pauses.ts";
import {
  clientToolsOf,
  decideCalls,
  findUnderWay,
  stopUnderWay,
  type ThreadTurn,
  toThreadTurn,
  turnsFor,
} from "../dialects/front-ends/thread.ts";
import { earlierChunks } from "../dialects/ui-stream/earlier-runs.ts";
import { UiChunks } from "../dialects/ui-stream/ui-chunks.ts";
import { readUiRequest } from "../dialects/ui-stream/ui-request.ts";
import { answerWithStream, checkCapacity } from "../follow.ts";
import { ownOrigin } from "../own-origin.ts";
import type { StreamEncoder } from "../sse.ts";

const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };
const END = "data: [DONE]\n\n";

/** The AI SDK's chat: `useChat` with its default transport. */
export function chatUiRoutes(server: ServerState): Route[] {
  return [
    { method: "POST", path: "/chat/ui", handle: (c) => postChat(c, server) },
    { method: "GET", path: "/chat/ui/:id/stream", handle: (c) => getStream(c, server) },
    { method: "POST", path: "/chat/ui/:id/stop", handle: (c) => postStop(c, server) },
  ];
}

async function postChat(c: HttpContext, server: ServerState): Promise<Response> {
  const body = await readJson(c.req.raw, c.env?.incoming, MAX_BYTES_WITH_IMAGES);
  const { thread, turn, continued, onDisconnect } = readUiRequest(body);
  const idempotencyKey = readIdempotencyKey(c);
  const origin = ownOrigin(c, server);
  const started = await beginTurn(c, server, async (principal) => {
    const chat = server.deps.chatFor(principal);
    const goesOn = await decideCalls(server, principal, thread);
    if (goesOn) return { chat, ...goesOn };
    if (idempotencyKey === undefined) await stopUnderWay(server, principal, thread);
    const turns = turnsFor(server, principal);
    // What a client that comes back to this turn has to be told again.
    const echo = { store: false, ...(continued ? { continued } : {}) };
    const request = await toThreadTurn(turns, thread, { ...turn, echo });
    const { requestId, traceparent } = c.var;
    const options = { idempotencyKey, requestId, traceparent, body };
    return { chat, ...((await turns.start(request, options)) as ThreadTurn) };
  });
  const { chat, runId, clientTools, goOnFrom, decided } = started;
  const chunks = new UiChunks({ clientTools, origin, messageId: continued?.messageId });
  return answerWithStream(c, server, {
    runId,
    after: 0,
    kind: "new",
    encoder: pausingFrames(chunks, { goOnFrom, decided, headers: HEADERS, end: END }),
    onGone: onDisconnect === "cancel" ? () => chat.cancel(runId) : undefined,
  });
}

/** The answer under way, from its beginning; 204 where there is none. */
async function getStream(c: HttpContext, server: ServerState): Promise<Response> {
  const principal = await authenticate(c, server);
  const found = await findUnderWay(server, principal, { protocol: "ui", id: c.req.param("id") ?? "" });
  if (!found) return c.body(null, 204);
  checkCapacity(server);
  const origin = ownOrigin(c, server);
  const { messageId, chunks: before } = await earlierChunks(turnsFor(server, principal), found, origin);
  const chunks = new UiChunks({ clientTools: clientToolsOf(found), origin, messageId });
  const frames = pausingFrames(chunks, { decided: found.decided, headers: HEADERS, end: END });
  const encoder: StreamEncoder = before === "" ? frames : startingWith(before, frames);
  return answerWithStream(c, server, { runId: found.runId, after: 0, kind: "resumed", encoder });
}

/** Stops the answer under way: closing the connection alone does not. */
async function postStop(c: HttpContext, server: ServerState): Promise<Response> {
  const principal = await authenticate(c, server);
  const found = await findUnderWay(server, principal, { protocol: "ui", id: c.req.param("id") ?? "" });
  if (found) await server.deps.chatFor(principal).cancel(found.runId);
  return c.json({ stopped: found !== undefined });
}

function startingWith(before: string, frames: StreamEncoder): StreamEncoder {
  let begun = false;
  return {
    ...frames,
    encode(events) {
      const text = frames.encode(events);
      if (begun || text === "") return text;
      begun = true;
      return before + text;
    },
  };
}
