import { type ChatRequest, chatRequest } from "../../protocol/requests.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { readRequest } from "../body.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { functionFrames } from "../dialects/function-frames.ts";
import { answerWithJson, answerWithStream, type Following } from "../follow.ts";

/** One turn of a conversation. */
export function chatRoutes(): Route[] {
  return [route("POST /chat", postChat)];
}

async function postChat(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const request = await readRequest(c, chatRequest);
  const idempotencyKey = readIdempotencyKey(c);
  const { chat, runId } = await beginTurn(c, async (principal) => {
    const chat = server.deps.chatFor(principal);
    const requestId = c.get("requestId");
    const traceparent = c.get("traceparent");
    return { chat, ...(await chat.send(request, { idempotencyKey, requestId, traceparent })) };
  });
  const following: Following = {
    runId,
    after: 0,
    kind: "new",
    ...(c.get("route") === "/chat" ? {} : { encoder: functionFrames }),
    onGone: request.onDisconnect === "cancel" ? () => chat.cancel(runId) : undefined,
  };
  return wantsJson(c, request) ? answerWithJson(c, following) : answerWithStream(c, following);
}

function wantsJson(c: HttpContext, request: ChatRequest): boolean {
  if (request.stream !== undefined) return !request.stream;
  const accept = c.req.header("accept")?.toLowerCase() ?? "";
  return accept.includes("application/json") && !accept.includes("text/event-stream");
}
