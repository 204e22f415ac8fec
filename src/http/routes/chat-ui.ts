import { readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { pausingStream } from "../dialects/front-ends/pausing-stream.ts";
import { startThread } from "../dialects/front-ends/start-thread.ts";
import { clientToolsOf, findActiveRun } from "../dialects/front-ends/thread.ts";
import { turnsFor } from "../dialects/turns.ts";
import { earlierChunks } from "../dialects/ui-stream/earlier-runs.ts";
import { UiChunks } from "../dialects/ui-stream/ui-chunks.ts";
import { readUiRequest } from "../dialects/ui-stream/ui-request.ts";
import { answerWithStream, checkFollower } from "../follow.ts";
import { ownOrigin } from "../own-origin.ts";
import type { StreamEncoder } from "../sse.ts";

const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };
const END = "data: [DONE]\n\n";

/** The AI SDK's `useChat` with its default transport. */
export function chatUiRoutes(): Route[] {
  return [
    route("POST /chat/ui", postChat),
    route("GET /chat/ui/:id/stream", getStream),
    route("POST /chat/ui/:id/stop", postStop),
  ];
}

async function postChat(c: HttpContext): Promise<Response> {
  const body = await readJson(c, "conversation");
  const { thread, turn, continued, onDisconnect } = readUiRequest(body);
  // A client that reconnects needs the earlier runs of the message again.
  const echo = { store: false, ...(continued ? { continued } : {}) };
  const origin = ownOrigin(c);
  const started = await startThread(c, { thread, turn: { ...turn, echo }, body });
  const { chat, runId, clientTools, resumeFrom, decided } = started;
  const chunks = new UiChunks({ clientTools, origin, messageId: continued?.messageId });
  return answerWithStream(c, {
    runId,
    after: 0,
    kind: "new",
    encoder: pausingStream(chunks, { resumeFrom, decided, headers: HEADERS, end: END }),
    onGone: onDisconnect === "cancel" ? () => chat.cancel(runId) : undefined,
  });
}

/** Streams the current answer from its start, or returns 204 if there is none. */
async function getStream(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const principal = await authenticate(c);
  const found = await findActiveRun(server, principal, { protocol: "ui", id: pathParameter(c, "id") });
  if (!found) return c.body(null, 204);
  checkFollower(server);
  const origin = ownOrigin(c);
  const { messageId, chunks: before } = await earlierChunks(turnsFor(server, principal), found, origin);
  const chunks = new UiChunks({ clientTools: clientToolsOf(found), origin, messageId });
  const frames = pausingStream(chunks, { decided: found.decided, headers: HEADERS, end: END });
  const encoder: StreamEncoder = before === "" ? frames : startingWith(before, frames);
  return answerWithStream(c, { runId: found.runId, after: 0, kind: "resumed", encoder });
}

/** Stops the current answer. Closing the connection does not. */
async function postStop(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const principal = await authenticate(c);
  const found = await findActiveRun(server, principal, { protocol: "ui", id: pathParameter(c, "id") });
  if (found) await server.deps.chatFor(principal).cancel(found.runId);
  return c.json({ stopped: found !== undefined });
}

function startingWith(before: string, frames: StreamEncoder): StreamEncoder {
  let started = false;
  return {
    ...frames,
    encode(events) {
      const text = frames.encode(events);
      if (started || text === "") return text;
      started = true;
      return before + text;
    },
  };
}
