import { expect } from "vitest";
import { type Json, listOf, objectOf } from "./recorded-requests.ts";
import { readFrames } from "./sse.ts";

/** The text and the calls that a client reads. */
export interface Heard {
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

/** Returns undefined for a summary, which only our server can read. */
async function hearResponse(response: Response, { stream, input }: Json): Promise<Heard | undefined> {
  let whole: Json;
  if (stream) {
    const frames = await readFrames(response);
    expect(frames.at(-1)?.data).toBe("[DONE]");
    const events = frames.slice(0, -1).map(({ data }) => objectOf(JSON.parse(data)));
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
    return undefined;
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

async function hearMessage(response: Response, { stream }: Json): Promise<Heard> {
  const whole = stream ? await messageOf(response) : objectOf(await response.json());
  const content = listOf(whole.content);
  const calls = content.filter(({ type }) => type === "tool_use");
  expect(whole).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    type: "message",
    role: "assistant",
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
  });
  return {
    text: content.map(({ text }) => text ?? "").join(""),
    calls: calls.map(({ name, input }) => ({ name: String(name), arguments: JSON.stringify(input) })),
  };
}

/** Puts a streamed message together, as Anthropic's clients do. */
async function messageOf(response: Response): Promise<Json> {
  const events = (await readFrames(response))
    .map(({ data }) => objectOf(JSON.parse(data)))
    .filter(({ type }) => type !== "ping");
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["message_start", "message_stop"]);
  const blocks: Json[] = [];
  for (const { type, index, content_block: block, delta } of events) {
    const { text, partial_json: json, type: kind } = objectOf(delta);
    const open = blocks[Number(index)];
    if (type === "content_block_start") expect(blocks.push(objectOf(block)) - 1).toBe(index);
    if (open && kind === "text_delta") open.text = `${open.text}${text}`;
    if (open && kind === "input_json_delta") open.input = JSON.parse(String(json));
  }
  const [start] = events;
  const end = events.find(({ type }) => type === "message_delta");
  const usage = { ...objectOf(objectOf(start?.message).usage), ...objectOf(end?.usage) };
  return { ...objectOf(start?.message), content: blocks, ...objectOf(end?.delta), usage };
}

/** Reads the answer to a request that reaches the model. */
export const HEAR: Record<string, (response: Response, body: Json) => Promise<Heard | undefined>> = {
  "chat-completions": hearChat,
  responses: hearResponse,
  "anthropic-messages": hearMessage,
  "ag-ui": hearAgUi,
  "ui-message-stream": hearUi,
};

const CONVERSATION = {
  object: "conversation",
  id: expect.stringMatching(/^conv_/),
  metadata: expect.anything(),
};
const LIST = { object: "list", data: expect.any(Array), has_more: false };
const MODEL = { type: "model", id: expect.any(String), display_name: expect.any(String) };

/** What requests that do not reach the model, or that only leave a note for it, are answered with. */
export const ANSWERS: [RegExp, Json][] = [
  [/^POST \S+count_tokens/, { input_tokens: expect.any(Number) }],
  [/^GET \S+\/models$/, { data: expect.arrayContaining([expect.objectContaining(MODEL)]), has_more: false }],
  [/^POST \S+\/input_tokens$/, { object: "response.input_tokens", input_tokens: expect.any(Number) }],
  [/^POST \S+\/compact$/, { object: "response.compaction", output: expect.any(Array) }],
  [/^POST \S+\/embeddings$/, { object: "list", data: [{ embedding: expect.any(String) }, {}] }],
  [/^(GET|POST) \S+\/(items|input_items)(\?|$)/, LIST],
  [/^DELETE \S+\/conversations\/\w+$/, { object: "conversation.deleted", deleted: true }],
  [/^(GET|POST) \S+\/conversations(\/[\w-]+)?$/, CONVERSATION],
  [/^(GET|POST) \S+\/responses\/\w+/, { object: "response", status: "completed" }],
];
