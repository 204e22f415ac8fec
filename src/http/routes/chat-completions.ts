import type { ChatEvent } from "../../protocol/events.ts";
import type { Feed } from "../../protocol/journal.ts";
import { isObject } from "../../protocol/json.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { StartedTurn, Turns } from "../../protocol/turns.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { readJson, readModelJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, type Route, route, type ServerState } from "../context.ts";
import { frameEncoder } from "../dialects/frames.ts";
import { ChatChunks } from "../dialects/openai/chat-chunks.ts";
import { ChatCompletion } from "../dialects/openai/chat-completion.ts";
import { type ChatCompletionRequest, readChatCompletionRequest } from "../dialects/openai/chat-request.ts";
import { toChatTurn } from "../dialects/openai/chat-turn.ts";
import { refused, runFailure } from "../dialects/openai/errors.ts";
import { readText } from "../dialects/openai/fields.ts";
import { waitForFirstOutput } from "../dialects/openai/first-output.ts";
import { runIdOf } from "../dialects/openai/ids.ts";
import { toFunctions } from "../dialects/openai/old-functions.ts";
import { repeatedAnswer } from "../dialects/openai/repeated-answer.ts";
import { feedWithImages } from "../dialects/openai/shown-images.ts";
import { startTurn } from "../dialects/openai/start-turn.ts";
import { TOOLS_HEADER } from "../dialects/openai/tools.ts";
import { noteWarnings } from "../dialects/openai/warnings.ts";
import { turnsFor } from "../dialects/turns.ts";
import { answerWithStream, type Following, failureOf, followToEnd } from "../follow.ts";

/** OpenAI's Chat Completions. */
export function chatCompletionRoutes(): Route[] {
  return [
    route("POST /v1/chat/completions", postCompletion),
    route("POST /v1/chat/completions/stop", postStop),
  ];
}

type Started =
  | (StartedTurn & { principal: Principal; turns: Turns })
  | { joined: true; repeated: ChatEvent[] };

async function postCompletion(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const body = await readModelJson(c);
  const request = readChatCompletionRequest(body, c.req.header(TOOLS_HEADER));
  const idempotencyKey = readIdempotencyKey(c);
  const created = Math.floor(Date.now() / 1000);
  const { includeUsage, stream, usesFunctions } = request;
  const started = await beginTurn<Started>(c, async (principal) => {
    const turns = turnsFor(server, principal);
    const turn = await toChatTurn(request, turns);
    const repeated = turn.history && (await repeatedAnswer(request.clientMessages, turn.history, turns));
    if (repeated) return { joined: true, repeated };
    const { requestId, traceparent } = c.var;
    const options = { idempotencyKey, requestId, traceparent, body };
    return { principal, turns, ...(await startTurn(turns, turn, options)) };
  });
  if ("repeated" in started) return answerAgain(c, request, started.repeated, created);
  const { principal, runId, turns } = started;
  const clientTools = request.offered.specs;
  const through = (feed: Feed) => feedWithImages(feed, turns);
  const following: Following = { runId, after: 0, kind: "new", through };
  if (request.onDisconnect === "cancel")
    following.onGone = () => server.deps.chatFor(principal).cancel(runId);
  const shown = usesFunctions ? toFunctions : <Answer extends object>(answer: Answer) => answer;
  if (!stream) {
    const completion = new ChatCompletion({ created, clientTools });
    return answerWhole(c, following, completion, () => shown(completion.body()));
  }
  const chunks = new ChatChunks({ created, clientTools, includeUsage });
  await waitForFirstOutput(c, runId);
  return answerWithStream(c, {
    ...following,
    encoder: frameEncoder(
      (event) => chunks.take(event).map(shown),
      (delta) => chunks.frame(delta),
    ),
  });
}

function answerAgain(
  c: HttpContext,
  { stream, includeUsage }: ChatCompletionRequest,
  events: readonly ChatEvent[],
  created: number,
): Response {
  const options = { created, clientTools: [], includeUsage };
  if (stream) {
    const chunks = new ChatChunks(options);
    const frames = frameEncoder((event) => chunks.take(event));
    const text = frames.encode(
      events.map((event, index) => ({ seq: index + 1, json: JSON.stringify(event) })),
    );
    return c.body(text + frames.end(), 200, { "content-type": "text/event-stream; charset=utf-8" });
  }
  const completion = new ChatCompletion(options);
  for (const event of events) completion.take(event);
  return c.json(completion.body());
}

async function answerWhole(
  c: HttpContext,
  following: Following,
  completion: ChatCompletion,
  body: () => object,
): Promise<Response> {
  const state = await followToEnd(c, { ...following, onEvent: (event) => completion.take(event) });
  if (!state) return new Response(null, { status: 499 });
  noteWarnings(c, state.warnings);
  const failure = state.error ? runFailure(state.error) : failureOf(state, following.runId);
  if (failure) throw failure;
  return c.json(body());
}

/** Stops a completion by its id or the client's id. Has no effect on one that has ended. */
async function postStop(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const body = await readJson(c);
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  const id = readText(body, "id");
  const clientRequestId = readText(body, "client_request_id");
  if ((id === undefined) === (clientRequestId === undefined))
    throw refused("Give exactly one of 'id' and 'client_request_id'.", "id");
  const principal = await authenticate(c);
  const stopped = await stop(server, principal, { id, clientRequestId });
  return c.json({ object: "chat.completion.stop", id: id ?? clientRequestId, stopped });
}

async function stop(
  server: ServerState,
  principal: Principal,
  { id, clientRequestId = "" }: { id?: string; clientRequestId?: string },
): Promise<boolean> {
  const turns = turnsFor(server, principal);
  const runId = id === undefined ? await turns.underWay(clientRequestId) : runIdOf(id);
  if (runId === undefined) return false;
  const turn = await turns.recall(runId);
  const running = turn?.status === "running" || turn?.status === "waiting";
  // `cancel` refuses a run of another user and one that does not exist.
  if (!turn || running) await server.deps.chatFor(principal).cancel(runId);
  return running;
}
