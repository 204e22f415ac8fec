import { describe, expect, it } from "vitest";
import type { Part } from "../../protocol/messages.ts";
import { testContext } from "./testing/replay.ts";
import {
  assistant,
  CALL_ADDED,
  CONTEXT,
  call,
  completed,
  encode,
  MODEL,
  REASONING,
  result,
  STORING,
  stream,
  TOOLS,
  user,
} from "./testing/responses.ts";

describe("a Responses request", () => {
  it("asks for a stream that the vendor does not store, with encrypted reasoning", () => {
    const body = encode({
      system: "Be brief.",
      messages: [user("Hello")],
      tools: TOOLS,
      toolChoice: { tool: "browser.search" },
      reasoningEffort: "low",
      verbosity: "high",
      maxOutputTokens: 100,
      cacheKey: "session-1",
    });
    expect(body).toEqual({
      model: "gpt-5",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "low", summary: "auto" },
      prompt_cache_key: "session-1",
      max_output_tokens: 100,
      text: { verbosity: "high" },
      tools: [
        {
          type: "function",
          name: "browser_search",
          description: "Searches.",
          parameters: { type: "object" },
          strict: false,
        },
        {
          type: "function",
          name: "get_time",
          description: "Tells the time.",
          parameters: { type: "object" },
          strict: false,
        },
      ],
      tool_choice: { type: "function", name: "browser_search" },
      instructions: "Be brief.",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
    });
  });

  it("sends a model without reasoning or verbosity neither of them, but the temperature", () => {
    const context = testContext({ model: { name: "gpt-4o" } });
    const { input, ...body } = encode(
      { reasoningEffort: "high", verbosity: "low", temperature: 0.5 },
      context,
    );
    expect(body).toEqual({ model: "gpt-4o", stream: true, store: false, temperature: 0.5 });
    expect(input).toHaveLength(1);
    expect(encode({ temperature: 0.5 })).not.toHaveProperty("temperature");
    expect(encode({ temperature: 0.5, topP: 0.9, reasoningEffort: "none" })).toMatchObject({
      ...{ temperature: 0.5, top_p: 0.9 },
      reasoning: { effort: "none" },
    });
  });

  it("asks for JSON with and without a schema", () => {
    const schema = { type: "object", properties: {} };
    expect(encode({ responseFormat: { type: "json", schema, name: "plan" } }).text).toEqual({
      format: { type: "json_schema", name: "plan", schema, strict: false },
    });
    expect(encode({ responseFormat: { type: "json" } }).text).toEqual({ format: { type: "json_object" } });
  });

  it("sends images as bytes or by URL, and a note if one cannot be sent", () => {
    const parts: Part[] = [
      { type: "image", mimeType: "image/png", data: "aGk=" },
      { type: "image", mimeType: "image/png", url: "https://example.com/a.png" },
      { type: "image", mimeType: "image/png", fileId: "file_1" },
    ];
    const [message] = encode({ messages: [{ id: "u", role: "user", parts }] }).input;
    expect(message?.content).toEqual([
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,aGk=" },
      { type: "input_image", detail: "auto", image_url: "https://example.com/a.png" },
      { type: "input_text", text: expect.stringContaining("image") },
    ]);
  });

  it("offers the vendor's image tool if images are wanted and the model generates them", () => {
    const context = testContext({ model: { name: "gpt-5", outputsImages: true } });
    expect(encode({ imageOutput: true }, context).tools).toEqual([{ type: "image_generation" }]);
    expect(encode({ imageOutput: true }).tools).toBeUndefined();
  });

  it("keeps the bytes of everything before a new message", () => {
    const history = [user("One"), assistant([call("call_a"), result("call_a")]), user("Two")];
    const before = JSON.stringify(encode({ system: "S", messages: history, tools: TOOLS }));
    const after = JSON.stringify(
      encode({ system: "S", messages: [...history, user("Three")], tools: TOOLS }),
    );
    expect(after.startsWith(before.slice(0, -2))).toBe(true);
  });

  it("sends a whole answer of the API back without changing a byte of its reasoning", () => {
    const { parts } = stream(
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_0" } },
      { type: "response.output_item.done", output_index: 0, item: { ...REASONING, status: null } },
      { ...CALL_ADDED, output_index: 1 },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: { ...CALL_ADDED.item, name: "browser_search", arguments: '{"query": "x"}' },
      },
      completed(),
    );
    const made = parts.find((part) => part.type === "tool_call");
    const messages = [user("Go"), assistant([...parts, result(made?.id ?? "")])];
    const { input } = encode({ messages, tools: TOOLS });
    expect(JSON.stringify(input[1])).toBe(JSON.stringify(REASONING));
    expect(input.slice(2)).toEqual([
      { type: "function_call", call_id: "call_1", name: "browser_search", arguments: '{"query": "x"}' },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: expect.stringContaining("<tool_call_id>call_1</tool_call_id>"),
      },
    ]);
    expect(JSON.stringify(input)).not.toContain("resp_1");
  });

  it("does not send another model's reasoning and ids", () => {
    const longId = `toolu.${"x".repeat(80)}`;
    const parts: Part[] = [
      { type: "reasoning", text: "Secret thought", metadata: { item: REASONING } },
      { type: "text", text: "Looking." },
      call(longId, { callId: "toolu_foreign" }),
      result(longId),
    ];
    const { input } = encode({ messages: [user("Go"), assistant(parts, "anthropic/claude")] });
    expect(input.map((item) => item.type)).toEqual([
      "message",
      "message",
      "function_call",
      "function_call_output",
    ]);
    const id = String(input[2]?.call_id);
    expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(input[3]?.call_id).toBe(id);
    expect(JSON.stringify(input)).not.toMatch(/Secret|rs_1|toolu_foreign/);
  });

  it("gives two calls with the same vendor id different ids", () => {
    const steps = [
      call("a", { callId: "call_0" }),
      result("a"),
      call("b", { callId: "call_0" }),
      result("b"),
    ];
    const ids = encode({ messages: [assistant(steps)] }).input.map((item) => item.call_id);
    expect(ids.slice(0, 2)).toEqual(["call_0", "call_0"]);
    expect(ids[2]).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(ids[2]).not.toBe("call_0");
    expect(ids[3]).toBe(ids[2]);
  });

  it("adds a result to a call that never finished, because the vendor requires one", () => {
    const { input } = encode({ messages: [assistant([call("a")]), user("Well?")] });
    expect(input.map((item) => item.type)).toEqual(["function_call", "function_call_output", "message"]);
    expect(input[1]?.output).toContain("<status>error</status>");
  });

  it("keeps the phase of a message for the model that wrote it", () => {
    const parts: Part[] = [{ type: "text", text: "Soon.", metadata: { phase: "commentary" } }];
    expect(encode({ messages: [assistant(parts)] }).input[0]).toMatchObject({ phase: "commentary" });
    expect(encode({ messages: [assistant(parts, "x/y")] }).input[0]).not.toHaveProperty("phase");
  });
});

describe("reasoning items of a call (38)", () => {
  const reasoning: Part = { type: "reasoning", text: "Look it up.", metadata: { item: REASONING } };

  it("are sent right before the call that they led to", () => {
    const { input } = encode({ messages: [assistant([reasoning, call("a"), result("a")])] });
    expect(input.map((item) => item.type)).toEqual(["reasoning", "function_call", "function_call_output"]);
  });

  it("are omitted if nothing follows them, as in an aborted turn", () => {
    const { input } = encode({ messages: [user("Go"), assistant([reasoning]), user("Again")] });
    expect(input.map((item) => item.type)).toEqual(["message", "message"]);
  });

  it("are omitted without encrypted content, which the vendor needs to recognize them", () => {
    const { parts } = stream(
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { ...REASONING, encrypted_content: null },
      },
      { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hi" },
      completed(),
    );
    const { input } = encode({ messages: [assistant(parts), user("Go on")] });
    expect(input[0]).toEqual({ type: "message", role: "assistant", content: "Hi" });
    expect(input).toHaveLength(2);
  });
});

describe("an answer that the vendor stores", () => {
  const kept = (responseId: string, model = MODEL) =>
    assistant([{ type: "text", text: "Hi.", metadata: { responseId } }], model);

  it("is continued with only the new message", () => {
    const body = encode({ system: "S", messages: [user("One"), kept("resp_1"), user("Two")] }, STORING);
    expect(body).toMatchObject({ previous_response_id: "resp_1", store: true, instructions: "S" });
    expect(body.input).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "Two" }] },
    ]);
  });

  it("is continued with only the results of its calls", () => {
    const { parts } = stream(CALL_ADDED, completed());
    const [made] = parts;
    const results = made?.type === "tool_call" ? [result(made.id)] : [];
    const body = encode({ messages: [user("One"), assistant([...parts, ...results])] }, STORING);
    expect(body.previous_response_id).toBe("resp_1");
    expect(body.input).toMatchObject([{ type: "function_call_output", call_id: "call_1" }]);
  });

  it.each([
    ["the session does not allow storage at the vendor", kept("resp_1"), CONTEXT],
    ["another model wrote it", kept("resp_1", "openai/gpt-4o"), STORING],
    ["its id is not a response id", kept("1235b7ba"), STORING],
    ["it was cut off", assistant([{ type: "text", text: "Hi." }]), STORING],
  ])("is sent whole if %s", (_, message, context) => {
    const body = encode({ messages: [user("One"), message, user("Two")] }, context);
    expect(body).not.toHaveProperty("previous_response_id");
    expect(body.input).toHaveLength(3);
  });
});
