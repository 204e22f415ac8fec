import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { MAX_BYTES_WITH_IMAGES, readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
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
export function chatUiRoutes(door: Door): Route[] {
  return [
    { method: "POST", path: "/chat/ui", handle: (c) => postChat(c, door) },
    { method: "GET", path: "/chat/ui/:id/stream", handle: (c) => getStream(c, door) },
    { method: "POST", path: "/chat/ui/:id/stop", handle: (c) => postStop(c, door) },
  ];
}

async function postChat(c: HttpContext, door: Door): Promise<Response> {
  const body = await readJson(c.req.raw, c.env?.incoming, MAX_BYTES_WITH_IMAGES);
  const { thread, turn, continued, onDisconnect } = readUiRequest(body);
  const idempotencyKey = readIdempotencyKey(c);
  const origin = ownOrigin(c, door);
  const started = await beginTurn(c, door, async (principal) => {
    const chat = door.deps.chatFor(principal);
    const goesOn = await decideCalls(door, principal, thread);
    if (goesOn) return { chat, ...goesOn };
    if (idempotencyKey === undefined) await stopUnderWay(door, principal, thread);
    const turns = turnsFor(door, principal);
    // What a client that comes back to this turn has to be told again.
    const echo = { store: false, ...(continued ? { continued } : {}) };
    const request = await toThreadTurn(turns, thread, { ...turn, echo });
    const { requestId, traceparent } = c.var;
    const options = { idempotencyKey, requestId, traceparent, body };
    return { chat, ...((await turns.start(request, options)) as ThreadTurn) };
  });
  const { chat, runId, clientTools, goOnFrom, decided } = started;
  const chunks = new UiChunks({ clientTools, origin, messageId: continued?.messageId });
  return answerWithStream(c, door, {
    runId,
    after: 0,
    kind: "new",
    encoder: pausingFrames(chunks, { goOnFrom, decided, headers: HEADERS, end: END }),
    onGone: onDisconnect === "cancel" ? () => chat.cancel(runId) : undefined,
  });
}

/** The answer under way, from its beginning; 204 where there is none. */
async function getStream(c: HttpContext, door: Door): Promise<Response> {
  const principal = await authenticate(c, door);
  const found = await findUnderWay(door, principal, { protocol: "ui", id: c.req.param("id") ?? "" });
  if (!found) return c.body(null, 204);
  checkCapacity(door);
  const origin = ownOrigin(c, door);
  const { messageId, chunks: before } = await earlierChunks(turnsFor(door, principal), found, origin);
  const chunks = new UiChunks({ clientTools: clientToolsOf(found), origin, messageId });
  const frames = pausingFrames(chunks, { decided: found.decided, headers: HEADERS, end: END });
  const encoder: StreamEncoder = before === "" ? frames : startingWith(before, frames);
  return answerWithStream(c, door, { runId: found.runId, after: 0, kind: "resumed", encoder });
}

/** Stops the answer under way: closing the connection alone does not. */
async function postStop(c: HttpContext, door: Door): Promise<Response> {
  const principal = await authenticate(c, door);
  const found = await findUnderWay(door, principal, { protocol: "ui", id: c.req.param("id") ?? "" });
  if (found) await door.deps.chatFor(principal).cancel(found.runId);
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
