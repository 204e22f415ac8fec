import { describe, expect, test } from "vitest";
import type { Message } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { openaiChat } from "./openai-chat.ts";
import { type Replayed, replay, replayWhole, sseOf, testContext } from "./testing/replay.ts";

/** Events with the random ids removed. */
function comparable({ events }: Replayed): unknown {
  return JSON.parse(JSON.stringify(events).replace(/call_[0-9a-f]{32}/g, "call"));
}

function parsed({ calls }: Replayed): unknown {
  return calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown }));
}

// Frames up

const delta = (fields: object, rest: object = {}) => ({ choices: [{ index: 0, delta: fields, ...rest }] });
const calling = (...calls: object[]) => delta({ tool_calls: calls });
const fn = (name?: string, args?: unknown) => ({ function: { name, arguments: args } });
const stop = (reason = "stop") => delta({}, { finish_reason: reason });

function read(values: unknown[], context?: DialectContext, request?: ModelRequest): Replayed {
  const stream = sseOf(values);
  const whole = replay(openaiChat, stream, 4096, context, request);
  expect(comparable(replay(openaiChat, stream, 1, context, request))).toEqual(comparable(whole));
  return whole;
}

const two = [
  { name: "weather", arguments: { city: "Paris" } },
  { name: "time", arguments: { zone: "UTC" } },
];

describe("tool calls", () => {
  test("deltas without an index belong to the latest call (1)", () => {
    const answer = read([
      calling({ id: "a1", ...fn("weather", "") }),
      calling(fn(undefined, '{"city":')),
      calling(fn(undefined, '"Paris"}')),
      calling({ id: "a2", ...fn("time", '{"zone":') }),
      calling(fn(undefined, '"UTC"}')),
      stop("tool_calls"),
    ]);
    expect(parsed(answer)).toEqual(two);
  });

  test("parallel calls that all have index 0 stay apart (2)", () => {
    const byId = read([
      calling({ index: 0, id: "a1", ...fn("weather", '{"city":"Paris"}') }),
      calling({ index: 0, id: "a2", ...fn("time", "") }),
      calling({ index: 0, ...fn(undefined, '{"zone":"UTC"}') }),
      stop(),
    ]);
    expect(parsed(byId)).toEqual(two);
    const withoutIds = read([
      calling({ index: 0, id: "", ...fn("weather", '{"city":"Paris"}') }),
      calling({ index: 0, id: "", ...fn("weather", '{"city":"Rome"}') }),
      stop(),
    ]);
    expect(parsed(withoutIds)).toEqual([
      { name: "weather", arguments: { city: "Paris" } },
      { name: "weather", arguments: { city: "Rome" } },
    ]);
  });

  test("deltas that name their call reach it, even if another call came in between", () => {
    for (const index of [undefined, 0]) {
      const answer = read([
        calling({ index, id: "a1", ...fn("weather", '{"city":') }),
        calling({ index, id: "a2", ...fn("time", '{"zone":') }),
        calling({ index, id: "a1", ...fn(undefined, '"Paris"}') }),
        calling({ index, id: "a2", ...fn(undefined, '"UTC"}') }),
        stop("tool_calls"),
      ]);
      expect(parsed(answer)).toEqual(two);
    }
  });

  test("indexes may begin at 1, have gaps and interleave (3)", () => {
    const answer = read([
      calling(
        { index: 1, id: "a1", ...fn("weather", '{"city":') },
        { index: 5, id: "a2", ...fn("time", "") },
      ),
      calling({ index: 5, ...fn(undefined, '{"zone":"UTC"}') }),
      calling({ index: 1, ...fn(undefined, '"Paris"}') }),
      stop("tool_calls"),
    ]);
    expect(parsed(answer)).toEqual(two);
  });

  test("an id repeated in every delta is one call; a shared, empty or missing id is replaced (4)", () => {
    const repeated = read([
      calling({ index: 0, id: "a1", ...fn("weather", '{"city":') }),
      calling({ index: 0, id: "a1", ...fn("weather", '"Paris"}') }),
      stop("tool_calls"),
    ]);
    expect(parsed(repeated)).toEqual([two[0]]);
    expect(repeated.calls[0]?.id).toBe("a1");

    const shared = read([
      calling({ index: 0, id: "same", ...fn("weather", '{"city":"Paris"}') }),
      calling({ index: 1, id: "same", ...fn("time", '{"zone":"UTC"}') }),
      stop("tool_calls"),
    ]);
    expect(parsed(shared)).toEqual(two);
    expect(new Set(shared.calls.map((call) => call.id)).size).toBe(2);

    const missing = read([calling({ index: 0, id: "", ...fn("weather", "{}") }), stop("tool_calls")]);
    expect(missing.calls[0]?.id).toMatch(/^call_\w{8,}/);
  });

  test("an id of an earlier call of the conversation is replaced, so that no result goes to the wrong call (4)", () => {
    const used = "call_abc";
    const earlier = { type: "tool_call" as const, id: used, name: "time", arguments: "{}" };
    const messages: Message[] = [{ id: "m1", role: "assistant", parts: [earlier] }];
    const answer = read(
      [calling({ index: 0, id: used, ...fn("weather", "{}") }), stop("tool_calls")],
      undefined,
      {
        messages,
        tools: [],
      },
    );
    expect(answer.calls[0]?.id).toMatch(/^call_/);
    expect(answer.calls[0]?.id).not.toBe(used);
  });

  test("the name may arrive later, and be empty in continuations (5)", () => {
    const answer = read([
      calling({ index: 0, id: "a1", ...fn(undefined, '{"city":') }),
      calling({ index: 0, ...fn("weather", '"Paris"') }),
      calling({ index: 0, ...fn("", "}") }),
      stop("tool_calls"),
    ]);
    expect(parsed(answer)).toEqual([two[0]]);
  });

  test("a call without arguments gets an empty object (6)", () => {
    for (const args of ["", undefined, null, " "]) {
      const answer = read([calling({ index: 0, id: "a1", ...fn("time", args) }), stop("tool_calls")]);
      expect(answer.calls[0]?.arguments).toBe("{}");
    }
  });

  test("arguments may be an object (7)", () => {
    const answer = read([
      calling({ index: 0, id: "a1", ...fn("weather", { city: "Paris" }) }),
      stop("tool_calls"),
    ]);
    expect(parsed(answer)).toEqual([two[0]]);
  });

  test("arguments that already parse as JSON may still continue (8)", () => {
    const answer = read([
      calling({ index: 0, id: "a1", ...fn("weather", "{}") }),
      calling({ index: 0, ...fn(undefined, '{"city":') }),
      calling({ index: 0, ...fn(undefined, '"Paris"}') }),
      stop("tool_calls"),
    ]);
    expect(parsed(answer)).toEqual([two[0]]);
  });

  test("a trailing delta of white space creates no second call (9)", () => {
    for (const trailing of [
      { index: 0, ...fn(undefined, " ") },
      { index: 1, ...fn(undefined, " ") },
      { index: 0, id: "a1", ...fn("weather", "\n") },
      fn("", ""),
    ]) {
      const answer = read([
        calling({ index: 0, id: "a1", ...fn("weather", '{"city":"Paris"}') }),
        calling(trailing),
        stop("tool_calls"),
      ]);
      expect(parsed(answer)).toEqual([two[0]]);
    }
  });

  test("whole calls may arrive in one chunk, with the finish in the same chunk or a later one (10, Ollama)", () => {
    const calls = [
      { index: 0, id: "a1", ...fn("weather", '{"city":"Paris"}') },
      { index: 1, id: "a2", ...fn("time", '{"zone":"UTC"}') },
    ];
    expect(parsed(read([delta({ tool_calls: calls }, { finish_reason: "tool_calls" })]))).toEqual(two);
    expect(parsed(read([calling(...calls), stop()]))).toEqual(two);
  });

  test("calls are delivered even if the finish reason is stop, and the vendor's reason is kept (11)", () => {
    const answer = read([calling({ index: 0, id: "a1", ...fn("time", "{}") }), stop("stop")]);
    expect(answer.finish).toMatchObject({ reason: "tool_calls", rawReason: "stop" });
    expect(answer.calls).toHaveLength(1);
  });

  test("calls of an answer that was cut off by length are delivered as such", () => {
    const answer = read([calling({ index: 0, id: "a1", ...fn("time", '{"zo') }), stop("length")]);
    expect(answer.finish?.reason).toBe("length");
  });

  test("names that were mapped for the vendor are mapped back", () => {
    const tools = [{ name: "browser.search", description: "", parameters: {} }];
    const answer = read(
      [calling({ index: 0, id: "a1", ...fn("browser_search", "{}") }), stop("tool_calls")],
      undefined,
      { messages: [], tools },
    );
    expect(answer.calls[0]?.name).toBe("browser.search");
  });

  test("a thought signature on a call is stored with it and sent back (35)", () => {
    const extra_content = { google: { thought_signature: "c2lnbmF0dXJl" } };
    const answer = read([
      calling({ index: 0, id: "a1", ...fn("time", "{}"), extra_content }),
      stop("tool_calls"),
    ]);
    const message: Message = { id: "m2", role: "assistant", model: "test/test-model", parts: answer.parts };
    const again = openaiChat.encode({ messages: [message], tools: [] }, testContext()).body.messages;
    expect(again).toMatchObject([{ tool_calls: [{ id: "a1", extra_content }] }, { role: "tool" }]);
  });
});

describe("usage", () => {
  const said = delta({ content: "Hi" });

  test("may come after the finish without choices, inside the choice, or repeatedly (12)", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    const expected = { inputTokens: 10, outputTokens: 5 };
    expect(read([said, stop(), { choices: [], usage }]).usage).toEqual(expected);
    expect(read([said, delta({}, { finish_reason: "stop", usage })]).usage).toEqual(expected);
    const growing = [1, 3, 5].map((count) => ({ ...said, usage: { ...usage, completion_tokens: count } }));
    expect(read([...growing, stop()]).usage).toEqual(expected);
    const zeros = { prompt_tokens: 0, completion_tokens: 0 };
    expect(read([said, stop(), { choices: [], usage }, { choices: [], usage: zeros }]).usage).toEqual(
      expected,
    );
  });

  test("finds cached tokens in all three places (20)", () => {
    for (const place of [
      { prompt_tokens_details: { cached_tokens: 7 } },
      { prompt_cache_hit_tokens: 7 },
      { cached_tokens: 7 },
    ]) {
      const usage = { prompt_tokens: 10, completion_tokens: 5, ...place };
      expect(read([said, stop(), { choices: [], usage }]).usage?.cachedTokens).toBe(7);
    }
  });

  test("includes reasoning that the vendor did not count in the completion (20)", () => {
    const completion_tokens_details = { reasoning_tokens: 100 };
    const apart = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115, completion_tokens_details };
    expect(read([said, stop(), { choices: [], usage: apart }]).usage).toMatchObject({
      outputTokens: 105,
      reasoningTokens: 100,
    });
    const within = {
      prompt_tokens: 10,
      completion_tokens: 120,
      total_tokens: 130,
      completion_tokens_details,
    };
    expect(read([said, stop(), { choices: [], usage: within }]).usage?.outputTokens).toBe(120);
  });

  test("has a cost by the model's prices, including the price for cached tokens, unless the vendor sends a cost", () => {
    const context = testContext({ model: { name: "m", price: { input: 2, output: 10, cachedInput: 0.5 } } });
    const usage = { prompt_tokens: 1_000_000, completion_tokens: 100_000, cached_tokens: 400_000 };
    expect(read([said, stop(), { choices: [], usage }], context).usage?.costUsd).toBeCloseTo(1.2 + 0.2 + 1);
    const named = { ...usage, cost: 0.5 };
    expect(read([said, stop(), { choices: [], usage: named }], context).usage?.costUsd).toBe(0.5);
  });
});

describe("content", () => {
  test("a chunk without choices is skipped (13)", () => {
    expect(read([{ id: "x" }, delta({ content: "Hi" }), { choices: null }, stop()]).text).toBe("Hi");
  });

  test("the role may be empty or missing (14)", () => {
    expect(read([delta({ role: "", content: "H" }), delta({ content: "i" }), stop()]).text).toBe("Hi");
  });

  test("content may be a list of parts, with thinking among them (15)", () => {
    const answer = read([
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hmm" }] }] }),
      delta({
        content: [
          { type: "text", text: "H" },
          { type: "text", text: "i" },
        ],
      }),
      stop(),
    ]);
    expect(answer).toMatchObject({ text: "Hi", reasoning: "Hmm" });
  });

  test("the same thinking in several fields is shown once (16)", () => {
    const answer = read([
      delta({
        reasoning: "Let me ",
        reasoning_content: "Let me ",
        reasoning_details: [{ type: "reasoning.text", text: "Let me ", index: 0 }],
      }),
      delta({ reasoning: "see", reasoning_content: "see" }),
      delta({ content: "Hi" }),
      stop(),
    ]);
    expect(answer).toMatchObject({ reasoning: "Let me see", text: "Hi" });
  });

  test("thinking that is only in details is kept, and shown if the vendor has that quirk", () => {
    const details = [{ type: "reasoning.text", text: "Hmm", index: 0, signature: "s" }];
    const pieces = [delta({ reasoning_details: details }), delta({ content: "Hi" }), stop()];
    const quiet = read(pieces);
    expect(quiet.reasoning).toBe("");
    expect(JSON.stringify(quiet.parts)).toContain('"signature":"s"');
    expect(read(pieces, testContext({ quirks: { readableDetails: true } })).reasoning).toBe("Hmm");
  });

  test("thinking tags at the start are reasoning if the vendor has that quirk, and text otherwise", () => {
    const pieces = ["<th", "ink>Hmm <b", "></thi", "nk>\n\nHi <think>"].map((content) => delta({ content }));
    const odd = testContext({ quirks: { thinkTags: true } });
    expect(read([...pieces, stop()], odd)).toMatchObject({ reasoning: "Hmm <b>", text: "Hi <think>" });
    expect(read([...pieces, stop()]).reasoning).toBe("");
    const short = read([delta({ content: "<" }), stop()], odd);
    expect(short.text).toBe("<");
  });

  test("images are emitted whole and once, as data or as a URL", () => {
    const image = { type: "image_url", image_url: { url: "data:image/webp;base64,QUJD" } };
    const answer = read([
      delta({ images: [image] }),
      delta({
        images: [image],
        content: [{ type: "image_url", image_url: { url: "https://x.test/a.jpg" } }],
      }),
      stop(),
    ]);
    expect(answer.parts).toEqual([
      { type: "image", mimeType: "image/webp", data: "QUJD" },
      { type: "image", mimeType: "image/jpeg", url: "https://x.test/a.jpg" },
    ]);
  });
});

// Finish

describe("the end", () => {
  const said = delta({ content: "Hi" });

  test("an answer without a finish reason is complete if its end was marked (17)", () => {
    expect(replay(openaiChat, sseOf([said])).finish).toMatchObject({ reason: "stop" });
    const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } };
    expect(replay(openaiChat, sseOf([said, usage], "")).finish?.reason).toBe("stop");
  });

  test("an answer without a finish reason or end marker was cut off, unless the vendor never sends one (17)", () => {
    const cut = replay(openaiChat, sseOf([said], ""));
    expect(cut.failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(cut.finish).toBeUndefined();
    const odd = testContext({ quirks: { noEndMarker: true } });
    expect(replay(openaiChat, sseOf([said], ""), 4096, odd).finish?.reason).toBe("stop");
  });

  test("an event with broken JSON fails the answer instead of being skipped (26)", () => {
    const truncated = `${sseOf([said], "")}data: {"choices":[{"delta":{"content":"mo`;
    expect(replay(openaiChat, truncated).failure?.code).toBe("UPSTREAM_ERROR");
    expect(replay(openaiChat, `${truncated}\n\ndata: [DONE]\n\n`).failure?.code).toBe("UPSTREAM_ERROR");
  });

  test("nothing follows the final event", () => {
    const { events } = replay(
      openaiChat,
      `${sseOf([said, stop()])}${sseOf([said, { error: { message: "late" } }])}`,
    );
    expect(events.map((event) => event.type)).toEqual(["text_delta", "finish"]);
  });

  test("thinking without an answer is an empty, retryable answer (41)", () => {
    for (const reasons of [[delta({ reasoning_content: "Hmm" })], [delta({ content: "\n" })], []]) {
      expect(read([...reasons, stop()]).failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    }
  });

  test("length and content filter keep their meaning, even if the answer is empty", () => {
    expect(read([said, stop("length")]).finish?.reason).toBe("length");
    expect(read([stop("content_filter")]).finish?.reason).toBe("content_filter");
    expect(read([said, stop("sensitive")]).finish).toMatchObject({
      reason: "content_filter",
      rawReason: "sensitive",
    });
  });

  test("an exceeded context window ends an answer by length, and an empty answer as too large (42)", () => {
    expect(read([said, stop("model_context_window_exceeded")]).finish?.reason).toBe("length");
    expect(read([stop("model_context_window_exceeded")]).failure?.code).toBe("CONTEXT_TOO_LARGE");
  });

  test("a vendor that breaks off reports it in the finish reason", () => {
    expect(read([said, stop("insufficient_system_resource")]).failure?.retryable).toBe(true);
    expect(read([said, stop("network_error")]).failure?.retryable).toBe(true);
  });

  test("a JSON body instead of a stream gives the same answer (19)", () => {
    const message = { role: "assistant", content: "Hi", tool_calls: [{ id: "a1", ...fn("time", "{}") }] };
    const answer = replayWhole(openaiChat, {
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    expect(answer).toMatchObject({ text: "Hi", usage: { inputTokens: 3 }, finish: { reason: "tool_calls" } });
    expect(answer.calls[0]?.id).toBe("a1");
    expect(replayWhole(openaiChat, { hello: "world" }).failure?.code).toBe("UPSTREAM_ERROR");
    expect(replayWhole(openaiChat, [1]).failure?.code).toBe("UPSTREAM_ERROR");
  });
});

// Errors

describe("errors with HTTP 200 (18)", () => {
  test("come first or in the middle of a stream", () => {
    const error = { error: { message: "Provider overloaded", code: 502 } };
    expect(read([error]).failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    const middle = read([delta({ content: "Hi" }), { ...stop("error"), ...error }]);
    expect(middle.text).toBe("Hi");
    expect(middle.failure?.publicMessage).toContain("Provider overloaded");
  });

  test("are read in all forms that vendors use", () => {
    expect(read([{ error: "model crashed" }]).failure?.publicMessage).toContain("model crashed");
    expect(read([{ object: "error", message: "bad", code: 400 }]).failure?.retryable).toBe(false);
    expect(replay(openaiChat, 'event: error\ndata: {"message":"boom"}\n\n').failure?.publicMessage).toContain(
      "boom",
    );
    expect(replay(openaiChat, "event: error\ndata: boom\n\n").failure?.publicMessage).toContain("boom");
    expect(read([{ error: null, ...delta({ content: "Hi" }) }, stop()]).text).toBe("Hi");
    expect(replayWhole(openaiChat, { error: { message: "no" } }).failure?.publicMessage).toContain("no");
  });

  test("are mapped by their kind", () => {
    const failing = (error: object) => read([{ error }]).failure;
    expect(failing({ type: "rate_limit_exceeded", message: "Try again in 2s" })).toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: true,
      retryAfter: 2,
    });
    expect(failing({ code: "context_length_exceeded", message: "too long" })?.code).toBe("CONTEXT_TOO_LARGE");
    expect(
      failing({ code: "insufficient_quota", message: "You exceeded your current quota" })?.retryable,
    ).toBe(false);
    expect(failing({ type: "invalid_request_error", message: "no" })?.retryable).toBe(false);
    expect(failing({ type: "server_error", message: "no" })?.retryable).toBe(true);
    expect(failing({ type: "invalid_request_error", code: "tool_use_failed" })?.retryable).toBe(true);
  });
});
