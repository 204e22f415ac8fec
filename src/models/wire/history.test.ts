import { expect, test } from "vitest";
import { isObject } from "../../protocol/json.ts";
import { type Message, type Part, textMessage } from "../../protocol/messages.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { gemini } from "./gemini.ts";
import { type HistoryRules, readHistory } from "./history.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { testContext } from "./testing/replay.ts";

const user = (text: string) => textMessage("u", "user", text);
const system = (text: string) => textMessage("s", "system", text);
const assistant = (...parts: Part[]): Message => ({ id: "a", role: "assistant", parts });
const said = (text: string): Part => ({ type: "text", text });
const call = (id: string, text = "{}"): Part => ({ type: "tool_call", id, name: "look", arguments: text });
const result = (toolCallId: string, output = "ok"): Part => ({
  type: "tool_result",
  toolCallId,
  toolName: "look",
  success: true,
  output,
  trust: "untrusted",
  fromClient: true,
});
const results = (...parts: Part[]): Message => ({ id: "r", role: "user", parts });

function read(messages: Message[], rules?: HistoryRules, context: Partial<DialectContext> = {}) {
  const { turns } = readHistory({ messages }, testContext(context), rules);
  return turns.map(({ role, parts, answers }) => [
    role,
    parts.map((part) => ("text" in part ? part.text : part.type)).join("|"),
    ...answers.map((answer) => answer.result.output || answer.result.error?.code),
  ]);
}

test("results go right behind their calls, whoever spoke in between, each exactly once", () => {
  const messages = [
    user("Go"),
    assistant(call("a"), call("b")),
    system("Be brief."),
    user("Wait"),
    results(result("b", "B"), result("b", "again"), result("x", "orphan")),
  ];
  expect(read(messages, { systemInPlace: true })).toEqual([
    ["user", "Go"],
    ["assistant", "tool_call|tool_call", "CANCELLED", "B"],
    ["system", "Be brief."],
    ["user", "Wait"],
  ]);
});

test("an id that two turns use belongs to the newer one, and twice in a turn is answered in order", () => {
  const messages = [
    user("Go"),
    assistant(call("a")),
    assistant(call("a"), call("a")),
    results(result("a", "1"), result("a", "2")),
  ];
  expect(read(messages).slice(1)).toEqual([
    ["assistant", "tool_call", "CANCELLED"],
    ["assistant", "tool_call|tool_call", "1", "2"],
  ]);
});

test("blank parts and messages, and thoughts that led to nothing, are left out", () => {
  const messages = [
    user("Go"),
    assistant(said(" \n"), { type: "reasoning", text: "Hm", metadata: { signature: "s" } }),
    user("  "),
    assistant(said(""), said("Yes")),
    user("Fine"),
  ];
  expect(read(messages)).toEqual([
    ["user", "Go"],
    ["assistant", "Yes"],
    ["user", "Fine"],
  ]);
});

test("user and model take turns where the vendor wants it, the user first", () => {
  const messages = [assistant(said("Hello")), user("One"), user("Two"), assistant(said("A")), user("Three")];
  expect(read(messages, { alternating: true })).toEqual([
    ["user", "(The beginning of this conversation is not shown.)"],
    ["assistant", "Hello"],
    ["user", "One|\n\nTwo"],
    ["assistant", "A"],
    ["user", "Three"],
  ]);
});

test("a message that joins the one before it may have any number of parts", () => {
  const many: Message = { id: "u", role: "user", parts: Array.from({ length: 200_000 }, () => said("a")) };
  const { turns } = readHistory({ messages: [user("One"), many] }, testContext({}), { alternating: true });
  expect(turns.at(-1)?.parts).toHaveLength(200_001);
});

test("the user has the last word, unless the model may go on with its own message", () => {
  const messages = [user("Write"), assistant(said("Once upon  \n"))];
  expect(read(messages).at(-1)).toEqual(["user", "Continue."]);
  expect(read(messages, {}, { quirks: { prefill: true } }).at(-1)).toEqual(["assistant", "Once upon"]);
  const asked = { messages, responseFormat: { type: "json" } } as const;
  const { turns } = readHistory(asked, { modelId: "v/m", quirks: { prefill: true } });
  expect(turns.at(-1)?.role).toBe("user");
  expect(read([])).toEqual([["user", "Continue."]]);
  expect(read([system("Be brief.")])).toEqual([["user", "Continue."]]);
});

const dialects = [openaiChat, openaiResponses, anthropicMessages, gemini];
const FIELDS = new Set(["arguments", "input", "args"]);

/** Finds the arguments of the one call in a body, as the vendor would read them. */
function argumentsIn(value: unknown): unknown {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (FIELDS.has(key) && typeof inner === "string") return JSON.parse(inner);
    if (FIELDS.has(key) && isObject(inner)) return inner;
    const found = argumentsIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

test.each([
  ['{"path": "a', { unreadable_arguments: '{"path": "a' }],
  ["[1]", { unreadable_arguments: "[1]" }],
  ['"text"', { unreadable_arguments: '"text"' }],
  ['{"a":1} and more', { unreadable_arguments: '{"a":1} and more' }],
  ["", {}],
  ["null", {}],
  ['{"a": 1,}', { a: 1 }],
  ['"{\\"a\\":1}"', { a: 1 }],
  ['{"a":"\\ud800 \\u0000"}', { a: "\ufffd \0" }],
])("the arguments %j of an earlier call go back as an object in every dialect", (text, expected) => {
  for (const dialect of dialects) {
    const messages = [user("Go"), assistant(call("a", text), result("a"))];
    expect(argumentsIn(dialect.encode({ messages, tools: [] }, testContext()).body)).toEqual(expected);
  }
});

test("every string and key of a body is valid Unicode, in every dialect", () => {
  const odd = "half \ud83d, \udc00";
  const parameters = { type: "object", properties: { [odd]: { type: "string", description: odd } } };
  const messages = [
    system(odd),
    user(odd),
    assistant(said(odd), {
      type: "tool_call",
      id: odd,
      name: odd,
      arguments: JSON.stringify({ [odd]: odd }),
    }),
    results(result(odd, odd)),
    user(odd),
  ];
  const tools = [{ name: "look", description: odd, parameters }];
  for (const dialect of dialects) {
    const json = JSON.stringify(dialect.encode({ system: odd, messages, tools }, testContext()).body);
    expect(json).not.toMatch(/\\ud[89a-f]/i);
  }
});
