import type { Principal } from "../../protocol/principal.ts";
import type { StartedTurn, TurnExtent } from "../../protocol/turns.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { messageFailure } from "../dialects/anthropic/errors.ts";
import { MessageEvents } from "../dialects/anthropic/events.ts";
import { readCountRequest, readMessagesRequest } from "../dialects/anthropic/request.ts";
import { DIALECT, toMessagesTurn } from "../dialects/anthropic/turn.ts";
import { namedFrames } from "../dialects/frames.ts";
import { waitForFirstOutput } from "../dialects/openai/first-output.ts";
import { startTurn } from "../dialects/openai/start-turn.ts";
import { TOOLS_HEADER } from "../dialects/openai/tools.ts";
import { noteWarnings } from "../dialects/openai/warnings.ts";
import { turnsFor } from "../dialects/turns.ts";
import { answerWithStream, type Following, failureOf, followToEnd } from "../follow.ts";

/** Anthropic's Messages. */
export function messageRoutes(): Route[] {
  return [route("POST /v1/messages", postMessage), route("POST /v1/messages/count_tokens", postCountTokens)];
}

type Started = StartedTurn & { principal: Principal; extent: TurnExtent; isNative: boolean };

async function postMessage(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const body = await readJson(c, "conversation");
  const request = readMessagesRequest(body, c.req.header(TOOLS_HEADER));
  const idempotencyKey = readIdempotencyKey(c);
  const { principal, extent, isNative, runId, clientTools } = await beginTurn<Started>(
    c,
    async (principal) => {
      const turns = turnsFor(server, principal);
      const { turn, extent } = await toMessagesTurn(request, turns, (name) => c.req.header(name));
      const { requestId, traceparent } = c.var;
      const options = { idempotencyKey, requestId, traceparent, body };
      const isNative = turn.settings?.native !== undefined;
      return { principal, extent, isNative, ...(await startTurn(turns, turn, options)) };
    },
  );
  const { model, asksForThinking, omitsThoughts } = request;
  // Anthropic decides itself what it shows.
  const showsThinking = asksForThinking || extent.dialect === DIALECT;
  const { requestId } = c.var;
  const events = new MessageEvents({
    clientTools,
    model,
    extent,
    requestId,
    showsThinking,
    omitsThoughts,
    isNative,
    searches: request.offered.optional.includes("web_search"),
  });
  const following: Following = {
    runId,
    after: 0,
    kind: "new",
    onGone: () => server.deps.chatFor(principal).cancel(runId),
  };
  if (!request.stream) return answerWhole(c, following, events, extent);
  await waitForFirstOutput(c, runId, (error) => messageFailure(error, extent));
  return answerWithStream(c, { ...following, encoder: namedFrames((event) => events.take(event)) });
}

async function answerWhole(
  c: HttpContext,
  following: Following,
  events: MessageEvents,
  extent: TurnExtent,
): Promise<Response> {
  const state = await followToEnd(c, { ...following, onEvent: (event) => void events.take(event) });
  if (!state) return new Response(null, { status: 499 });
  noteWarnings(c, state.warnings);
  const failure = state.error ? messageFailure(state.error, extent) : failureOf(state, following.runId);
  if (failure) throw failure;
  return c.json(events.message());
}

/** Estimates how many tokens a request would take. Nothing is stored. */
async function postCountTokens(c: HttpContext): Promise<Response> {
  const body = await readJson(c, "conversation");
  const request = readCountRequest(body, c.req.header(TOOLS_HEADER));
  const turns = turnsFor(c.get("server"), await authenticate(c));
  const { extent } = await toMessagesTurn(request, turns, () => undefined);
  return c.json({ input_tokens: extent.tokens, context_management: null });
}
