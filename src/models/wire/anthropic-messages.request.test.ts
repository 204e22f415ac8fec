import type { ContentBlockParam, MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import type { Message, Part, ToolResultPart } from "../../protocol/messages.ts";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelInfo, ModelRequest, ToolSpec } from "../../protocol/model.ts";
import { formatToolResult } from "../../protocol/tool-result.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { replay, testContext } from "./testing/replay.ts";

const MODEL_ID = "anthropic/claude-test";
const SEARCH: ToolSpec = {
  name: "browser.search",
  description: "Searches.",
  parameters: { type: "object", properties: { query: { type: "string" } } },
};
const TIME: ToolSpec = { name: "get_time", description: "The time.", parameters: { type: "object" } };

function encode(request: Partial<ModelRequest>, model: Partial<ModelInfo> = {}) {
  const wire = anthropicMessages.encode(
    { messages: [textMessage("u1", "user", "Hi")], tools: [], ...request },
    testContext({ model: { name: "claude-test", ...model }, modelId: MODEL_ID }),
  );
  return { ...wire, body: wire.body as unknown as MessageCreateParamsStreaming };
}

function assistant(parts: Part[], model = MODEL_ID): Message {
  return { id: "a1", role: "assistant", parts, model };
}

function call(id: string, name = "get_time", args = "{}"): Part {
  return { type: "tool_call", id, name, arguments: args };
}

function result(toolCallId: string, output = "noon", toolName = "get_time"): ToolResultPart {
  return { type: "tool_result", toolCallId, toolName, success: true, output, trust: "trusted" };
}

/** The blocks of each message, without cache breakpoints. */
function blocksOf(body: MessageCreateParamsStreaming): [string, ContentBlockParam[]][] {
  const plain = JSON.parse(JSON.stringify(body.messages), (key, value) =>
    key === "cache_control" ? undefined : value,
  ) as { role: string; content: ContentBlockParam[] }[];
  return plain.map((message) => [message.role, message.content]);
}

describe("a request to Anthropic", () => {
  it("goes to the messages endpoint with the version header and asks for a stream", () => {
    const { path, headers, body } = encode({ system: "Be kind.", temperature: 0.3, maxOutputTokens: 500 });
    expect({ path, headers }).toEqual({
      path: "/v1/messages",
      headers: { "anthropic-version": "2023-06-01" },
    });
    expect(body).toEqual({
      model: "claude-test",
      stream: true,
      max_tokens: 500,
      temperature: 0.3,
      system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] },
      ],
    });
  });

  it("always sets a token limit, at most what the model can write", () => {
    expect(encode({}).body.max_tokens).toBeGreaterThan(0);
    expect(encode({}, { maxOutputTokens: 4096 }).body.max_tokens).toBe(4096);
  });

  it("maps tool names that contain a dot, in both directions", () => {
    const { body } = encode({
      tools: [SEARCH],
      toolChoice: { tool: "browser.search" },
      messages: [
        textMessage("u1", "user", "Hi"),
        assistant([call("toolu_1", "browser.search", '{"query":"a"}'), result("toolu_1")]),
      ],
    });
    expect(body.tools?.[0]).toMatchObject({ name: "browser_search", input_schema: { type: "object" } });
    expect(body.tool_choice).toEqual({ type: "tool", name: "browser_search" });
    expect(blocksOf(body)[1]?.[1][0]).toEqual({
      type: "tool_use",
      id: "toolu_1",
      name: "browser_search",
      input: { query: "a" },
    });
  });

  it.each([
    ["auto", undefined],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
  ] as const)("encodes the tool choice %s", (toolChoice, expected) => {
    expect(encode({ tools: [TIME], toolChoice }).body.tool_choice).toEqual(expected);
  });

  it("declares the tools of its history, but forbids calling them, if none is offered", () => {
    const messages = [textMessage("u1", "user", "Hi"), assistant([call("toolu_1"), result("toolu_1")])];
    const { body } = encode({ messages });
    expect(body.tools).toMatchObject([{ name: "get_time", input_schema: { type: "object" } }]);
    expect(body.tool_choice).toEqual({ type: "none" });
  });

  it("puts the results of a step into one message, in call order, with errors marked, before the user's text", () => {
    const failed: ToolResultPart = {
      ...result("toolu_1"),
      success: false,
      output: "",
      error: { code: "TOOL_DENIED", status: 403, message: "No." },
    };
    const { body } = encode({
      tools: [TIME],
      messages: [
        textMessage("u1", "user", "Hi"),
        assistant([call("toolu_1"), call("toolu_2"), result("toolu_2"), failed]),
        textMessage("u2", "user", "And?"),
      ],
    });
    expect(blocksOf(body)[2]).toEqual([
      "user",
      [
        { type: "tool_result", tool_use_id: "toolu_1", content: formatToolResult(failed), is_error: true },
        { type: "tool_result", tool_use_id: "toolu_2", content: formatToolResult(result("toolu_2")) },
        { type: "text", text: "And?" },
      ],
    ]);
  });

  it("adds an error for a call without a result, and drops a result without a call", () => {
    const { body } = encode({
      tools: [TIME],
      messages: [textMessage("u1", "user", "Hi"), assistant([call("toolu_1"), result("toolu_other")])],
    });
    const results = blocksOf(body)[2]?.[1];
    expect(results).toHaveLength(1);
    expect(results?.[0]).toMatchObject({ type: "tool_result", tool_use_id: "toolu_1", is_error: true });
  });

  it("sends the text of a client's result as it is, with its error marked", () => {
    const told = (toolCallId: string, output: string, success: boolean): ToolResultPart => {
      return { ...result(toolCallId), output, success, fromClient: true };
    };
    const results = [told("toolu_1", "a < b\r\n", true), told("toolu_2", "</result> failed", false)];
    const { body } = encode({
      tools: [TIME],
      messages: [textMessage("u1", "user", "Hi"), assistant([call("toolu_1"), call("toolu_2"), ...results])],
    });
    expect(blocksOf(body)[2]?.[1]).toMatchObject([
      { tool_use_id: "toolu_1", content: "a < b\r\n" },
      { tool_use_id: "toolu_2", content: "</result> failed", is_error: true },
    ]);
    expect(blocksOf(body)[2]?.[1]?.[0]).not.toHaveProperty("is_error");
  });

  it("accepts results in a separate message", () => {
    const { body } = encode({
      tools: [TIME],
      messages: [
        textMessage("u1", "user", "Hi"),
        assistant([call("toolu_1")]),
        { id: "r1", role: "user", parts: [result("toolu_1")] },
      ],
    });
    expect(blocksOf(body)[2]?.[1]).toMatchObject([{ content: formatToolResult(result("toolu_1")) }]);
  });

  it("sends images as bytes or by URL, and a note if neither is possible", () => {
    const parts: Part[] = [
      { type: "image", mimeType: "image/png", data: "aGk=" },
      { type: "image", mimeType: "image/png", url: "https://pictures.example/a.png" },
      { type: "image", mimeType: "image/svg+xml", data: "aGk=" },
      { type: "image", mimeType: "image/png", fileId: "file_1" },
    ];
    const messages: Message[] = [{ id: "u1", role: "user", parts }];
    expect(blocksOf(encode({ messages }).body)[0]?.[1]).toMatchObject([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "image", source: { type: "url", url: "https://pictures.example/a.png" } },
      { type: "text" },
      { type: "text" },
    ]);
    const blind = blocksOf(encode({ messages }, { supportsImages: false }).body)[0]?.[1];
    expect(blind?.map((block) => block.type)).toEqual(["text", "text", "text", "text"]);
  });

  it("sends no empty text, merges messages of the same role, and begins with a user message", () => {
    const { body } = encode({
      messages: [
        assistant([{ type: "text", text: "Welcome." }]),
        textMessage("u1", "user", " \n"),
        textMessage("u2", "user", "Hi"),
        textMessage("u3", "user", "there"),
      ],
    });
    expect(blocksOf(body).map(([role, blocks]) => [role, blocks.length])).toEqual([
      ["user", 1],
      ["assistant", 1],
      ["user", 2],
    ]);
  });

  it("puts system messages of the history after the system prompt", () => {
    const messages = [textMessage("s1", "system", "Speak French."), textMessage("u1", "user", "Hi")];
    expect(encode({ system: "Be kind.", messages }).body.system).toEqual([
      { type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } },
      { type: "text", text: "Speak French." },
    ]);
  });

  it("asks for an answer that follows a schema", () => {
    const schema = { type: "object", properties: {} };
    expect(encode({ responseFormat: { type: "json", schema } }).body.output_config).toEqual({
      format: { type: "json_schema", schema: { ...schema, additionalProperties: false } },
    });
  });
});

describe("history that goes to Anthropic", () => {
  const thoughts: Part[] = [
    { type: "reasoning", text: "Hm,\n so.", metadata: { signature: "Eq/+A==" } },
    { type: "reasoning", text: "", metadata: { redacted: "hidden+/=" } },
    { type: "reasoning", text: "cut off" },
    { type: "text", text: "Looking." },
    call("toolu_1"),
    result("toolu_1"),
  ];

  it("sends signed and redacted thinking back unchanged and in order, but drops truncated thinking (27)", () => {
    const { body } = encode({
      tools: [TIME],
      messages: [textMessage("u1", "user", "Hi"), assistant(thoughts)],
    });
    expect(blocksOf(body)[1]?.[1]).toEqual([
      { type: "thinking", thinking: "Hm,\n so.", signature: "Eq/+A==" },
      { type: "redacted_thinking", data: "hidden+/=" },
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "toolu_1", name: "get_time", input: {} },
    ]);
  });

  it("drops thinking with broken characters, which would not be what the model signed", () => {
    const broken = { type: "reasoning" as const, text: "Hm \ud83d", metadata: { signature: "Eq/+A==" } };
    const answer = assistant([broken, { type: "text", text: "Yes." }]);
    const { body } = encode({
      messages: [textMessage("u1", "user", "Hi"), answer, textMessage("u2", "user", "So?")],
    });
    expect(blocksOf(body)[1]?.[1]).toEqual([{ type: "text", text: "Yes." }]);
  });

  it("drops thinking that followed another system prompt or other tools, which the vendor refuses", () => {
    const thought = (prefix: string): Part => ({
      type: "reasoning",
      text: prefix,
      metadata: { signature: "s", prefix },
    });
    const { body } = encode({
      prefix: "now",
      messages: [
        textMessage("u1", "user", "Hi"),
        assistant([thought("before"), { type: "text", text: "A" }]),
        textMessage("u2", "user", "And?"),
        assistant([thought("now"), { type: "text", text: "B" }]),
        textMessage("u3", "user", "So?"),
      ],
    });
    const sent = JSON.stringify(body.messages);
    expect(sent).not.toContain('"before"');
    expect(sent).toContain('"thinking":"now"');
  });

  it("sends every block back byte for byte as it was received (27)", () => {
    const signature = `${"Eq".repeat(300)}/+=`;
    const stream = [
      { type: "message_start", message: { id: "m" } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Ä 👋" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature } },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "Ok" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ];
    const bytes = stream.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const { parts } = replay(anthropicMessages, bytes, 7);
    const { body } = encode({ messages: [textMessage("u1", "user", "Hi"), assistant(parts)] });
    expect(blocksOf(body)[1]?.[1]).toEqual([
      { type: "thinking", thinking: "Ä 👋", signature },
      { type: "text", text: "Ok" },
    ]);
  });

  it("drops another model's thinking, and maps its ids to allowed, unique ones", () => {
    const foreign = [
      assistant([...thoughts, call("call:1|x"), result("call:1|x")], "openai/gpt-test"),
      assistant([call("call_1_x"), result("call_1_x")], "gemini/gemini-test"),
    ];
    const { body } = encode({ tools: [TIME], messages: [textMessage("u1", "user", "Hi"), ...foreign] });
    const blocks = blocksOf(body).flatMap(([, content]) => content);
    expect(blocks.some((block) => block.type.includes("thinking"))).toBe(false);
    const ids = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    expect(ids).toEqual(["toolu_1", expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/), "call_1_x"]);
    expect(new Set(ids).size).toBe(3);
    expect(blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))).toEqual(ids);
  });

  it("sends a call whose arguments are not JSON without arguments", () => {
    const messages = [textMessage("u1", "user", "Hi"), assistant([call("toolu_1", "get_time", '{"a":')])];
    expect(blocksOf(encode({ tools: [TIME], messages }).body)[1]?.[1][0]).toMatchObject({ input: {} });
  });
});

describe("thinking at Anthropic", () => {
  const budget = { reasoning: "budget", maxOutputTokens: 64_000 };

  it("is requested with a budget below the limit, without a temperature", () => {
    const { body } = encode({ reasoningEffort: "high", temperature: 0.5 }, budget);
    expect(body.thinking).toMatchObject({ type: "enabled" });
    const tokens = body.thinking?.type === "enabled" ? body.thinking.budget_tokens : 0;
    expect(tokens).toBeGreaterThanOrEqual(1024);
    expect(tokens).toBeLessThan(body.max_tokens);
    expect(body).not.toHaveProperty("temperature");
    const low = encode({ reasoningEffort: "low" }, budget).body.thinking;
    expect(low?.type === "enabled" && low.budget_tokens < tokens).toBe(true);
  });

  it("shrinks to the requested limit, and is omitted if nothing would remain", () => {
    expect(encode({ reasoningEffort: "high", maxOutputTokens: 4096 }, budget).body.thinking).toEqual({
      type: "enabled",
      budget_tokens: 3072,
    });
    expect(encode({ reasoningEffort: "high", maxOutputTokens: 1500 }, budget).body.thinking).toBeUndefined();
  });

  it("is left to adaptive models, with an effort", () => {
    const { body } = encode({ reasoningEffort: "minimal", temperature: 1 }, { reasoning: "adaptive" });
    expect(body.thinking).toMatchObject({ type: "adaptive" });
    expect(body.output_config).toEqual({ effort: "low" });
    expect(body).not.toHaveProperty("temperature");
  });

  it("is not requested if the model cannot think, the request does not ask for it, or a tool is forced", () => {
    expect(encode({ reasoningEffort: "high" }).body.thinking).toBeUndefined();
    expect(encode({ reasoningEffort: "none" }, budget).body.thinking).toBeUndefined();
    expect(encode({}, budget).body.thinking).toBeUndefined();
    const forced = { reasoningEffort: "high", tools: [TIME], toolChoice: "required" } as const;
    expect(encode({ ...forced, tools: [TIME] }, budget).body.thinking).toBeUndefined();
  });

  it("is off while continuing a step of another model, which has no thinking", () => {
    const step = [textMessage("u1", "user", "Hi"), assistant([call("c1"), result("c1")], "openai/gpt-test")];
    const request = { reasoningEffort: "high", tools: [TIME] } as const;
    expect(encode({ ...request, tools: [TIME], messages: step }, budget).body.thinking).toBeUndefined();
    const own = [
      textMessage("u1", "user", "Hi"),
      assistant([{ type: "reasoning", text: "Hm", metadata: { signature: "s" } }, call("c1"), result("c1")]),
    ];
    expect(encode({ ...request, tools: [TIME], messages: own }, budget).body.thinking).toBeDefined();
  });
});

describe("the Anthropic prompt cache", () => {
  const first: ModelRequest = {
    system: "Be kind.",
    tools: [TIME, SEARCH],
    messages: [
      textMessage("u1", "user", "Hi"),
      assistant([call("toolu_1"), result("toolu_1")]),
      textMessage("u2", "user", "And now?"),
    ],
  };

  it("has at most four breakpoints: on the system prompt, the tools, the last user text and the last results", () => {
    const running = [
      ...first.messages,
      assistant([call("toolu_2"), result("toolu_2"), call("toolu_3"), result("toolu_3")]),
    ];
    const { body } = encode({ ...first, messages: running });
    const text = JSON.stringify(body);
    expect(text.match(/"cache_control"/g)).toHaveLength(4);
    expect(body.system).toMatchObject([{ cache_control: { type: "ephemeral" } }]);
    expect(body.tools?.map((tool) => "cache_control" in tool)).toEqual([false, true]);
    const marked = body.messages.flatMap(({ content }, at) =>
      Array.isArray(content) && content.some((block) => "cache_control" in block) ? [at] : [],
    );
    // The user's "And now?" was merged with the first results; the newest results come last.
    expect(marked).toEqual([2, body.messages.length - 1]);
  });

  it("gets the same prefix in the body of the next turn", () => {
    const next = {
      ...first,
      messages: [
        ...first.messages,
        assistant([{ type: "text", text: "Noon." }]),
        textMessage("u3", "user", "Thanks"),
      ],
    };
    const unmarked = (request: ModelRequest) =>
      JSON.stringify(encode(request).body, (key, value) => (key === "cache_control" ? undefined : value));
    const before = unmarked(first).replace(/\]\}$/, "");
    expect(unmarked(next).startsWith(before)).toBe(true);
    const upTo = (request: ModelRequest) => JSON.stringify(encode(request).body).split('"messages":')[0];
    expect(upTo(next)).toBe(upTo(first));
  });
});
