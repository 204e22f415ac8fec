import { isObject } from "../../protocol/json.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { TurnRequest, Turns } from "../../protocol/turns.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { MAX_BYTES_WITH_IMAGES, readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import { answerWithStream, type Following, failureOf, followToEnd } from "../follow.ts";
import { toFailure, untilBegun } from "../openai/beginning.ts";
import { ChatChunks } from "../openai/chat-chunks.ts";
import { ChatCompletion } from "../openai/chat-completion.ts";
import { type ChatCompletionRequest, readChatCompletionRequest } from "../openai/chat-request.ts";
import { refused } from "../openai/errors.ts";
import { readText } from "../openai/fields.ts";
import { dataFrames } from "../openai/frames.ts";
import { type Earlier, instructionsIn, newestOf, type Refusals, toHistory } from "../openai/history.ts";
import { runIdOf } from "../openai/ids.ts";
import { modelId, startTurn, turnsOf } from "../openai/turns.ts";

/** Chat completions on our own loop. */
export function chatCompletionRoutes(door: Door): Route[] {
  return [
    { method: "POST", path: "/v1/chat/completions", handle: (c) => postCompletion(c, door) },
    { method: "POST", path: "/v1/chat/completions/stop", handle: (c) => postStop(c, door) },
  ];
}

async function postCompletion(c: HttpContext, door: Door): Promise<Response> {
  const request = readChatCompletionRequest(
    await readJson(c.req.raw, c.env?.incoming, MAX_BYTES_WITH_IMAGES),
  );
  const idempotencyKey = readIdempotencyKey(c);
  const { runId, clientTools, principal } = await beginTurn(c, door, async (principal) => {
    const turns = turnsOf(door, principal);
    const turn = await toTurn(request, turns);
    const options = { idempotencyKey, requestId: c.var.requestId };
    return { principal, ...(await startTurn(turns, turn, options)) };
  });
  const following: Following = { runId, after: 0, kind: "new" };
  if (request.onDisconnect === "cancel") following.onGone = () => door.deps.chatFor(principal).cancel(runId);
  const options = { created: Math.floor(Date.now() / 1000), clientTools };
  if (!request.stream) return answerWhole(c, door, following, new ChatCompletion(options));
  const chunks = new ChatChunks({ ...options, includeUsage: request.includeUsage });
  await untilBegun(c, door, runId);
  return answerWithStream(c, door, { ...following, encoder: dataFrames((event) => chunks.take(event)) });
}

async function answerWhole(
  c: HttpContext,
  door: Door,
  following: Following,
  completion: ChatCompletion,
): Promise<Response> {
  const state = await followToEnd(c, door, { ...following, onEvent: (event) => completion.take(event) });
  if (!state) return new Response(null, { status: 499 });
  const failure = state.error ? toFailure(state.error) : failureOf(state, following.runId);
  if (failure) throw failure;
  return c.json(completion.body());
}

/** The request as our loop takes it: the client's own history, or what is new in a conversation that we keep. */
async function toTurn(request: ChatCompletionRequest, turns: Turns): Promise<TurnRequest> {
  const { offered, conversationId, systemPrompt, settings } = request;
  const optional = {
    model: modelId(request.model, request.providerId),
    toolChoice: request.toolChoice,
    reasoningEffort: request.reasoningEffort,
    verbosity: request.verbosity,
    clientRequestId: request.clientRequestId,
  };
  const common: TurnRequest = {
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    tools: offered.names,
    toolSpecs: offered.specs,
    settings,
  };
  if (conversationId === undefined) {
    const history = await toHistory(request.spoken, REFUSALS, turns.recall);
    return { ...common, history, newest: newestOf(history), ...(systemPrompt ? { systemPrompt } : {}) };
  }
  const lastAnswer = request.spoken.findLastIndex(({ role }) => role === "assistant");
  const said = request.spoken.slice(lastAnswer + 1).filter(({ role }) => role !== "system");
  if (said.length === 0) {
    throw refused("With 'conversation_id' at least one new message must stand behind the last answer.", {
      param: "messages",
    });
  }
  const newest = newestOf(
    await toHistory(said, REFUSALS, turns.recall, await earlierIn(conversationId, turns)),
  );
  const words = instructionsIn(request.spoken, systemPrompt);
  return { ...common, sessionId: conversationId, newest, ...words };
}

async function earlierIn(conversationId: string, turns: Turns): Promise<Earlier | undefined> {
  const turn = await turns.newestIn(conversationId);
  return turn && { turn, history: [], lenient: true };
}

const REFUSALS: Refusals = {
  nothingAsked: (at) =>
    refused(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { param: `messages.[${at}].role` },
    ),
  unknownCall: (at, id) =>
    refused(
      `Invalid parameter: 'tool_call_id' of '${id.slice(0, 100)}' not found in 'tool_calls' of previous message.`,
      { param: `messages.[${at}].tool_call_id` },
    ),
  answeredTwice: (at, id) =>
    refused(`Duplicate value for 'tool_call_id' of '${id.slice(0, 100)}' in message[${at}].`, {
      param: `messages.[${at}].tool_call_id`,
    }),
  unanswered: (ids) =>
    refused(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.slice(0, 20).join(", ")}`,
      { param: "messages" },
    ),
};

/** Stops a completion by its id, or by the name that the client gave it. Stopping what is over changes nothing. */
async function postStop(c: HttpContext, door: Door): Promise<Response> {
  const body = await readJson(c.req.raw, c.env?.incoming);
  if (!isObject(body)) throw refused("The body must be a JSON object.", { param: null });
  const id = readText(body, "id");
  const clientRequestId = readText(body, "client_request_id");
  if ((id === undefined) === (clientRequestId === undefined))
    throw refused("Give exactly one of 'id' and 'client_request_id'.", { param: "id" });
  const principal = await authenticate(c, door);
  const stopped = await stop(door, principal, { id, clientRequestId });
  return c.json({ object: "chat.completion.stop", id: id ?? clientRequestId, stopped });
}

async function stop(
  door: Door,
  principal: Principal,
  { id, clientRequestId = "" }: { id?: string; clientRequestId?: string },
): Promise<boolean> {
  const turns = turnsOf(door, principal);
  const runId = id === undefined ? await turns.underWay(clientRequestId) : runIdOf(id);
  if (runId === undefined) return false;
  const turn = await turns.recall(runId);
  const running = turn?.status === "running" || turn?.status === "waiting";
  // Somebody else's is refused there, and one that never was is not found.
  if (!turn || running) await door.deps.chatFor(principal).cancel(runId);
  return running;
}
