import { type ChatRequest, chatRequest } from "../../protocol/requests.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { readRequest } from "../body.ts";
import { type HttpContext, type Route, route, type ServerState } from "../context.ts";
import { answerWithJson, answerWithStream, type Following } from "../follow.ts";

/** One turn of a conversation. */
export function chatRoutes(server: ServerState): Route[] {
  return [route("POST /chat", (c) => postChat(c, server))];
}

async function postChat(c: HttpContext, server: ServerState): Promise<Response> {
  const request = await readRequest(c, chatRequest);
  const idempotencyKey = readIdempotencyKey(c);
  const { chat, runId } = await beginTurn(c, server, async (principal) => {
    const chat = server.deps.chatFor(principal);
    const { requestId, traceparent } = c.var;
    return { chat, ...(await chat.send(request, { idempotencyKey, requestId, traceparent })) };
  });
  const following: Following = {
    runId,
    after: 0,
    kind: "new",
    onGone: request.onDisconnect === "cancel" ? () => chat.cancel(runId) : undefined,
  };
  return wantsJson(c, request)
    ? answerWithJson(c, server, following)
    : answerWithStream(c, server, following);
}

function wantsJson(c: HttpContext, request: ChatRequest): boolean {
  if (request.stream !== undefined) return !request.stream;
  const accept = c.req.header("accept")?.toLowerCase() ?? "";
  return accept.includes("application/json") && !accept.includes("text/event-stream");
}
