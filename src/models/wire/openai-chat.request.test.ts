import { describe, expect, test } from "vitest";
import type { Message } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { encodeBody } from "./body.ts";
import { openaiChat } from "./openai-chat.ts";
import { replay, sseOf, testContext } from "./testing/replay.ts";

function history(model: string): Message[] {
  return [
    { id: "m1", role: "user", parts: [{ type: "text", text: "Weather?" }] },
    {
      id: "m2",
      role: "assistant",
      model,
      parts: [
        {
          type: "reasoning",
          text: "Look it up.",
          metadata: { reasoning_details: [{ type: "reasoning.text", signature: "s==" }] },
        },
        { type: "tool_call", id: "call_abc", name: "browser.search", arguments: '{"query": "weather"}' },
        {
          type: "tool_result",
          toolCallId: "call_abc",
          toolName: "browser.search",
          success: true,
          output: "Sunny <b>",
          trust: "untrusted",
        },
        { type: "text", text: "Sunny." },
      ],
    },
    { id: "m3", role: "user", parts: [{ type: "text", text: "Thanks" }] },
  ];
}

const tools = [
  { name: "browser.search", description: "Searches", parameters: { type: "object" } },
  { name: "get_time", description: "The time", parameters: { type: "object" } },
];

function body(
  request: Partial<ModelRequest>,
  context: Partial<DialectContext> = {},
): Record<string, unknown> {
  return openaiChat.encode({ messages: [], tools: [], ...request }, testContext(context)).body;
}

function sent(messages: Message[], context: Partial<DialectContext> = {}): Record<string, unknown>[] {
  return body({ messages }, context).messages as Record<string, unknown>[];
}

describe("the request", () => {
  test("encodes the system prompt, history and tools in the dialect's format", () => {
    const request = body({ system: "Be kind.", messages: history("other/model"), tools });
    expect(request).toMatchObject({
      model: "test-model",
      stream: true,
      stream_options: { include_usage: true },
    });
    const messages = request.messages as Record<string, unknown>[];
    expect(messages.map((message) => message.role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(messages[2]).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "call_abc",
          type: "function",
          function: { name: "browser_search", arguments: '{"query": "weather"}' },
        },
      ],
    });
    expect(messages[3]).toMatchObject({ tool_call_id: "call_abc" });
    expect(messages[3]?.content).toContain("<result>Sunny <b></result>");
    expect(request.tools).toMatchObject([
      { function: { name: "browser_search" } },
      { function: { name: "get_time" } },
    ]);
  });

  test("begins with the same bytes on the next turn", () => {
    const messages = history("test/test-model");
    const first = JSON.stringify(
      body({ system: "Be kind.", messages: messages.slice(0, 1), tools, toolChoice: "required" }),
    );
    const second = JSON.stringify(body({ system: "Be kind.", messages, tools, maxOutputTokens: 100 }));
    const prefix = first.slice(0, first.indexOf('],"tool_choice"'));
    expect(prefix).toContain("Weather?");
    expect(second.startsWith(prefix)).toBe(true);
  });

  test("sends reasoning details back byte for byte, and only to the model that made them", () => {
    expect(sent(history("test/test-model"))[1]).toMatchObject({
      reasoning_details: [{ type: "reasoning.text", signature: "s==" }],
    });
    expect(JSON.stringify(sent(history("other/model")))).not.toContain("s==");
  });

  test("joins streamed reasoning details into their blocks", () => {
    const delta = (fields: object) => ({ choices: [{ delta: fields }] });
    const piece = (fields: object) =>
      delta({ reasoning_details: [{ type: "reasoning.text", index: 0, ...fields }] });
    const stream = sseOf([
      piece({ text: "Let ", format: "f" }),
      piece({ text: "me" }),
      piece({ signature: "abc==" }),
      delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "xyz", index: 1 }] }),
      delta({ content: "Hi" }),
    ]);
    const answer = replay(openaiChat, stream);
    const message: Message = { id: "m", role: "assistant", model: "test/test-model", parts: answer.parts };
    expect(sent([message])[0]?.reasoning_details).toEqual([
      { type: "reasoning.text", index: 0, text: "Let me", format: "f", signature: "abc==" },
      { type: "reasoning.encrypted", data: "xyz", index: 1 },
    ]);
  });

  test("sends reasoning back in the field that the vendor expects (43)", () => {
    const quirks = { replayReasoning: "reasoning_content" as const };
    expect(sent(history("test/test-model"), { quirks })[1]?.reasoning_content).toBe("Look it up.");
    expect(sent(history("other/model"), { quirks })[1]?.reasoning_content).toBe("");
    expect(sent(history("test/test-model"))[1]).not.toHaveProperty("reasoning_content");
  });

  test("replaces ids that the vendor would refuse, consistently in calls and results (44)", () => {
    const context = { quirks: { idPattern: "[a-zA-Z0-9]{9}" } };
    const messages = sent(history("other/model"), context);
    const [call] = (messages[1]?.tool_calls ?? []) as { id: string }[];
    const id = call?.id;
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(messages[2]?.tool_call_id).toBe(id);
    expect(messages[2]?.content).toContain(`<tool_call_id>${id}</tool_call_id>`);
    expect(sent(history("other/model"), context)).toEqual(messages);
  });

  test("asks for streamed arguments if the vendor needs to be asked (39)", () => {
    expect(body({ tools }, { quirks: { toolStream: true } }).tool_stream).toBe(true);
    expect(body({}, { quirks: { toolStream: true } })).not.toHaveProperty("tool_stream");
  });

  test("does not disable thinking for a model that refuses to (40)", () => {
    const glm = (reasoning: string) => ({ model: { name: "glm", reasoning } });
    expect(body({ reasoningEffort: "none" }, glm("thinking")).thinking).toEqual({ type: "disabled" });
    expect(body({ reasoningEffort: "none" }, glm("thinking-only-on"))).not.toHaveProperty("thinking");
    expect(body({ reasoningEffort: "high" }, glm("thinking-only-on")).thinking).toEqual({ type: "enabled" });
  });

  test("sends effort and verbosity only to models that support them, with values that they know", () => {
    const request = { reasoningEffort: "minimal", verbosity: "low" } as const;
    expect(Object.keys(body(request))).toEqual(["model", "messages", "stream", "stream_options"]);
    const model = { name: "m", reasoning: "effort", supportsVerbosity: true };
    expect(body(request, { model })).toMatchObject({ reasoning_effort: "minimal", verbosity: "low" });
    const quirks = { efforts: ["low", "high"] } as const;
    expect(body(request, { model, quirks }).reasoning_effort).toBe("low");
    expect(body({ reasoningEffort: "medium" }, { model, quirks }).reasoning_effort).toBe("high");
    expect(body(request, { model: { name: "m", reasoning: "openrouter" } }).reasoning).toEqual({
      effort: "minimal",
    });
  });

  test("marks the first system, the last user and the last tool message for caching, for the models that need it", () => {
    const quirks = { cacheControl: ["anthropic/"] };
    const marked = (name: string) => {
      const messages = body({ system: "S", messages: history("o/m"), tools }, { model: { name }, quirks })
        .messages as Record<string, unknown>[];
      return messages.flatMap((message, at) => (JSON.stringify(message).includes("ephemeral") ? [at] : []));
    };
    expect(marked("anthropic/claude")).toEqual([0, 3, 5]);
    expect(marked("openai/gpt")).toEqual([]);
  });

  test("follows the quirks of vendors that refuse or rename a field", () => {
    expect(body({ maxOutputTokens: 5, temperature: 0 })).toMatchObject({ max_tokens: 5, temperature: 0 });
    const odd = body(
      { maxOutputTokens: 5, temperature: 0, cacheKey: "k", toolChoice: "required", tools },
      {
        quirks: {
          maxTokensField: "max_completion_tokens",
          refuses: ["temperature"],
          streamUsage: false,
          promptCacheKey: true,
          requiredToolChoice: "any",
        },
      },
    );
    expect(odd).toMatchObject({ max_completion_tokens: 5, prompt_cache_key: "k", tool_choice: "any" });
    for (const field of ["max_tokens", "temperature", "stream_options"])
      expect(odd).not.toHaveProperty(field);
  });

  test("can require a tool, and forbid all tools even if the vendor only supports auto", () => {
    expect(body({ tools, toolChoice: { tool: "browser.search" } }).tool_choice).toEqual({
      type: "function",
      function: { name: "browser_search" },
    });
    const quirks = { toolChoices: ["auto"] };
    expect(body({ tools, toolChoice: "none" }, { quirks })).not.toHaveProperty("tools");
    expect(body({ tools, toolChoice: "required" }, { quirks })).not.toHaveProperty("tool_choice");
  });

  test("offers no tools to a model that does not support them", () => {
    const request = body({ tools, toolChoice: "auto" }, { model: { name: "m", supportsTools: false } });
    for (const field of ["tools", "tool_choice"]) expect(request).not.toHaveProperty(field);
  });

  test("sends images as data or by URL, and none to models without vision", () => {
    const messages: Message[] = [
      {
        id: "m1",
        role: "user",
        parts: [
          { type: "text", text: "What is this?" },
          { type: "image", mimeType: "image/png", data: "QUJD" },
          { type: "image", mimeType: "image/png", url: "https://x.test/a.png" },
        ],
      },
    ];
    expect(sent(messages)[0]?.content).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } },
      { type: "image_url", image_url: { url: "https://x.test/a.png" } },
    ]);
    const [blind] = sent(messages, { model: { name: "blind", supportsImages: false } });
    expect(blind?.content).toMatch(/^What is this\?\n\[An image/);
    const [marked] = sent(messages, { quirks: { cacheControl: ["*"] } });
    expect(marked?.content).toMatchObject([{ type: "text", cache_control: { type: "ephemeral" } }, {}, {}]);
    expect(JSON.stringify(marked).match(/cache_control/g)).toHaveLength(1);
  });

  test("asks for images if the model generates them", () => {
    const context = { model: { name: "m", outputsImages: true }, quirks: { imageModalities: true } };
    expect(body({ imageOutput: true }, context).modalities).toEqual(["image", "text"]);
    expect(body({ imageOutput: true })).not.toHaveProperty("modalities");
  });

  test("adds a result to a call without one, because vendors refuse the history otherwise", () => {
    const messages = history("o/m");
    const [, assistant] = messages;
    if (assistant) assistant.parts = assistant.parts.filter((part) => part.type !== "tool_result");
    const tool = sent(messages).find((message) => message.role === "tool");
    expect(tool).toMatchObject({ tool_call_id: "call_abc" });
    expect(tool?.content).toContain("<status>error</status>");
  });

  test("asks for JSON by schema, or as an object if the vendor does not support schemas", () => {
    const responseFormat = {
      type: "json",
      schema: { type: "object", properties: {} },
      name: "plan",
    } as const;
    expect(body({ responseFormat }).response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "plan", schema: { type: "object", properties: {} } },
    });
    expect(body({ responseFormat }, { quirks: { formats: "object" } }).response_format).toEqual({
      type: "json_object",
    });
  });
});

test("a conversation that grows is sent in the same bytes as one that is new", async () => {
  const said = ["Hello", "Hi \ud800 there", "And?", "So.", "Bye", "See you"].map(
    (text, at): Message => ({
      id: `m${at}`,
      role: at % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text }],
    }),
  );
  const textFor = async (messages: Message[], system: string) => {
    const wire = openaiChat.encode({ system, messages, tools }, testContext());
    const { body } = await encodeBody(wire);
    expect(JSON.parse(String(body))).toEqual(JSON.parse(JSON.stringify(wire.body)));
    return String(body);
  };
  for (const length of [1, 3, 5, 3, 6, 2]) {
    const messages = said.slice(0, length);
    for (const system of ["Be brief.", ""])
      expect(await textFor(messages, system)).toBe(await textFor(structuredClone(messages), system));
  }
});
