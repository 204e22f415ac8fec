import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, type ScriptedAnswer } from "../src/sim/turns.ts";
import type { RecordedRequest, Upstream } from "../src/sim/upstream.ts";
import {
  type Json,
  listOf,
  objectOf,
  type RecordedClientRequest,
  recordedRequests,
  toldIn,
} from "./support/recorded-requests.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { readFrames } from "./support/sse.ts";

/** What this file covers. Other protocols have, or will have, tests of their own. */
const COVERED = ["chat-completions", "responses", "ag-ui", "ui-message-stream"];
const NOT_HERE = /\/(compact|input_tokens)$/;

const all = recordedRequests();
const replayed = all.filter(
  ({ api, replay, path }) => replay && COVERED.includes(api) && !NOT_HERE.test(path),
);
const others = all.filter((one) => !replayed.includes(one));
const models = [...new Set(replayed.map(({ body }) => String(body.model ?? "stub-1")))];
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
let right = 0;
afterAll(async () => {
  const counts = Object.entries(Object.groupBy(others, ({ api }) => api));
  const rest = counts.map(([api, list]) => `${api} ${list?.length}`).join(", ");
  console.log(
    `recorded client requests answered right: ${right} of ${replayed.length}; not covered here: ${rest || "none"}`,
  );
  await server?.stop();
  await upstream?.close();
  folder.remove();
});

/** The tools of the client that asks now. */
let clientTools: string[] = [];

/** The model: it calls the first tool of the client's until it has a result, and follows a schema. */
function answer({ path, body }: RecordedRequest) {
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

const send = ({ method, path, body }: RecordedClientRequest) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { "content-type": "application/json", authorization: "Bearer anything" },
    body: JSON.stringify(body),
  });

/** Checks what the vendor got. Returns what it answered. */
function checkUpstream({ body }: RecordedClientRequest): ScriptedAnswer {
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

/** The text and the calls that a client reads. */
interface Heard {
  text: string;
  calls: { name: string; arguments: string }[];
}

const calledName = ({ name, namespace }: Json) => (namespace ? `${namespace}_${name}` : String(name));

async function hearChat(response: Response, { stream, stream_options }: Json): Promise<Heard> {
  if (!stream) {
    const { object, choices, usage } = objectOf(await response.json());
    const choice = objectOf(listOf(choices)[0]);
    const message = objectOf(choice.message);
    expect({ object, role: message.role, usage }).toEqual({
      object: "chat.completion",
      role: "assistant",
      usage: expect.objectContaining({ total_tokens: expect.any(Number) }),
    });
    const calls = listOf(message.tool_calls).map((one) => objectOf(one.function));
    expect(choice.finish_reason).toBe(calls.length > 0 ? "tool_calls" : "stop");
    return { text: String(message.content ?? ""), calls: calls as unknown as Heard["calls"] };
  }
  const frames = await readFrames(response);
  expect(frames.at(-1)?.data).toBe("[DONE]");
  const chunks = frames.slice(0, -1).map(({ data }) => objectOf(JSON.parse(data)));
  const choices = chunks.flatMap((chunk) => listOf(chunk.choices));
  const deltas = choices.map(({ delta }) => objectOf(delta));
  expect(deltas[0]).toMatchObject({ role: "assistant" });
  expect(choices.filter(({ finish_reason: reason }) => reason !== null)).toEqual([choices.at(-1)]);
  if (objectOf(stream_options).include_usage)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  const calls = deltas.flatMap((delta) => listOf(delta.tool_calls));
  expect(calls.map(({ index }) => index)).toEqual(calls.map((_, index) => index));
  return {
    text: deltas.map(({ content }) => content ?? "").join(""),
    calls: calls.map((one) => objectOf(one.function)) as unknown as Heard["calls"],
  };
}

async function hearResponse(response: Response, { stream, input }: Json): Promise<Heard> {
  let whole: Json;
  if (stream) {
    const events = (await readFrames(response)).map(({ data }) => objectOf(JSON.parse(data)));
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
    expect(events[0]?.type).toBe("response.created");
    const last = objectOf(events.at(-1));
    expect(last.type).toBe("response.completed");
    whole = objectOf(last.response);
    const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    expect(done).toEqual(whole.output);
  } else whole = objectOf(await response.json());
  expect(whole).toMatchObject({ object: "response", status: "completed", error: null });
  expect(whole.usage).toMatchObject({ total_tokens: expect.any(Number) });
  const items = listOf(whole.output);
  if (listOf(input).at(-1)?.type === "compaction_trigger") {
    expect(items).toEqual([
      { type: "compaction", id: expect.any(String), encrypted_content: expect.any(String) },
    ]);
    const summary = Buffer.from(String(items[0]?.encrypted_content), "base64").toString("utf8");
    return { text: summary.slice(summary.indexOf("\n") + 1), calls: [] };
  }
  const texts = items.flatMap((item) => (item.type === "message" ? listOf(item.content) : []));
  return {
    text: texts.map(({ text }) => text).join(""),
    calls: items
      .filter(({ type }) => type === "function_call")
      .map((item) => ({ name: calledName(item), arguments: String(item.arguments) })),
  };
}

async function hearAgUi(response: Response): Promise<Heard> {
  const events = (await readFrames(response)).map(({ data }) => objectOf(JSON.parse(data)));
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
  const delta = (type: string) => events.flatMap((one) => (one.type === type ? [String(one.delta)] : []));
  const starts = events.filter(({ type }) => type === "TOOL_CALL_START");
  expect(events.some(({ type }) => type === "TOOL_CALL_RESULT")).toBe(false);
  const args = delta("TOOL_CALL_ARGS").join("");
  return {
    text: delta("TEXT_MESSAGE_CONTENT").join(""),
    calls: starts.map(({ toolCallName }) => ({ name: String(toolCallName), arguments: args })),
  };
}

async function hearUi(response: Response): Promise<Heard> {
  const frames = await readFrames(response);
  expect(frames.at(-1)?.data).toBe("[DONE]");
  const chunks = frames.slice(0, -1).map(({ data }) => objectOf(JSON.parse(data)));
  expect([chunks[0]?.type, chunks.at(-1)?.type]).toEqual(["start", "finish"]);
  const calls = chunks.filter(({ type }) => type === "tool-input-available");
  expect(calls.every((call) => call.providerExecuted === undefined)).toBe(true);
  return {
    text: chunks.flatMap(({ type, delta }) => (type === "text-delta" ? [delta] : [])).join(""),
    calls: calls.map(({ toolName, input }) => ({ name: String(toolName), arguments: JSON.stringify(input) })),
  };
}

const HEAR: Record<string, (response: Response, body: Json) => Promise<Heard>> = {
  "chat-completions": hearChat,
  responses: hearResponse,
  "ag-ui": hearAgUi,
  "ui-message-stream": hearUi,
};

describe.skipIf(replayed.length === 0)("a recorded request", () => {
  it.each(replayed)("of $client is answered right: $file", async (recorded) => {
    clientTools = toldIn(recorded.body).tools.filter((name) => !SERVERS.has(name));
    const response = await send(recorded);
    if (!response.ok) expect(await response.text()).toBe("");
    const heard = await HEAR[recorded.api]?.(response, recorded.body);
    const { text, calls = [] } = checkUpstream(recorded);
    expect(heard?.text).toBe(text);
    expect(heard?.calls).toEqual(
      calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) })),
    );
    right += 1;
  });
});
