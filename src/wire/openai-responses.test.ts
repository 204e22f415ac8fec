import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../protocol/json.ts";
import { type Message, type Part, textMessage } from "../protocol/messages.ts";
import type { DialectContext, ModelEvent, ModelRequest } from "../protocol/model.ts";
import { openaiResponses } from "./openai-responses.ts";
import { loadRecordings, replay, replayWhole, sseOf, testContext } from "./testing/replay.ts";

const MODEL = "openai/gpt-5";
const CONTEXT = testContext({
  model: { name: "gpt-5", reasoning: "effort", supportsVerbosity: true },
  modelId: MODEL,
  label: "OpenAI",
  keySetting: "OPENAI_API_KEY",
});
const STORING = { ...CONTEXT, oddities: { store: true } };
const TOOLS = [
  { name: "browser.search", description: "Searches.", parameters: { type: "object" } },
  { name: "get_time", description: "Tells the time.", parameters: { type: "object" } },
];
const ENCRYPTED = 'gAAAAAB+/=\u00e9\\n"quoted"';
const REASONING = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Look it up." }],
  encrypted_content: ENCRYPTED,
};

function encode(request: Partial<ModelRequest>, context: DialectContext = CONTEXT) {
  const wire = openaiResponses.encode({ messages: [], tools: [], ...request }, context);
  return wire.body as unknown as ResponseCreateParamsStreaming & { input: JsonObject[] };
}

function assistant(parts: Part[], model = MODEL): Message {
  return { id: "a1", role: "assistant", parts, model };
}

function call(id: string, metadata?: JsonObject): Part {
  return { type: "tool_call", id, name: "browser.search", arguments: '{"query":"x"}', metadata };
}

function result(toolCallId: string): Part {
  return {
    type: "tool_result",
    toolCallId,
    toolName: "browser.search",
    success: true,
    output: "found",
    trust: "untrusted",
  };
}

function user(text: string): Message {
  return textMessage("u1", "user", text);
}

/** One answer as events, the way the vendor numbers them. */
function stream(...events: JsonObject[]) {
  return replay(
    openaiResponses,
    sseOf([{ type: "response.created", response: { id: "resp_1" } }, ...events]),
    7,
    CONTEXT,
    { messages: [], tools: TOOLS },
  );
}

function completed(response: JsonObject = {}): JsonObject {
  return { type: "response.completed", response: { id: "resp_1", status: "completed", ...response } };
}

const CALL_ADDED = {
  type: "response.output_item.added",
  output_index: 0,
  item: { type: "function_call", id: "fc_1", call_id: "call_1", name: "get_time", arguments: "" },
};

describe("recorded Responses streams", () => {
  for (const recording of loadRecordings("openai-responses")) {
    it.each([1, 7, 4096])(`reads ${recording.file} in packets of %i bytes`, (size) => {
      const { text, reasoning, calls, failure, finish, usage } = replay(
        openaiResponses,
        recording.bytes,
        size,
      );
      const seen = {
        text,
        reasoning,
        calls: calls.map((one) => ({ name: one.name, arguments: JSON.parse(one.arguments) })),
        error: failure !== undefined,
      };
      expect(seen).toEqual(recording.expected);
      expect(finish?.reason).toBe(calls.length > 0 ? "tool_calls" : "stop");
      expect(usage?.inputTokens).toBeGreaterThan(0);
    });
  }
});

describe("what a request says", () => {
  it("asks for a stream that the vendor does not keep, with encrypted reasoning", () => {
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

  it("sends a model without reasoning or verbosity nothing of either, and its temperature", () => {
    const context = testContext({ model: { name: "gpt-4o" } });
    const body = encode({ reasoningEffort: "high", verbosity: "low", temperature: 0.5 }, context);
    expect(body).toEqual({ model: "gpt-4o", stream: true, store: false, temperature: 0.5, input: [] });
    expect(encode({ temperature: 0.5 })).not.toHaveProperty("temperature");
  });

  it("asks for JSON with and without a schema", () => {
    const schema = { type: "object" };
    expect(encode({ responseFormat: { type: "json", schema, name: "plan" } }).text).toEqual({
      format: { type: "json_schema", name: "plan", schema, strict: false },
    });
    expect(encode({ responseFormat: { type: "json" } }).text).toEqual({ format: { type: "json_object" } });
  });

  it("sends images by their bytes or address, and says where one cannot be sent", () => {
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

  it("offers the vendor's image tool when images are wanted from a model that makes them", () => {
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

  it("sends a whole answer of the API back without a byte of its reasoning changed", () => {
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

  it("sends reasoning and ids of another model nowhere", () => {
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

  it("gives two calls that share a vendor's id two ids", () => {
    const steps = [
      call("a", { callId: "call_0" }),
      result("a"),
      call("b", { callId: "call_0" }),
      result("b"),
    ];
    const ids = encode({ messages: [assistant(steps)] }).input.map((item) => item.call_id);
    expect(ids).toEqual(["call_0", "call_0", "call_0_2", "call_0_2"]);
  });

  it("answers a call that never came to its end, which the vendor insists on", () => {
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

describe("reasoning items of a call (oddity 38)", () => {
  const reasoning: Part = { type: "reasoning", text: "Look it up.", metadata: { item: REASONING } };

  it("stand right before the call that they led to", () => {
    const { input } = encode({ messages: [assistant([reasoning, call("a"), result("a")])] });
    expect(input.map((item) => item.type)).toEqual(["reasoning", "function_call", "function_call_output"]);
  });

  it("are left out where nothing follows them, as in an aborted turn", () => {
    const { input } = encode({ messages: [user("Go"), assistant([reasoning]), user("Again")] });
    expect(input.map((item) => item.type)).toEqual(["message", "message"]);
  });

  it("are left out without the encrypted content by which the vendor knows them", () => {
    const { parts } = stream(
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { ...REASONING, encrypted_content: null },
      },
      { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hi" },
      completed(),
    );
    const { input } = encode({ messages: [assistant(parts)] });
    expect(input).toEqual([{ type: "message", role: "assistant", content: "Hi" }]);
  });
});

describe("what comes back", () => {
  it("is told apart by place in the output, whatever happens to the ids (oddity 36)", () => {
    const argumentsOf = (index: number, id: string, delta: string) => ({
      type: "response.function_call_arguments.delta",
      output_index: index,
      item_id: id,
      delta,
    });
    const { calls } = stream(
      CALL_ADDED,
      {
        ...CALL_ADDED,
        output_index: 1,
        item: { ...CALL_ADDED.item, id: "fc_9", call_id: "call_2", name: "browser_search" },
      },
      argumentsOf(0, "rotated_1", '{"zone":'),
      argumentsOf(1, "rotated_2", '{"query":'),
      argumentsOf(0, "rotated_3", '"UTC"}'),
      argumentsOf(1, "rotated_4", '"x"}'),
      completed(),
    );
    expect(calls.map(({ name, arguments: text, metadata }) => ({ name, text, metadata }))).toEqual([
      { name: "get_time", text: '{"zone":"UTC"}', metadata: { callId: "call_1" } },
      { name: "browser.search", text: '{"query":"x"}', metadata: { callId: "call_2", responseId: "resp_1" } },
    ]);
  });

  it("has its arguments although they come only in a done event (oddity 37)", () => {
    const done = { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"a":1}' };
    expect(stream(CALL_ADDED, done, completed()).calls[0]?.arguments).toBe('{"a":1}');
    const item = { ...CALL_ADDED.item, arguments: '{"a":2}' };
    const itemDone = { type: "response.output_item.done", output_index: 0, item };
    expect(stream(itemDone, completed()).calls[0]?.arguments).toBe('{"a":2}');
    expect(stream(CALL_ADDED, completed({ output: [item] })).calls[0]?.arguments).toBe('{"a":2}');
    expect(stream(CALL_ADDED, completed()).calls[0]?.arguments).toBe("{}");
  });

  it("has each call under an id of our own, even where the vendor repeats its own", () => {
    const first = stream(CALL_ADDED, completed()).calls[0];
    const second = stream(CALL_ADDED, completed()).calls[0];
    expect(first?.id).not.toBe(second?.id);
  });

  it("keeps two calls apart that a vendor puts in the same place, one after the other", () => {
    const done = (id: string) => ({
      type: "response.output_item.done",
      output_index: 0,
      item: { ...CALL_ADDED.item, call_id: id, arguments: `{"id":"${id}"}` },
    });
    const { calls } = stream(CALL_ADDED, done("call_1"), CALL_ADDED, done("call_2"), completed());
    expect(calls.map((one) => one.arguments)).toEqual(['{"id":"call_1"}', '{"id":"call_2"}']);
  });

  it("says each text once, also where only its end is sent", () => {
    const place = { output_index: 0, content_index: 0 };
    const { text, parts } = stream(
      { type: "response.output_text.delta", ...place, delta: "Hel" },
      { type: "response.output_text.done", ...place, text: "Hello" },
      { type: "response.content_part.done", ...place, part: { type: "output_text", text: "Hello" } },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Hello" }] },
      },
      completed({ output: [{ type: "message", content: [{ type: "output_text", text: "Hello" }] }] }),
    );
    expect(text).toBe("Hello");
    expect(parts).toEqual([{ type: "text", text: "Hello", metadata: { responseId: "resp_1" } }]);
  });

  it("puts a paragraph between the parts of a reasoning summary", () => {
    const summary = (summary_index: number, delta: string) => ({
      type: "response.reasoning_summary_text.delta",
      output_index: 0,
      summary_index,
      delta,
    });
    const { reasoning, parts } = stream(
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1" } },
      { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0 },
      summary(0, "First "),
      summary(0, "thought."),
      { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 1 },
      summary(1, "Second."),
      completed(),
    );
    expect(reasoning).toBe("First thought.\n\nSecond.");
    expect(parts[0]).toMatchObject({ type: "reasoning", text: reasoning });
  });

  it("keeps raw reasoning to itself unless the vendor's entry shows it, and sends it back either way", () => {
    const events = sseOf([
      { type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "Hmm." },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: {
          type: "reasoning",
          id: "r",
          summary: [],
          content: [{ type: "reasoning_text", text: "Hmm." }],
        },
      },
      completed(),
    ]);
    const hidden = replay(openaiResponses, events);
    expect(hidden.reasoning).toBe("");
    expect(hidden.parts[0]?.metadata).toMatchObject({ item: { content: [{ text: "Hmm." }] } });
    const shown = replay(openaiResponses, events, 1, testContext({ oddities: { reasoningText: true } }));
    expect(shown.reasoning).toBe("Hmm.");
    expect(shown.parts[0]).toMatchObject({ text: "Hmm." });
  });

  it("ends a refusal as filtered, with the refusal as its text", () => {
    const { text, finish } = stream(
      { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "I can" },
      { type: "response.refusal.done", output_index: 0, content_index: 0, refusal: "I can't." },
      completed(),
    );
    expect(text).toBe("I can't.");
    expect(finish?.reason).toBe("content_filter");
  });

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
  ])("tells why an answer is incomplete: %s", (reason, expected) => {
    const { finish } = stream(
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Half" },
      { type: "response.incomplete", response: { id: "resp_1", incomplete_details: { reason } } },
    );
    expect(finish).toMatchObject({ reason: expected, rawReason: reason });
    expect(finish?.parts).toEqual([{ type: "text", text: "Half" }]);
  });

  it("has generated images, and counts no hosted tool as a call", () => {
    const { parts, calls } = stream(
      { type: "response.output_item.done", output_index: 0, item: { type: "web_search_call", id: "ws" } },
      { type: "response.code_interpreter_call_code.delta", output_index: 1, delta: "print()" },
      {
        type: "response.output_item.done",
        output_index: 2,
        item: { type: "image_generation_call", id: "ig", result: "aGk=", output_format: "webp" },
      },
      { type: "response.something_new", output_index: 3 },
      completed(),
    );
    expect(calls).toEqual([]);
    expect(parts).toMatchObject([{ type: "image", mimeType: "image/webp", data: "aGk=" }]);
  });

  it("counts tokens with those cached and those reasoned", () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 3 },
    };
    expect(stream(completed({ usage })).usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cachedTokens: 4,
      reasoningTokens: 3,
    });
  });

  it("is over with its last event, though the connection may stay open", () => {
    const events: ModelEvent[] = [];
    const request: ModelRequest = { messages: [], tools: [] };
    const reader = openaiResponses.reader((event) => events.push(event), CONTEXT, request);
    reader.frame(JSON.stringify(completed()), undefined);
    expect(events).toEqual([{ type: "finish", reason: "stop", rawReason: "completed", parts: [] }]);
    reader.frame(JSON.stringify({ type: "ping" }), undefined);
    reader.end();
    expect(events).toHaveLength(1);
  });

  it("may be one JSON object in place of a stream", () => {
    const { text, calls, finish, usage } = replayWhole(openaiResponses, {
      id: "resp_1",
      object: "response",
      status: "completed",
      error: null,
      output: [
        { type: "message", id: "m", content: [{ type: "output_text", text: "Hi" }] },
        { ...CALL_ADDED.item, arguments: '{"a":1}' },
      ],
      usage: { input_tokens: 1, output_tokens: 2 },
    });
    expect(text).toBe("Hi");
    expect(calls[0]?.arguments).toBe('{"a":1}');
    expect(finish?.reason).toBe("tool_calls");
    expect(usage).toEqual({ inputTokens: 1, outputTokens: 2 });
    expect(replayWhole(openaiResponses, { hello: 1 }).failure?.code).toBe("UPSTREAM_ERROR");
  });
});

describe("what goes wrong inside an answer", () => {
  it("is a retryable failure when the stream ends without a last word", () => {
    const { failure, finish } = stream({
      type: "response.output_text.delta",
      output_index: 0,
      content_index: 0,
      delta: "Half an ans",
    });
    expect(finish).toBeUndefined();
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
  });

  it("is a failure when an event is not whole", () => {
    const { failure } = replay(openaiResponses, 'data: {"type":"response.output_te\n\n');
    expect(failure?.code).toBe("UPSTREAM_ERROR");
  });

  it.each([
    ["server_error", "The server had an error.", "UPSTREAM_ERROR", true],
    ["rate_limit_exceeded", "Rate limit reached. Please try again in 2s.", "UPSTREAM_ERROR", true],
    ["invalid_prompt", "Your prompt was flagged.", "UPSTREAM_ERROR", false],
    ["context_length_exceeded", "Your input exceeds the context window.", "CONTEXT_TOO_LARGE", false],
  ])("knows a failed response by its code: %s", (code, message, expected, retryable) => {
    const failed = { type: "response.failed", response: { status: "failed", error: { code, message } } };
    expect(stream(failed).failure).toMatchObject({ code: expected, retryable });
    expect(stream({ type: "error", code, message, param: null }).failure).toMatchObject({
      code: expected,
      retryable,
    });
    expect(stream({ error: { code, message } }).failure).toMatchObject({ code: expected, retryable });
  });

  it("takes the pause from the vendor's words", () => {
    const message = "Rate limit reached. Please try again in 2s.";
    const { failure } = stream({ type: "error", code: "rate_limit_exceeded", message });
    expect(failure?.retryAfter).toBe(2);
  });
});

describe("what an error status means", () => {
  function failureOf(status: number, error: JsonObject, headers = {}) {
    return openaiResponses.failure({ status, headers }, JSON.stringify({ error }), CONTEXT);
  }

  it("names the setting of a key that was refused, and never the key", () => {
    const failure = failureOf(401, {
      message: "Incorrect API key provided: sk-proj-abcdefghijklmnop1234.",
      code: "invalid_api_key",
    });
    expect(failure.retryable).toBe(false);
    expect(failure.publicMessage).toContain("OPENAI_API_KEY");
    expect(failure.publicMessage).not.toContain("sk-proj");
  });

  it("tells a conversation that is too long from other mistakes", () => {
    const error = { message: "Too long.", type: "invalid_request_error", code: "context_length_exceeded" };
    expect(failureOf(400, error).code).toBe("CONTEXT_TOO_LARGE");
    expect(failureOf(400, { message: "Unknown parameter: 'x'." })).toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
    });
  });

  it("waits out a rate limit, but no spent quota", () => {
    const limited = failureOf(
      429,
      { message: "Slow down.", code: "rate_limit_exceeded" },
      { "retry-after": "3" },
    );
    expect(limited).toMatchObject({ retryable: true, retryAfter: 3 });
    const spent = { message: "You exceeded your current quota.", code: "insufficient_quota" };
    expect(failureOf(429, spent).retryable).toBe(false);
  });

  it("may try again after a fault of the vendor's, and quotes little of it", () => {
    expect(failureOf(500, { message: "x".repeat(5000) }).publicMessage.length).toBeLessThan(500);
    expect(failureOf(503, { message: "Overloaded" }).retryable).toBe(true);
    expect(failureOf(404, { message: "No such model", code: "model_not_found" }).retryable).toBe(false);
  });
});

describe("an answer that the vendor keeps", () => {
  const kept = (responseId: string, model = MODEL) =>
    assistant([{ type: "text", text: "Hi.", metadata: { responseId } }], model);
  const refusal = JSON.stringify({
    error: { message: "Previous response with id 'resp_1' not found.", code: "previous_response_not_found" },
  });

  function fallback(messages: Message[], body: string, status = 400, context = STORING) {
    const response = { status, headers: {} };
    const failure = openaiResponses.failure(response, body, context);
    return openaiResponses.fallback?.(failure, response, body, { messages, tools: [] }, context)?.body;
  }

  it("is gone on from with only the new message", () => {
    const body = encode({ system: "S", messages: [user("One"), kept("resp_1"), user("Two")] }, STORING);
    expect(body).toMatchObject({ previous_response_id: "resp_1", store: true, instructions: "S" });
    expect(body.input).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "Two" }] },
    ]);
  });

  it("is gone on from with only the results of its calls", () => {
    const { parts } = stream(CALL_ADDED, completed());
    const [made] = parts;
    const results = made?.type === "tool_call" ? [result(made.id)] : [];
    const body = encode({ messages: [user("One"), assistant([...parts, ...results])] }, STORING);
    expect(body.previous_response_id).toBe("resp_1");
    expect(body.input).toMatchObject([{ type: "function_call_output", call_id: "call_1" }]);
  });

  it.each([
    ["the session lets the vendor keep nothing", kept("resp_1"), CONTEXT],
    ["another model wrote it", kept("resp_1", "openai/gpt-4o"), STORING],
    ["its id is no response's", kept("1235b7ba"), STORING],
    ["it was cut off", assistant([{ type: "text", text: "Hi." }]), STORING],
  ])("is told whole when %s", (_, message, context) => {
    const body = encode({ messages: [user("One"), message, user("Two")] }, context);
    expect(body).not.toHaveProperty("previous_response_id");
    expect(body.input).toHaveLength(3);
  });

  it("is told whole, once, when the vendor no longer has it", () => {
    const messages = [user("One"), kept("resp_1"), user("Two")];
    const body = fallback(messages, refusal);
    expect(body).not.toHaveProperty("previous_response_id");
    expect(body?.input).toHaveLength(3);
    const unsupported = { error: { message: "Unsupported parameter: 'previous_response_id'" } };
    expect(fallback(messages, JSON.stringify(unsupported))?.input).toHaveLength(3);
    expect(fallback([user("One")], refusal)).toBeUndefined();
    expect(fallback(messages, refusal, 500)).toBeUndefined();
    expect(fallback(messages, JSON.stringify({ error: { message: "Bad tool." } }))).toBeUndefined();
    expect(fallback(messages, "<html>")).toBeUndefined();
  });
});

describe("a way of reasoning that the vendor refuses", () => {
  it.each([
    ["reasoning.summary", "unsupported_value", { effort: "low" }],
    ["reasoning.effort", "unsupported_value", { summary: "auto" }],
    ["reasoning.effort", "unsupported_parameter", undefined],
    ["include", null, undefined],
  ])("is left out: %s, %s", (param, code, expected) => {
    const request: ModelRequest = { messages: [user("One")], tools: [], reasoningEffort: "low" };
    const body = JSON.stringify({ error: { message: "Not supported with this model.", param, code } });
    const response = { status: 400, headers: {} };
    const failure = openaiResponses.failure(response, body, CONTEXT);
    const again = openaiResponses.fallback?.(failure, response, body, request, CONTEXT);
    expect(again?.body.input).toHaveLength(1);
    expect(again?.body.reasoning).toEqual(expected);
    expect(again?.body.include !== undefined).toBe(expected !== undefined);
  });
});
