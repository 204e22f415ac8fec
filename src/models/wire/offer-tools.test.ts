import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonSchema } from "../../protocol/json.ts";
import { type Message, textMessage } from "../../protocol/messages.ts";
import type { ModelEvent, ModelRequest, ToolSpec } from "../../protocol/model.ts";
import { defineProvider } from "../../protocol/provider.ts";
import { anthropicTurn } from "../../sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../../sim/testing/gemini-turn.ts";
import { responsesTurn } from "../../sim/testing/responses-turn.ts";
import { startUpstream } from "../../sim/testing/upstream.ts";
import type { Turn } from "../../sim/turn.ts";
import { chatTurn, jsonTurn, type ScriptedAnswer } from "../../sim/turns.ts";
import { createTransport } from "../transport.ts";
import { DIALECTS } from "./dialects.ts";
import { createModel } from "./exchange.ts";
import { summarize } from "./testing/replay.ts";

const upstream = await startUpstream();
const transport = createTransport();
afterAll(async () => {
  await upstream.close();
  await transport.close();
});

/** Its own model for every test, because refusals are remembered by model. */
let count = 0;
let modelName = "";
beforeEach(() => {
  modelName = `m${++count}`;
  upstream.requests.length = 0;
});

async function ask(dialectId: string, request: Partial<ModelRequest>, ...turns: Turn[]) {
  const dialect = DIALECTS[dialectId];
  if (!dialect) throw new Error(`no dialect ${dialectId}`);
  const provider = defineProvider({
    id: "test",
    label: "Testers",
    baseUrl: upstream.url,
    baseUrlSetting: "TEST_BASE_URL",
    dialect: dialectId,
    models: [],
    unknownModel: {},
    quirks: {},
  });
  upstream.play(...turns);
  const model = createModel({ provider, modelInfo: { name: modelName }, dialect, transport });
  const events: ModelEvent[] = [];
  const messages = [textMessage("u1", "user", "Hi")];
  const signal = AbortSignal.timeout(20_000);
  await model.stream({ messages, tools: [], ...request }, (event) => events.push(event), signal);
  const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  return { ...summarize(events), warnings };
}

const tool = (name: string, parameters: unknown = { type: "object", properties: {} }): ToolSpec => ({
  name,
  description: `The tool ${name}.`,
  parameters: parameters as JsonSchema,
});

/** The names of the tools in each request, in the vendor's form. */
function offered(): string[][] {
  return upstream.requests.map(({ body }) => {
    const { tools = [] } = body as { tools?: Record<string, unknown>[] };
    const declared = tools.flatMap((one) => (one.functionDeclarations as Record<string, unknown>[]) ?? [one]);
    return declared.map((one) => String((one.function as { name: string } | undefined)?.name ?? one.name));
  });
}

const odd = {
  type: "object",
  properties: {
    $top: { type: "integer" },
    inner: { type: "object", properties: { "a b": { type: "string" } } },
  },
  required: ["$top"],
};

/** One vendor of each dialect: how it answers, and how it refuses the second tool. */
const vendors: [id: string, answer: (answer: ScriptedAnswer) => Turn, refusal: object][] = [
  [
    "openai-chat",
    chatTurn,
    {
      error: {
        message: "Invalid schema for function 'bad_tool': In context=(), …",
        param: "tools[1].function.parameters",
      },
    },
  ],
  [
    "openai-responses",
    responsesTurn,
    { error: { message: "Invalid 'tools[1].parameters': not a schema.", param: "tools[1].parameters" } },
  ],
  [
    "anthropic-messages",
    anthropicTurn,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "tools.1.custom.input_schema: JSON schema is invalid.",
      },
    },
  ],
  [
    "gemini",
    geminiTurn,
    {
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "* GenerateContentRequest.tools[0].function_declarations[1].parameters_json_schema: bad\n",
      },
    },
  ],
];

describe.each(vendors)("%s", (id, answer, refusal) => {
  const call = { name: "odd", arguments: { top: 1, inner: { a_b: "x" } } };

  it("gives the tool its own names, and the vendor its own when the call is in the history", async () => {
    const { calls } = await ask(id, { tools: [tool("odd", odd)] }, answer({ calls: [call] }));
    expect(calls.map((one) => JSON.parse(one.arguments) as unknown)).toEqual([
      { $top: 1, inner: { "a b": "x" } },
    ]);
    const said: Message = { id: "a1", role: "assistant", parts: calls };
    await ask(
      id,
      { tools: [tool("odd", odd)], messages: [textMessage("u1", "user", "Hi"), said] },
      answer({ text: "Done." }),
    );
    const history = JSON.stringify(upstream.requests[1]?.body).replaceAll("\\", "");
    expect(history).toContain('{"top":1,"inner":{"a_b":"x"}}');
    expect(history).not.toContain('$top":1');
  });

  it("goes on without a tool that the vendor refuses, says so, and remembers it", async () => {
    const tools = [tool("good"), tool("bad.tool", odd), tool("other")];
    const first = await ask(id, { tools }, jsonTurn(refusal, 400), answer({ text: "Hello." }));
    expect(first.text).toBe("Hello.");
    expect(first.warnings).toEqual([
      expect.stringContaining("The tool bad.tool is not offered to this model: its vendor refused it"),
    ]);
    const second = await ask(id, { tools }, answer({ text: "Again." }));
    expect(second.text).toBe("Again.");
    expect(second.warnings).toEqual(first.warnings);
    expect(offered()).toEqual([
      ["good", "bad_tool", "other"],
      ["good", "other"],
      ["good", "other"],
    ]);
  });

  it("leaves out a tool that cannot be described, and a choice of it", async () => {
    const tools = [tool("never", false), tool("good")];
    const { text, warnings } = await ask(
      id,
      { tools, toolChoice: { tool: "never" } },
      answer({ text: "Hi." }),
    );
    expect(text).toBe("Hi.");
    expect(warnings).toEqual([
      "The tool never is not offered to this model: its schema accepts no arguments.",
    ]);
    expect(offered()).toEqual([["good"]]);
    expect(JSON.stringify(upstream.requests[0]?.body)).not.toContain("never");
  });
});

const refused = (message: string) => jsonTurn({ error: { message } }, 400);

it.each([
  "Unsupported tool schema.",
  "JSON schema conversion failed: Unrecognized schema: {}",
  "json: cannot unmarshal array into Go struct field ToolFunction.tools.function.parameters.properties of type string",
])(
  "leaves out what it had to change if the vendor refuses a schema without naming its tool: %s",
  async (message) => {
    const tools = [tool("plain"), tool("odd", odd)];
    await ask("openai-chat", { tools }, refused(message), chatTurn({ text: "Hi." }));
    expect(offered()).toEqual([["plain", "odd"], ["plain"]]);
  },
);

it.each([
  [
    "Mistral",
    {
      object: "error",
      message: {
        detail: [{ loc: ["body", "tools", 1, "function"], msg: "Input should be a valid dictionary" }],
      },
    },
  ],
  [
    "Groq",
    {
      error: {
        message: "invalid JSON schema for tool odd, tools[1].function.parameters: `/properties/x/type`",
      },
    },
  ],
  [
    "Vertex",
    {
      error: {
        message:
          "Unable to submit request because `odd` functionDeclaration `parameters.x` schema didn't specify the schema type field.",
      },
    },
  ],
  [
    "OpenRouter",
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: JSON.stringify({
            error: { message: "tools.1.custom.input_schema.properties: Property keys should match pattern" },
          }),
        },
      },
    },
  ],
  ["Z.ai", { error: { code: "1214", message: "tools[1].function.parameters 参数非法" } }],
])("reads which tool %s refuses", async (_vendor, error) => {
  const tools = [tool("plain"), tool("odd", odd)];
  await ask("openai-chat", { tools }, jsonTurn(error, 400), chatTurn({ text: "Hi." }));
  expect(offered()).toEqual([["plain", "odd"], ["plain"]]);
});

it("offers no tools in the end if the vendor refuses one after the other", async () => {
  const tools = Array.from({ length: 12 }, (_, at) => tool(`t${at}`));
  const no = refused("tools.0.function.parameters: no");
  const { text } = await ask("openai-chat", { tools }, ...Array(8).fill(no), chatTurn({ text: "Hi." }));
  expect(text).toBe("Hi.");
  expect(offered().map((names) => names.length)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 0]);
});

it.each([
  "messages.3: `tool_use` ids were found without `tool_result` blocks",
  "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
  "Invalid schema for response_format 'answer': In context=(), …",
])("does not blame a tool for another error: %s", async (message) => {
  const { failure } = await ask("openai-chat", { tools: [tool("answer"), tool("tool")] }, refused(message));
  expect(failure?.publicMessage).toContain("did not accept the request");
  expect(upstream.requests).toHaveLength(1);
});

it.each(["The model does not support tools.", '"m" does not support function calling'])(
  "goes on without tools where the model takes none: %s",
  async (message) => {
    const { text, warnings } = await ask(
      "openai-chat",
      { tools: [tool("a")] },
      refused(message),
      chatTurn({ text: "Hi." }),
    );
    expect(text).toBe("Hi.");
    expect(offered()).toEqual([["a"], []]);
    expect(warnings).toEqual([expect.stringContaining("cannot call tools")]);
  },
);

it("offers as many tools as the vendor takes, and always the one that must be called", async () => {
  const tools = Array.from({ length: 140 }, (_, at) => tool(`t${at}`));
  const { warnings } = await ask(
    "openai-chat",
    { tools, toolChoice: { tool: "t139" } },
    refused(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 140 instead.",
    ),
    chatTurn({ text: "Hi." }),
  );
  expect(offered().map(({ length }) => length)).toEqual([140, 128]);
  expect(offered()[1]?.at(-1)).toBe("t139");
  expect(warnings).toEqual([
    expect.stringMatching(/takes at most 128 tools\. Not offered: t127, t128, t129, t130, t131 and 7 more\./),
  ]);
});

it("keeps a long description, partly inside of the schema where the vendor limits it", async () => {
  const description = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
  await ask("openai-chat", { tools: [{ ...tool("wordy"), description }] }, chatTurn({ text: "Hi." }));
  const body = upstream.requests[0]?.body as { tools: { function: ToolSpec }[] };
  const sent = body.tools[0]?.function;
  expect(sent?.description.length).toBeLessThanOrEqual(1_024);
  expect(`${sent?.description}${sent?.parameters.description}`.replace("……", " ")).toBe(description);
});

it("offers the later one of two tools with the same name, and says something about a tool without a description", async () => {
  const tools = [
    { ...tool("same"), description: "Ours." },
    { ...tool("same"), description: " " },
  ];
  await ask("openai-chat", { tools }, chatTurn({ text: "Hi." }));
  const sent = upstream.requests[0]?.body as { tools: { function: ToolSpec }[] };
  expect(sent.tools.map((one) => one.function.description)).toEqual(["Runs same."]);
});
