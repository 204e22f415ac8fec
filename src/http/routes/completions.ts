import type { Principal } from "../../protocol/principal.ts";
import type { RunState } from "../../protocol/reduce.ts";
import type { StartedTurn } from "../../protocol/turns.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { readModelJson } from "../body.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { toCompletionTurn } from "../dialects/completion-turn.ts";
import { frameEncoder } from "../dialects/frames.ts";
import { ChatChunks } from "../dialects/openai/chat-chunks.ts";
import { ChatCompletion } from "../dialects/openai/chat-completion.ts";
import { runFailure, unsupported } from "../dialects/openai/errors.ts";
import { waitForFirstOutput } from "../dialects/openai/first-output.ts";
import { modelId, startTurn } from "../dialects/openai/start-turn.ts";
import {
  readTextCompletionRequest,
  TextChunks,
  type TextCompletionRequest,
  textCompletion,
} from "../dialects/openai/text-completion.ts";
import { noteWarnings } from "../dialects/openai/warnings.ts";
import { turnsFor } from "../dialects/turns.ts";
import { answerWithStream, type Following, failureOf, followToEnd } from "../follow.ts";

/** OpenAI's older Completions: the text that follows a text. */
export function completionRoutes(): Route[] {
  return [route("POST /v1/completions", postCompletion), route("POST /v1/fim/completions", postFill)];
}

type Started = StartedTurn & { principal: Principal };

async function postCompletion(c: HttpContext): Promise<Response> {
  const body = await readModelJson(c);
  const request = readTextCompletionRequest(body);
  const created = Math.floor(Date.now() / 1000);
  const before = request.prompts.map((prompt) => (request.echo ? prompt : ""));
  if (request.stream) {
    const following = await start(c, request, request.prompts[0] ?? "", body);
    const chunks = new TextChunks({ created, before: before[0] ?? "", includeUsage: request.includeUsage });
    await waitForFirstOutput(c, following.runId);
    return answerWithStream(c, { ...following, encoder: frameEncoder((event) => chunks.take(event)) });
  }
  const texts: RunState[] = [];
  for (const prompt of request.prompts) {
    const state = await wholeRun(c, await start(c, request, prompt, body));
    if (!state) return new Response(null, { status: 499 });
    texts.push(state);
  }
  return c.json(textCompletion(texts, before, created));
}

/** Mistral's clients fill a gap here. The answer has the form of a chat completion. */
async function postFill(c: HttpContext): Promise<Response> {
  const body = await readModelJson(c);
  const request = readTextCompletionRequest(body);
  const [prompt = "", another] = request.prompts;
  if (another !== undefined) throw unsupported("prompt", "Send one prompt at a time.");
  const following = await start(c, request, prompt, body);
  const { includeUsage } = request;
  const options = { created: Math.floor(Date.now() / 1000), clientTools: [], includeUsage };
  if (request.stream) {
    const chunks = new ChatChunks(options);
    await waitForFirstOutput(c, following.runId);
    return answerWithStream(c, { ...following, encoder: frameEncoder((event) => chunks.take(event)) });
  }
  const completion = new ChatCompletion(options);
  const state = await wholeRun(c, { ...following, onEvent: (event) => completion.take(event) });
  return state ? c.json(completion.body()) : new Response(null, { status: 499 });
}

/** Returns a run that has ended, or undefined if its client is gone. Throws its failure. */
async function wholeRun(
  c: HttpContext,
  following: Parameters<typeof followToEnd>[1],
): Promise<RunState | undefined> {
  const state = await followToEnd(c, following);
  if (!state) return undefined;
  noteWarnings(c, state.warnings);
  const failure = state.error ? runFailure(state.error) : failureOf(state, following.runId);
  if (failure) throw failure;
  return state;
}

/** Starts to complete one of the prompts. Each counts as a chat request. */
async function start(
  c: HttpContext,
  { suffix, settings, prompts, ...request }: TextCompletionRequest,
  prompt: string,
  body: unknown,
): Promise<Following> {
  const server = c.get("server");
  const idempotencyKey = prompts.length === 1 ? readIdempotencyKey(c) : undefined;
  const { principal, runId } = await beginTurn<Started>(c, async (principal) => {
    const turn = toCompletionTurn({ prompt, suffix });
    const model = modelId(request.model, request.providerId);
    const asked = {
      ...turn,
      tools: [],
      clientTools: [],
      model,
      clientRequestId: request.clientRequestId,
      settings: { ...settings, ...turn.settings },
    };
    const { requestId, traceparent } = c.var;
    const options = { idempotencyKey, requestId, traceparent, body };
    return { principal, ...(await startTurn(turnsFor(server, principal), asked, options)) };
  });
  const onGone = () => server.deps.chatFor(principal).cancel(runId);
  return { runId, after: 0, kind: "new", onGone };
}
