import type { Message as WireMessage } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelRequest, ToolSpec } from "../../protocol/model.ts";
import { openAnswer } from "./answer.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { replay, replayWhole, testContext } from "./testing/replay.ts";

const TOOL: ToolSpec = { name: "browser.search", description: "Searches.", parameters: { type: "object" } };
const CONTEXT = testContext({
  model: { name: "claude-test" },
  modelId: "anthropic/claude-test",
  label: "Anthropic",
  keySetting: "ANTHROPIC_API_KEY",
});

/** Encodes these events as a stream, each under its own name. */
function streamOf(...events: { type: string; [key: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

const start = (usage: object = { input_tokens: 10, output_tokens: 1 }, id = "msg_1") => ({
  type: "message_start",
  message: { id, type: "message", role: "assistant", content: [], usage },
});
const open = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, part: object) => ({ type: "content_block_delta", index, delta: part });
const text = (index: number, said: string) => delta(index, { type: "text_delta", text: said });
const json = (index: number, partial_json: string) =>
  delta(index, { type: "input_json_delta", partial_json });
const close = (index: number) => ({ type: "content_block_stop", index });
const reason = (stop_reason: string, usage: object = { output_tokens: 5 }) => ({
  type: "message_delta",
  delta: { stop_reason },
  usage,
});
const stop = { type: "message_stop" };
const textBlock = { type: "text", text: "" };
const toolBlock = (id: string, name = "browser_search") => ({ type: "tool_use", id, name, input: {} });
const read = (stream: string, request: ModelRequest = { messages: [], tools: [TOOL] }) =>
  replay(anthropicMessages, stream, 4096, CONTEXT, request);

describe("an Anthropic stream", () => {
  it("keeps thoughts, signatures and redacted thoughts in the order in which they arrived (27)", () => {
    const { parts, reasoning } = read(
      streamOf(
        start(),
        open(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "thinking_delta", thinking: "Let me " }),
        delta(0, { type: "thinking_delta", thinking: "see." }),
        delta(0, { type: "signature_delta", signature: "Eq/+" }),
        delta(0, { type: "signature_delta", signature: "A==" }),
        close(0),
        open(1, { type: "redacted_thinking", data: "hidden+/=" }),
        close(1),
        open(2, textBlock),
        text(2, "Yes."),
        close(2),
        reason("end_turn"),
        stop,
      ),
    );
    expect(reasoning).toBe("Let me see.");
    expect(parts).toEqual([
      { type: "reasoning", text: "Let me see.", metadata: { signature: "Eq/+A==" } },
      { type: "reasoning", text: "", metadata: { redacted: "hidden+/=" } },
      { type: "text", text: "Yes." },
    ]);
  });

  it("reads calls, restores the registry's name, and uses {} if there are no arguments", () => {
    const { calls, finish } = read(
      streamOf(
        start(),
        open(0, toolBlock("toolu_1")),
        json(0, ""),
        json(0, '{"query": "a'),
        json(0, '"}'),
        close(0),
        open(1, toolBlock("toolu_2", "get_time")),
        json(1, ""),
        close(1),
        reason("tool_use"),
        stop,
      ),
    );
    expect(calls).toEqual([
      { type: "tool_call", id: "toolu_1", name: "browser.search", arguments: '{"query": "a"}' },
      { type: "tool_call", id: "toolu_2", name: "get_time", arguments: "{}" },
    ]);
    expect(finish).toMatchObject({ reason: "tool_calls", rawReason: "tool_use" });
  });

  it("gives a call a new id if the vendor repeats one from the history", () => {
    const history: ModelRequest = {
      tools: [TOOL],
      messages: [
        {
          id: "m1",
          role: "assistant",
          parts: [{ type: "tool_call", id: "toolu_1", name: "get_time", arguments: "{}" }],
        },
      ],
    };
    const stream = streamOf(start(), open(0, toolBlock("toolu_1")), close(0), reason("tool_use"), stop);
    const [call] = read(stream, history).calls;
    expect(call?.id).toMatch(/^call_\w{20,}$/);
  });

  it("treats an overloaded error with status 200 as a retryable failure (28)", () => {
    const { failure, finish } = read(
      streamOf(start(), {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      }),
    );
    expect(finish).toBeUndefined();
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(failure?.publicMessage).toContain("Overloaded");
  });

  it("recognizes an error event by its name, whatever its body looks like", () => {
    const named = read('event: error\ndata: {"type":"overloaded_error","message":"Busy"}\n\n').failure;
    expect(named).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(named?.publicMessage).toContain("Busy");
    const plain = read("event: error\ndata: upstream connect error\n\n").failure;
    expect(plain?.publicMessage).toContain("upstream connect error");
  });

  it("ignores a second message_start in the middle of a block (29)", () => {
    const {
      text: said,
      usage,
      finish,
    } = read(
      streamOf(
        start({ input_tokens: 10, output_tokens: 1 }),
        start({ input_tokens: 10, output_tokens: 1 }),
        open(0, textBlock),
        text(0, "Hel"),
        start({ input_tokens: 10, output_tokens: 1 }),
        text(0, "lo"),
        close(0),
        reason("end_turn"),
        stop,
      ),
    );
    expect(said).toBe("Hello");
    expect(finish?.parts).toEqual([{ type: "text", text: "Hello" }]);
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it("drops calls and thinking of an attempt that a proxy replaced (29)", () => {
    const { finish, calls } = read(
      streamOf(
        start(),
        open(0, { type: "thinking", thinking: "Hm", signature: "" }),
        open(1, toolBlock("toolu_1")),
        json(1, '{"query":'),
        start(undefined, "msg_2"),
        open(0, textBlock),
        text(0, "Searching."),
        close(0),
        open(1, toolBlock("toolu_9")),
        json(1, '{"query":"a"}'),
        close(1),
        reason("tool_use"),
        stop,
      ),
    );
    expect(calls.map((call) => [call.id, call.arguments])).toEqual([["toolu_9", '{"query":"a"}']]);
    expect(finish?.parts.map((part) => part.type)).toEqual(["text", "tool_call"]);
  });

  it("reads a call once if its block starts twice", () => {
    const { calls } = read(
      streamOf(
        start(),
        open(0, toolBlock("toolu_1")),
        start(),
        open(0, toolBlock("toolu_1")),
        json(0, '{"query":"a"}'),
        close(0),
        reason("tool_use"),
        stop,
      ),
    );
    expect(calls.map((call) => call.arguments)).toEqual(['{"query":"a"}']);
  });

  it.each([
    ["omits them", {}],
    [
      "sets them to zero or null",
      { input_tokens: 0, cache_read_input_tokens: null, cache_creation_input_tokens: 0 },
    ],
  ])("keeps the input tokens from the start if the end %s (30)", (_how, input) => {
    const { usage } = read(
      streamOf(
        start({
          input_tokens: 100,
          cache_read_input_tokens: 2000,
          cache_creation_input_tokens: 30,
          output_tokens: 1,
        }),
        open(0, textBlock),
        text(0, "Hi"),
        reason("end_turn", { ...input, output_tokens: 42, output_tokens_details: { thinking_tokens: 7 } }),
        stop,
      ),
    );
    expect(usage).toEqual({
      inputTokens: 2130,
      outputTokens: 42,
      cacheWriteTokens: 30,
      cachedTokens: 2000,
      reasoningTokens: 7,
    });
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["a_word_of_tomorrow", "stop"],
  ])("reads the stop reason %s as %s (30)", (raw, expected) => {
    const { finish } = read(streamOf(start(), open(0, textBlock), text(0, "Hi"), reason(raw), stop));
    expect(finish).toMatchObject({ reason: expected, rawReason: raw });
  });

  it("reports length, not tool_calls, if the limit cut off a call", () => {
    const { finish } = read(
      streamOf(start(), open(0, toolBlock("toolu_1")), json(0, '{"que'), reason("max_tokens"), stop),
    );
    expect(finish?.reason).toBe("length");
  });

  it("ignores pings, citations, the vendor's own tools and unknown events", () => {
    const {
      text: said,
      calls,
      failure,
      parts,
    } = read(
      streamOf(
        start(),
        { type: "ping" },
        open(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
        json(0, '{"query":"a"}'),
        close(0),
        open(1, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
        close(1),
        { type: "something_new", payload: 1 },
        open(2, textBlock),
        delta(2, { type: "citations_delta", citation: {} }),
        delta(2, { type: "delta_of_tomorrow" }),
        text(2, "Found."),
        close(2),
        reason("end_turn"),
        stop,
      ),
    );
    expect({ said, calls, failure }).toEqual({ said: "Found.", calls: [], failure: undefined });
    expect(parts).toEqual([{ type: "text", text: "Found." }]);
  });

  it("ends with its last event, even if the connection stays open", () => {
    const events: ModelEvent[] = [];
    const request = { messages: [], tools: [] };
    const reader = openAnswer(anthropicMessages, CONTEXT, request, (event) => events.push(event));
    for (const event of [start(), open(0, textBlock), text(0, "Hi"), reason("end_turn"), stop]) {
      reader.frame(JSON.stringify(event), event.type);
    }
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
    reader.end();
    expect(events.filter((event) => event.type === "finish" || event.type === "failure")).toHaveLength(1);
  });

  it("fails if the stream breaks off, is empty, or has a frame that is not JSON", () => {
    const cut = streamOf(start(), open(0, textBlock), text(0, "Hel"));
    expect(read(cut).failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(read("").failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(read(`${cut}data: {"type":"content_blo\n\n`).failure).toMatchObject({ code: "UPSTREAM_ERROR" });
  });
});

describe("a whole Anthropic message instead of a stream", () => {
  it("is read like a stream", () => {
    const body = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-test",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "text", text: "Searching.", citations: null },
        {
          type: "tool_use",
          id: "toolu_1",
          name: "browser_search",
          input: { query: "a" },
          caller: { type: "direct" },
        },
      ],
      stop_reason: "tool_use",
      usage: {
        input_tokens: 3,
        output_tokens: 4,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: null,
      },
    } satisfies Partial<Omit<WireMessage, "usage" | "content">> & { content: unknown[]; usage: object };
    const whole = replayWhole(anthropicMessages, body, CONTEXT, { messages: [], tools: [TOOL] });
    expect(whole.text).toBe("Searching.");
    expect(whole.parts).toEqual([
      { type: "reasoning", text: "Hm.", metadata: { signature: "c2ln" } },
      { type: "text", text: "Searching." },
      { type: "tool_call", id: "toolu_1", name: "browser.search", arguments: '{"query":"a"}' },
    ]);
    expect(whole.finish?.reason).toBe("tool_calls");
    expect(whole.usage).toEqual({ inputTokens: 8, outputTokens: 4, cachedTokens: 5 });
  });

  it("fails if it is an error or has an unknown form", () => {
    const error = { type: "error", error: { type: "api_error", message: "Internal server error" } };
    expect(replayWhole(anthropicMessages, error).failure).toMatchObject({ retryable: true });
    expect(replayWhole(anthropicMessages, { hello: 1 }).failure?.code).toBe("UPSTREAM_ERROR");
    expect(replayWhole(anthropicMessages, null).failure?.code).toBe("UPSTREAM_ERROR");
  });
});

describe("an Anthropic error status", () => {
  const refused = (status: number, type: string, message: string, headers = {}) =>
    anthropicMessages.failure(
      { status, headers },
      JSON.stringify({ type: "error", error: { type, message } }),
      CONTEXT,
    );

  it("names the setting of the refused key, and is not retryable", () => {
    for (const [status, type] of [
      [401, "authentication_error"],
      [403, "permission_error"],
    ] as const) {
      const failure = refused(status, type, "invalid x-api-key sk-ant-REDACTED");
      expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
      expect(failure.publicMessage).toContain("ANTHROPIC_API_KEY");
      expect(failure.publicMessage).not.toContain("sk-ant");
    }
  });

  it("distinguishes a conversation that is too long from other bad requests", () => {
    expect(
      refused(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum").code,
    ).toBe("CONTEXT_TOO_LARGE");
    const exceeded = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000";
    expect(refused(400, "invalid_request_error", exceeded).code).toBe("CONTEXT_TOO_LARGE");
    expect(refused(413, "request_too_large", "Request exceeds the maximum size").code).toBe("TOO_LARGE");
    const other = refused(400, "invalid_request_error", "max_tokens: must be at least 1");
    expect(other).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
    expect(other.publicMessage).toContain("max_tokens: must be at least 1");
  });

  it("names an unknown model", () => {
    const failure = refused(404, "not_found_error", "model: claude-test");
    expect(failure.retryable).toBe(false);
    expect(failure.publicMessage).toContain("claude-test");
  });

  it("is retryable after a rate limit or an overload, with the vendor's delay", () => {
    const limited = refused(429, "rate_limit_error", "Too many requests", { "retry-after": "17" });
    expect(limited).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true, retryAfter: 17 });
    expect(refused(529, "overloaded_error", "Overloaded").retryable).toBe(true);
    expect(refused(500, "api_error", "Internal server error").retryable).toBe(true);
  });

  it("quotes at most 300 characters, and nothing of a web page", () => {
    const long = refused(400, "invalid_request_error", "word ".repeat(500)).publicMessage;
    expect(long.length).toBeLessThan(450);
    const page = anthropicMessages.failure({ status: 502, headers: {} }, "<html>Bad gateway</html>", CONTEXT);
    expect(page.publicMessage).not.toContain("<html>");
    expect(page.retryable).toBe(true);
  });
});
