import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../protocol/json.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { openAnswer } from "./answer.ts";
import { openaiResponses } from "./openai-responses.ts";
import { replay, replayWhole, sseOf, testContext } from "./testing/replay.ts";
import { CALL_ADDED, CONTEXT, completed, stream } from "./testing/responses.ts";

const SAID = { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hi" };

describe("a Responses stream", () => {
  it("identifies items by their position in the output, even if ids change (36)", () => {
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

  it("reads arguments that arrive only in a done event (37)", () => {
    const done = { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"a":1}' };
    expect(stream(CALL_ADDED, done, completed()).calls[0]?.arguments).toBe('{"a":1}');
    const item = { ...CALL_ADDED.item, arguments: '{"a":2}' };
    const itemDone = { type: "response.output_item.done", output_index: 0, item };
    expect(stream(itemDone, completed()).calls[0]?.arguments).toBe('{"a":2}');
    expect(stream(CALL_ADDED, completed({ output: [item] })).calls[0]?.arguments).toBe('{"a":2}');
    expect(stream(CALL_ADDED, completed()).calls[0]?.arguments).toBe("{}");
  });

  it("keeps items apart that have the same position and are only named when they are done", () => {
    const done = (item: JsonObject) => ({ type: "response.output_item.done", output_index: 0, item });
    const said = (id: string, text: string) =>
      done({ type: "message", id, content: [{ type: "output_text", text }] });
    const called = (id: string) => done({ ...CALL_ADDED.item, id: `fc_${id}`, call_id: id, arguments: "{}" });
    const { text, calls } = stream(
      said("msg_1", "Let me "),
      said("msg_2", "see."),
      called("call_1"),
      called("call_2"),
      called("call_2"),
      completed(),
    );
    expect(text).toBe("Let me see.");
    expect(calls.map(({ metadata }) => metadata?.callId)).toEqual(["call_1", "call_2"]);
  });

  it("ends with a response that is done, as OpenRouter calls it", () => {
    const { text, finish } = stream(SAID, { ...completed(), type: "response.done" });
    expect([text, finish?.reason]).toEqual(["Hi", "stop"]);
  });

  it("reads a text once, even if its place counts the parts of the items before it", () => {
    const said = { output_index: 1, content_index: 1 };
    const item = { type: "message", content: [{ type: "output_text", text: "Hi" }] };
    const { text, parts } = stream(
      { type: "response.output_text.delta", ...said, delta: "Hi" },
      { type: "response.output_text.done", ...said, text: "Hi" },
      { type: "response.output_item.done", output_index: 1, item },
      completed({ output: [{ type: "reasoning", summary: [] }, item] }),
    );
    expect({ text, parts }).toMatchObject({ text: "Hi", parts: [{ type: "text", text: "Hi" }] });
  });

  it("reads the input of a custom tool in pieces, in a done event, and in a whole answer", () => {
    const item = { type: "custom_tool_call", call_id: "call_1", name: "sql", input: "" };
    const added = { type: "response.output_item.added", output_index: 0, item };
    const delta = { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "SELECT 1" };
    const done = { type: "response.custom_tool_call_input.done", output_index: 0, input: "SELECT 1" };
    const output = [{ ...item, input: "SELECT 1" }];
    const answers = [
      stream(added, delta, completed()),
      stream(added, done, completed()),
      stream(added, completed({ output })),
      replayWhole(openaiResponses, { id: "resp_1", status: "completed", output }),
    ];
    for (const { calls } of answers) expect(calls[0]?.arguments).toBe('{"input":"SELECT 1"}');
  });

  it("gives each call our own id, even if the vendor repeats its ids", () => {
    const first = stream(CALL_ADDED, completed()).calls[0];
    const second = stream(CALL_ADDED, completed()).calls[0];
    expect(first?.id).not.toBe(second?.id);
  });

  it("separates two calls that a vendor puts at the same position, one after the other", () => {
    const done = (id: string) => ({
      type: "response.output_item.done",
      output_index: 0,
      item: { ...CALL_ADDED.item, call_id: id, arguments: `{"id":"${id}"}` },
    });
    const { calls } = stream(CALL_ADDED, done("call_1"), CALL_ADDED, done("call_2"), completed());
    expect(calls.map((one) => one.arguments)).toEqual(['{"id":"call_1"}', '{"id":"call_2"}']);
  });

  it("emits each text once, even if only its end is sent", () => {
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

  it("puts a paragraph break between the parts of a reasoning summary", () => {
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
      SAID,
      completed(),
    );
    expect(reasoning).toBe("First thought.\n\nSecond.");
    expect(parts[0]).toMatchObject({ type: "reasoning", text: reasoning });
  });

  it("hides raw reasoning unless the vendor's quirks show it, and sends it back either way", () => {
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
      SAID,
      completed(),
    ]);
    const hidden = replay(openaiResponses, events);
    expect(hidden.reasoning).toBe("");
    expect(hidden.parts[0]?.metadata).toMatchObject({ item: { content: [{ text: "Hmm." }] } });
    const shown = replay(openaiResponses, events, 1, testContext({ quirks: { reasoningText: true } }));
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
  ])("explains why an answer is incomplete: %s", (reason, expected) => {
    const { finish } = stream(
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Half" },
      { type: "response.incomplete", response: { id: "resp_1", incomplete_details: { reason } } },
    );
    expect(finish).toMatchObject({ reason: expected, rawReason: reason });
    expect(finish?.parts).toEqual([{ type: "text", text: "Half" }]);
  });

  it("emits generated images, and does not count hosted tools as calls", () => {
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

  it("counts tokens, including cached and reasoning tokens", () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 3 },
    };
    expect(stream(completed({ usage })).usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cachedTokens: 4,
      cacheWriteTokens: 2,
      reasoningTokens: 3,
    });
  });

  it("ends with its last event, even if the connection stays open", () => {
    const events: ModelEvent[] = [];
    const request: ModelRequest = { messages: [], tools: [] };
    const reader = openAnswer(openaiResponses, CONTEXT, request, (event) => events.push(event));
    reader.frame(JSON.stringify(completed()), undefined);
    expect(events).toEqual([{ type: "finish", reason: "stop", rawReason: "completed", parts: [] }]);
    reader.frame(JSON.stringify({ type: "ping" }), undefined);
    reader.end();
    expect(events).toHaveLength(1);
  });

  it("may be one JSON object instead of a stream", () => {
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

describe("a failing Responses stream", () => {
  it("is retryable if it ends without a final event", () => {
    const { failure, finish } = stream({
      type: "response.output_text.delta",
      output_index: 0,
      content_index: 0,
      delta: "Half an ans",
    });
    expect(finish).toBeUndefined();
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
  });

  it("fails if an event is truncated", () => {
    const { failure } = replay(openaiResponses, 'data: {"type":"response.output_te\n\n');
    expect(failure?.code).toBe("UPSTREAM_ERROR");
  });

  it.each([
    ["server_error", "The server had an error.", "UPSTREAM_ERROR", true],
    ["rate_limit_exceeded", "Rate limit reached. Please try again in 2s.", "UPSTREAM_ERROR", true],
    ["invalid_prompt", "Your prompt was flagged.", "UPSTREAM_ERROR", false],
    ["context_length_exceeded", "Your input exceeds the context window.", "CONTEXT_TOO_LARGE", false],
  ])("maps the code of a failed response: %s", (code, message, expected, retryable) => {
    const failed = { type: "response.failed", response: { status: "failed", error: { code, message } } };
    expect(stream(failed).failure).toMatchObject({ code: expected, retryable });
    expect(stream({ type: "error", code, message, param: null }).failure).toMatchObject({
      code: expected,
      retryable,
    });
    expect(stream({ error: { code, message } }).failure).toMatchObject({ code: expected, retryable });
  });

  it("takes the retry delay from the vendor's message", () => {
    const message = "Rate limit reached. Please try again in 2s.";
    const { failure } = stream({ type: "error", code: "rate_limit_exceeded", message });
    expect(failure?.retryAfter).toBe(2);
  });
});

describe("a Responses error status", () => {
  function failureOf(status: number, error: JsonObject, headers = {}) {
    return openaiResponses.failure({ status, headers }, JSON.stringify({ error }), CONTEXT);
  }

  it("names the setting of a refused key, and never the key", () => {
    const failure = failureOf(401, {
      message: "Incorrect API key provided: sk-proj-abcdefghijklmnop1234.",
      code: "invalid_api_key",
    });
    expect(failure.retryable).toBe(false);
    expect(failure.publicMessage).toContain("OPENAI_API_KEY");
    expect(failure.publicMessage).not.toContain("sk-proj");
  });

  it("distinguishes a conversation that is too long from other mistakes", () => {
    const error = { message: "Too long.", type: "invalid_request_error", code: "context_length_exceeded" };
    expect(failureOf(400, error).code).toBe("CONTEXT_TOO_LARGE");
    expect(failureOf(400, { message: "Unknown parameter: 'x'." })).toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
    });
  });

  it("is retryable for a rate limit, but not for an exhausted quota", () => {
    const limited = failureOf(
      429,
      { message: "Slow down.", code: "rate_limit_exceeded" },
      { "retry-after": "3" },
    );
    expect(limited).toMatchObject({ retryable: true, retryAfter: 3 });
    const spent = { message: "You exceeded your current quota.", code: "insufficient_quota" };
    expect(failureOf(429, spent).retryable).toBe(false);
  });

  it("is retryable for a fault of the vendor, and quotes little of its message", () => {
    expect(failureOf(500, { message: "x".repeat(5000) }).publicMessage.length).toBeLessThan(500);
    expect(failureOf(503, { message: "Overloaded" }).retryable).toBe(true);
    expect(failureOf(404, { message: "No such model", code: "model_not_found" }).retryable).toBe(false);
  });
});
