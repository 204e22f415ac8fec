import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn, jsonTurn, type ScriptedAnswer } from "../src/sim/turns.ts";
import type { RecordedRequest, Upstream } from "../src/sim/upstream.ts";
import { ANSWERS, HEAR } from "./support/recorded-answers.ts";
import { replayEditor } from "./support/recorded-editor.ts";
import {
  type Json,
  listOf,
  objectOf,
  type RecordedClientRequest,
  recordedRequests,
  toldIn,
} from "./support/recorded-requests.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const all = recordedRequests();
const models = [...new Set(all.map(({ body }) => String(body.model ?? "stub-1")))];
/** Asks the recorded vendor to be overloaded. */
const OVERLOAD = "[[overload]]";
const MODEL_LIST = { object: "list", data: models.map((id) => ({ id, object: "model" })) };

let upstream: Upstream;
let server: ServerProcess;
const folder = temporaryFolder();
beforeAll(async () => {
  upstream = await startUpstream({ models: () => MODEL_LIST, respond: answer });
  server = await startServer(folder.path, {
    ...modelAt(upstream.url),
    TACKLE_MODEL: "openai/stub-1",
    TACKLE_MAX_RETRIES: "0",
  });
});
const right = new Set<string>();
afterAll(async () => {
  console.log(`recorded client requests answered right: ${right.size} of ${all.length}`);
  await server?.stop();
  await upstream?.close();
  folder.remove();
});

/** The tools of the client that asks now. */
let clientTools: string[] = [];

/** The model: it calls the first tool of the client's until it has a result, and follows a schema. */
function answer({ path, body }: RecordedRequest) {
  if (JSON.stringify(body).includes(OVERLOAD)) return errorTurn(529, { message: "overloaded" });
  if (path.endsWith("/embeddings")) return jsonTurn(EMBEDDINGS);
  const turn = path.endsWith("/responses") ? responsesTurn : chatTurn;
  return turn(scripted(objectOf(body)));
}

function scripted(body: Json): ScriptedAnswer {
  const schema =
    objectOf(objectOf(body.response_format).json_schema).schema ??
    objectOf(objectOf(body.text).format).schema;
  if (schema) return { text: JSON.stringify(exampleOf(objectOf(schema))) };
  if (objectOf(body.response_format).type === "json_object") return { text: '{"city":"Ada"}' };
  const call = firstCall(body);
  const hasResult = [...listOf(body.messages), ...listOf(body.input)].some(
    ({ role, type }) => role === "tool" || type === "function_call_output",
  );
  return call && !hasResult ? { text: "I will look.", calls: [call] } : { text: "<p>Done & dusted</p>" };
}

function firstCall(body: Json) {
  const name = toldIn(body).tools.find((one) => clientTools.includes(one));
  return name === undefined ? undefined : { name, arguments: { probe: "<&>" } };
}

function exampleOf({ properties }: Json): Json {
  const entries = Object.entries(objectOf(properties));
  return Object.fromEntries(entries.map(([key, one]) => [key, objectOf(one).type === "number" ? 7 : "Ada"]));
}

const EMBEDDINGS = {
  object: "list",
  data: [0, 1].map((index) => ({ object: "embedding", index, embedding: "AACAPwAAAAA=" })),
  usage: { prompt_tokens: 2, total_tokens: 2 },
};

/** Headers that belong to a connection, or that `fetch` sets itself. */
const CONNECTION = /^(host|connection|content-length|accept-encoding|transfer-encoding|upgrade|sec-.*)$/;

const send = ({ method, path, headers, body }: RecordedClientRequest) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: Object.entries(headers).filter(([name]) => !CONNECTION.test(name)),
    body: /^(GET|HEAD|DELETE)$/.test(method) ? null : JSON.stringify(body),
  });

/** Checks what the vendor got. Returns what it answered. */
function checkUpstream(body: Json): ScriptedAnswer {
  const sent = objectOf(upstream.requests.findLast(({ method }) => method === "POST")?.body);
  const told = toldIn(sent);
  const wanted = toldIn(body);
  const joined = [...told.texts, String(sent.instructions ?? "")].join("\n");
  for (const text of wanted.texts) expect(joined).toContain(text);
  expect(told.results).toEqual(expect.arrayContaining(wanted.results));
  expect(JSON.stringify(sent)).toContain(wanted.images[0] ?? "");
  expect(told.tools).toEqual(expect.arrayContaining(wanted.tools.filter((name) => !SERVERS.has(name))));
  if (body.prompt_cache_key) expect(sent.prompt_cache_key).toBe(body.prompt_cache_key);
  if (body.chat_template_kwargs) expect(sent.chat_template_kwargs).toEqual(body.chat_template_kwargs);
  return scripted(sent);
}
/** Offered only where a search is set up. */
const SERVERS = new Set(["browser_search"]);

/** Replaces ids that only the recording's server knew: of answers with an open call, and of a conversation. */
async function withOwnIds(text: string): Promise<string> {
  if (!/(resp|conv)_|previous_message_id/.test(text)) return text;
  clientTools = ["look"];
  const look = { name: "look", parameters: EMPTY, input_schema: EMPTY };
  const asked = { model: "stub-1", tools: [{ type: "function", ...look }] };
  const { id: response, output } = await post("/v1/responses", { ...asked, input: "Look." });
  const messages = [{ role: "user", content: "Look." }];
  const limited = { model: "stub-1", tools: [look], max_tokens: 100, messages };
  const { id: message, content } = await post("/v1/messages", limited);
  const { id: conversation } = await post("/v1/conversations", {});
  const call = listOf(output).find(({ type }) => type === "function_call")?.call_id;
  const use = listOf(content).find(({ type }) => type === "tool_use")?.id;
  const continued = /previous_response_id/.test(text);
  return text
    .replace(/resp_\w+/g, String(response))
    .replace(/conv_\w+/g, String(conversation))
    .replace(/msg_1\w+/g, String(message))
    .replace(/toolu_1\w+/g, String(use))
    .replace(/call_1\w+/g, continued ? String(call) : "$&");
}
const EMPTY = { type: "object", properties: {} };

async function post(path: string, body: Json): Promise<Json> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return objectOf(await response.json());
}

describe.skipIf(all.length === 0)("a recorded request", () => {
  const named = (kept: (name: string, one: RecordedClientRequest) => boolean) =>
    all.filter((one) => kept(`${one.method} ${one.path}`, one));
  const isAnswer = (name: string) => ANSWERS.some(([pattern]) => pattern.test(name));
  const toModel = named((name, { api }) => api in HEAR && name.startsWith("POST") && !isAnswer(name));

  it.each(toModel)("of $client is answered right: $file", async (recorded) => {
    const { path, body } = await known(recorded);
    clientTools = toldIn(body).tools.filter((name) => !SERVERS.has(name));
    const response = await send({ ...recorded, path, body });
    if (JSON.stringify(body).includes(OVERLOAD)) {
      expect(response.status).toBe(529);
      expect(await response.json()).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
    } else {
      if (!response.ok) expect(await response.text()).toBe("");
      const heard = await HEAR[recorded.api]?.(response, body);
      const { text, calls = [] } = checkUpstream(body);
      const made = calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
      if (heard) expect(heard).toEqual({ text, calls: made });
    }
    right.add(recorded.file);
  });

  it.each(named(isAnswer))("of $client is answered without the model: $file", async (recorded) => {
    const { path, body } = await known(recorded);
    clientTools = [];
    const response = await send({ ...recorded, path, body });
    const [, expected] =
      ANSWERS.find(([pattern]) => pattern.test(`${recorded.method} ${recorded.path}`)) ?? [];
    expect(await response.json()).toMatchObject(objectOf(expected));
    right.add(recorded.file);
  });

  it.each(named((_, { api }) => api === "other"))("of $client does no harm: $file", async (recorded) => {
    expect((await send(recorded)).status).toBeLessThan(500);
    right.add(recorded.file);
  });

  it.each(named((name) => name === "GET /v1/responses"))(
    "of $client goes on over HTTP: $file",
    async (one) => {
      const { file, path, headers } = one;
      const asked = request(`${server.url}${path}`, { headers: { ...headers, connection: "Upgrade" } });
      asked.end();
      const [response] = await once(asked, "response");
      expect(response.resume().statusCode).toBe(426);
      right.add(file);
    },
  );

  it.each(named((_, { api }) => api === "acp"))(
    "of an editor is answered: $file",
    async ({ file, messages }) => {
      const answers = await replayEditor(messages, { cwd: folder.path, upstream: upstream.url });
      expect(answers).toEqual([
        expect.objectContaining({ protocolVersion: 1, agentCapabilities: expect.anything() }),
        expect.objectContaining({ sessionId: expect.any(String) }),
        expect.objectContaining({ stopReason: "end_turn" }),
      ]);
      right.add(file);
    },
  );

  it("is never left out", () => {
    expect(all.map(({ file }) => file).filter((file) => !right.has(file))).toEqual([]);
  });
});

/** The request with ids that this server knows. */
async function known({ path, body }: RecordedClientRequest): Promise<{ path: string; body: Json }> {
  const [where = "", told = ""] = (await withOwnIds(`${path}\n${JSON.stringify(body)}`)).split("\n", 2);
  return { path: where, body: objectOf(JSON.parse(told)) };
}
