import { Failure } from "../../protocol/failure.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { Principal } from "../../protocol/principal.ts";
import { pauseIfLong } from "../../protocol/slices.ts";
import type { StartedTurn, TurnRequest, Turns } from "../../protocol/turns.ts";
import { beginTurn } from "../begin-turn.ts";
import { readJson } from "../body.ts";
import { authenticate, chatOf } from "../caller.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { toCompletionTurn } from "../dialects/completion-turn.ts";
import { embedForCaller, toNumbers } from "../dialects/embeddings.ts";
import { OllamaAnswer } from "../dialects/ollama/answer.ts";
import {
  isNamed,
  listedModel,
  modelIdFor,
  modelMissing,
  modelNamed,
  OLLAMA_VERSION,
  shownModel,
} from "../dialects/ollama/models.ts";
import {
  type OllamaRequest,
  readChatRequest,
  readGenerateRequest,
  readModelName,
} from "../dialects/ollama/request.ts";
import { refused, runFailure } from "../dialects/openai/errors.ts";
import { readFlag, readNumber, wrongType } from "../dialects/openai/fields.ts";
import { waitForFirstOutput } from "../dialects/openai/first-output.ts";
import { newestOf, type Refusals, toHistory } from "../dialects/openai/history.ts";
import { startTurn } from "../dialects/openai/start-turn.ts";
import { TOOLS_HEADER } from "../dialects/openai/tools.ts";
import { noteWarnings } from "../dialects/openai/warnings.ts";
import { turnsFor } from "../dialects/turns.ts";
import { nothingAt } from "../errors.ts";
import { answerWithStream, type Following, failureOf, followToEnd } from "../follow.ts";
import { answerText } from "../large-answer.ts";

/** Ollama's API, for programs that know nothing else. */
export function ollamaRoutes(): Route[] {
  return [
    route("GET /api/version", async (c) => {
      await authenticate(c);
      return c.json({ version: OLLAMA_VERSION });
    }),
    route("GET /api/tags", async (c) =>
      c.json({ models: (await (await chatOf(c)).models()).map(listedModel) }),
    ),
    route("GET /api/ps", async (c) => {
      await authenticate(c);
      return c.json({ models: [] });
    }),
    route("POST /api/show", async (c) => {
      const body = await readJson(c);
      if (!isObject(body)) throw refused("The body must be a JSON object.", null);
      return c.json(shownModel(modelNamed(readModelName(body), await (await chatOf(c)).models())));
    }),
    route("POST /api/pull", postPull),
    route("POST /api/chat", postChat),
    route("POST /api/generate", postGenerate),
    route("POST /api/embed", postEmbed),
    route("POST /api/embeddings", postEmbedding),
  ];
}

async function postChat(c: HttpContext): Promise<Response> {
  const request = readChatRequest(await readJson(c, "conversation"), c.req.header(TOOLS_HEADER));
  const { clientMessages, offered } = request;
  const answer = new OllamaAnswer({ ...request, kind: "chat", clientTools: offered.specs });
  if (clientMessages.length === 0)
    return answerLoaded(c, request, { message: { role: "assistant", content: "" } });
  return answerRun(c, request, answer, async (turns) => {
    const history = await toHistory(clientMessages, REFUSALS, turns.recall);
    const { names: tools, specs: clientTools, optional: optionalTools, leftOut: warnings } = offered;
    return { history, newest: newestOf(history), tools, clientTools, optionalTools, warnings };
  });
}

async function postGenerate(c: HttpContext): Promise<Response> {
  const request = readGenerateRequest(await readJson(c, "conversation"));
  const { prompt, suffix, system, raw, images } = request;
  if (prompt === "" && !suffix) return answerLoaded(c, request, { response: "" });
  const answer = new OllamaAnswer({ ...request, kind: "generate", clientTools: [] });
  return answerRun(c, request, answer, async () => {
    const turn = toCompletionTurn({ prompt, suffix, system, raw, images });
    // Without one of these, the prompt is a question, not a text to continue with.
    const settings = suffix || raw ? turn.settings : {};
    return { ...turn, tools: [], clientTools: [], settings: { ...request.settings, ...settings } };
  });
}

/** Programs pull a model before they use it. One that is there needs nothing; the operator sets up all others. */
async function postPull(c: HttpContext): Promise<Response> {
  const body = await readJson(c);
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  const wanted = readModelName(body);
  if (!isNamed(wanted, await (await chatOf(c)).models())) throw nothingAt("POST", "/api/pull");
  const done = { status: "success" };
  if (readFlag(body, "stream") === false) return c.json(done);
  return c.body(`${JSON.stringify(done)}\n`, 200, { "content-type": "application/x-ndjson" });
}

/** Programs ask for nothing in order to have a model loaded, or removed from memory. */
async function answerLoaded(c: HttpContext, { model, body }: OllamaRequest, said: object): Promise<Response> {
  modelNamed(model, await (await chatOf(c)).models());
  const done_reason = body.keep_alive === 0 ? "unload" : "load";
  return c.json({ model, created_at: new Date().toISOString(), ...said, done: true, done_reason });
}

type Started = StartedTurn & { principal: Principal };

async function answerRun(
  c: HttpContext,
  { model, settings, reasoningEffort, stream }: OllamaRequest,
  answer: OllamaAnswer,
  turnFrom: (turns: Turns) => Promise<TurnRequest>,
): Promise<Response> {
  const server = c.get("server");
  const { principal, runId } = await beginTurn<Started>(c, async (principal) => {
    const turns = turnsFor(server, principal);
    const turn = {
      settings,
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      ...(await turnFrom(turns)),
      model: modelIdFor(model, await server.deps.chatFor(principal).models()),
    };
    const { requestId, traceparent } = c.var;
    const options = { idempotencyKey: undefined, requestId, traceparent, body: undefined };
    return { principal, ...(await startTurn(turns, turn, options).catch(renamed(model))) };
  });
  const following: Following = {
    runId,
    after: 0,
    kind: "new",
    onGone: () => server.deps.chatFor(principal).cancel(runId),
  };
  if (stream) {
    await waitForFirstOutput(c, runId);
    return answerWithStream(c, { ...following, encoder: answer.encoder() });
  }
  const state = await followToEnd(c, { ...following, onEvent: (event) => void answer.take(event) });
  if (!state) return new Response(null, { status: 499 });
  noteWarnings(c, state.warnings);
  const failure = state.error ? runFailure(state.error) : failureOf(state, runId);
  if (failure) throw failure;
  return c.json(answer.body());
}

/** Says in Ollama's words that there is no such model. */
function renamed(model: string) {
  return (thrown: unknown): never => {
    const isUnknown = thrown instanceof Failure && thrown.details?.openAiCode === "model_not_found";
    throw isUnknown ? modelMissing(model, thrown.publicMessage.replace(/^.*? access to it\. ?/, "")) : thrown;
  };
}

/** Embeds one text or several. */
async function postEmbed(c: HttpContext): Promise<Response> {
  const startedAt = performance.now();
  const body = await readJson(c, "conversation");
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  const given = Array.isArray(body.input) ? body.input : [body.input];
  // An empty text only loads the model.
  const input = given.filter((text) => text !== "");
  if (input.length === 0) await authenticate(c);
  const nothing = { vectors: [], usage: { inputTokens: 0 } };
  const { vectors, usage } = input.length > 0 ? await embed(c, body, input) : nothing;
  const embeddings: string[] = [];
  for (const vector of vectors) {
    embeddings.push(JSON.stringify(toNumbers(vector)));
    await pauseIfLong();
  }
  const facts = {
    model: readModelName(body),
    total_duration: Math.round((performance.now() - startedAt) * 1e6),
    load_duration: 0,
    prompt_eval_count: usage.inputTokens,
  };
  const text = `${JSON.stringify(facts).slice(0, -1)},"embeddings":[${embeddings.join(",")}]}`;
  return answerText(c, text, { "content-type": "application/json" });
}

/** The same for one text, as older clients ask for it. */
async function postEmbedding(c: HttpContext): Promise<Response> {
  const body = await readJson(c, "conversation");
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  // An empty text only loads the model.
  if (body.prompt === "") await authenticate(c);
  const { vectors } = body.prompt === "" ? { vectors: [] } : await embed(c, body, [body.prompt]);
  return c.json({ embedding: toNumbers(vectors[0] ?? []) });
}

/** How an Ollama server is to embed. The operator decides how much memory that may take. */
function optionsOf({ truncate, keep_alive, options }: Record<string, unknown>): JsonObject {
  const { num_ctx: _, ...kept } = isObject(options) ? options : {};
  const asked = { truncate, keep_alive, options: Object.keys(kept).length > 0 ? kept : undefined };
  return Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined && value !== null),
  ) as JsonObject;
}

async function embed(c: HttpContext, body: Record<string, unknown>, input: unknown[]) {
  const texts = input.map((text) => {
    if (typeof text === "string" && text !== "") return text;
    throw wrongType("input", "a text or an array of texts", text);
  });
  const dimensions = readNumber(body, "dimensions", { least: 1, most: 100_000, whole: true });
  const name = readModelName(body);
  const model = modelIdFor(name, await (await chatOf(c)).models());
  const request = {
    input: texts,
    encoding: "float" as const,
    ...(dimensions !== undefined && { dimensions }),
    ollama: optionsOf(body),
  };
  return embedForCaller(c, model, request).catch(renamed(name));
}

/** What clients of Ollama send always matches, because calls and results are matched as they are read. */
const REFUSALS: Refusals = {
  nothingAsked: mismatch,
  unknownCall: mismatch,
  answeredTwice: mismatch,
  unanswered: mismatch,
};

function mismatch(): Failure {
  return refused("The results of tools do not match their calls.", "messages");
}
