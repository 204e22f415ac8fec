import { describe, expect, it } from "vitest";
import type { ModelRequest, ToolSpec } from "../../protocol/model.ts";
import { gemini } from "./gemini.ts";
import { replay, replayWhole, sseOf, testContext } from "./testing/replay.ts";

const TOOL: ToolSpec = { name: "browser.search", description: "Searches.", parameters: { type: "object" } };
const CONTEXT = testContext({
  model: { name: "gemini-test" },
  modelId: "gemini/gemini-test",
  label: "Gemini",
  keySetting: "GEMINI_API_KEY",
});
const REQUEST: ModelRequest = { messages: [], tools: [TOOL] };

const chunk = (parts: unknown[], finishReason?: string, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
  ...more,
});
const read = (...chunks: unknown[]) => replay(gemini, sseOf(chunks, ""), 4096, CONTEXT, REQUEST);

describe("a Gemini stream", () => {
  it("generates ids for calls without one, keeps the vendor's ids, and reads several calls in one chunk (31)", () => {
    const { calls, finish } = read(
      chunk(
        [
          { functionCall: { name: "browser_search", args: { query: "a" } } },
          { functionCall: { name: "browser_search", args: { query: "a" } } },
          { functionCall: { id: "vendor-1", name: "get_time", args: {} } },
        ],
        "STOP",
      ),
    );
    expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ["browser.search", '{"query":"a"}'],
      ["browser.search", '{"query":"a"}'],
      ["get_time", "{}"],
    ]);
    expect(calls[0]?.id).toMatch(/^call_\w+$/);
    expect(calls[0]).not.toHaveProperty("metadata");
    expect(calls[2]).toMatchObject({ id: "vendor-1", metadata: { id: "vendor-1" } });
    expect(new Set(calls.map((call) => call.id)).size).toBe(3);
    expect(finish).toMatchObject({ reason: "tool_calls", rawReason: "STOP" });
  });

  it("reads a call without args as one with no arguments (34)", () => {
    expect(read(chunk([{ functionCall: { name: "get_time" } }], "STOP")).calls[0]?.arguments).toBe("{}");
  });

  it("keeps each signature with its part, even if the text is empty (32)", () => {
    const { parts, text } = read(
      chunk([{ text: "Hm. ", thought: true }]),
      chunk([{ text: "So.", thought: true }]),
      chunk([{ text: "Hel" }]),
      chunk([{ text: "lo" }]),
      chunk([{ text: "!", thoughtSignature: "sig/1+==" }]),
      chunk([{ text: " Bye" }]),
      chunk([{ functionCall: { name: "get_time", args: {} }, thoughtSignature: "sig/2" }]),
      chunk([{ text: "", thoughtSignature: "sig/3" }], "STOP"),
    );
    expect(text).toBe("Hello! Bye");
    expect(
      parts.map(({ type, metadata, ...part }) => [type, "text" in part ? part.text : "", metadata]),
    ).toEqual([
      ["reasoning", "Hm. So.", undefined],
      ["text", "Hello", undefined],
      ["text", "!", { thoughtSignature: "sig/1+==" }],
      ["text", " Bye", undefined],
      ["tool_call", "", { thoughtSignature: "sig/2" }],
      ["text", "", { thoughtSignature: "sig/3" }],
    ]);
  });

  it("treats a malformed call with empty content as a retryable failure (33)", () => {
    const { failure, finish } = read({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }] });
    expect(finish).toBeUndefined();
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(failure?.publicMessage).toContain("tool call");
  });

  it("keeps the valid calls next to a malformed one", () => {
    const { finish } = read(chunk([{ functionCall: { name: "get_time" } }], "MALFORMED_FUNCTION_CALL"));
    expect(finish?.reason).toBe("tool_calls");
  });

  it("assembles arguments that arrive in pieces with a path (34)", () => {
    const piece = (partialArgs: unknown[], willContinue = true) =>
      chunk([{ functionCall: { partialArgs, willContinue } }]);
    const { calls } = read(
      chunk([{ functionCall: { name: "browser_search", willContinue: true }, thoughtSignature: "sig" }]),
      piece([{ jsonPath: "$.query", stringValue: "red ", willContinue: true }]),
      piece([{ jsonPath: "$.query", stringValue: "shoes" }]),
      piece([
        { jsonPath: "$.filter.sizes[0]", numberValue: 41 },
        { jsonPath: "$.filter.sizes[1]", numberValue: 42 },
      ]),
      piece([
        { jsonPath: "$['in stock']", boolValue: true },
        { jsonPath: "$.brand", nullValue: "NULL_VALUE" },
      ]),
      chunk([{ functionCall: {} }, { functionCall: { name: "get_time" } }], "STOP"),
    );
    expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ["browser.search", { query: "red shoes", filter: { sizes: [41, 42] }, "in stock": true, brand: null }],
      ["get_time", {}],
    ]);
    expect(calls[0]?.metadata).toEqual({ thoughtSignature: "sig" });
  });

  it("lets no path reach a prototype or leave gaps in an array (34)", () => {
    const paths = [
      "$.__proto__.polluted",
      "$['__proto__'].polluted",
      "$.constructor.prototype.polluted",
      "$.a.__proto__.polluted",
      "$.a.constructor.prototype.polluted",
      "$.a.toString.polluted",
      "$.list[4000000000]",
      "$.toString.polluted",
      "not a path",
      "$",
    ];
    const partialArgs = paths.map((jsonPath) => ({ jsonPath, stringValue: "yes" }));
    const { calls, failure } = read(chunk([{ functionCall: { name: "get_time", partialArgs } }], "STOP"));
    expect(failure).toBeUndefined();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((Object as unknown as Record<string, unknown>).polluted).toBeUndefined();
    expect((Object.prototype.toString as unknown as Record<string, unknown>).polluted).toBeUndefined();
    expect(calls[0]?.arguments).not.toContain("__proto__");
    expect(calls[0]?.arguments.length).toBeLessThan(200);
  });

  it("emits images, but not the drafts of the model's thinking", () => {
    const { finish } = read(
      chunk([{ inlineData: { mimeType: "image/png", data: "ZHJhZnQ=" }, thought: true }]),
      chunk([{ inlineData: { mimeType: "image/png", data: "aGk=" }, thoughtSignature: "sig" }], "STOP"),
    );
    expect(finish).toMatchObject({
      reason: "stop",
      parts: [{ type: "image", mimeType: "image/png", data: "aGk=", metadata: { thoughtSignature: "sig" } }],
    });
  });

  it("counts usage by its last totals, with thoughts as output", () => {
    const { usage } = read(
      chunk([{ text: "a" }], undefined, {
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 1, cachedContentTokenCount: 64 },
      }),
      chunk([{ text: "b" }], "STOP", {
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 7, thoughtsTokenCount: 30 },
      }),
    );
    expect(usage).toEqual({ inputTokens: 100, outputTokens: 37, reasoningTokens: 30, cachedTokens: 64 });
  });

  it.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["SPII", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["WORD_OF_TOMORROW", "stop"],
  ])("reads the finish reason %s as %s", (raw, reason) => {
    expect(read(chunk([{ text: "Hi" }], raw)).finish).toMatchObject({ reason, rawReason: raw });
  });

  it("reports length, not tool_calls, if the limit cut off a call", () => {
    const cut = read(chunk([{ functionCall: { name: "get_time", willContinue: true } }], "MAX_TOKENS"));
    expect(cut.finish?.reason).toBe("length");
  });

  it("reads a blocked prompt as filtered content", () => {
    const { finish } = read({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
    expect(finish).toEqual({
      type: "finish",
      reason: "content_filter",
      rawReason: "PROHIBITED_CONTENT",
      parts: [],
    });
  });

  it("treats an answer of thoughts only as empty and retryable", () => {
    const { failure } = read(
      chunk([{ text: "Hm.", thought: true }]),
      chunk([{ text: "", thoughtSignature: "sig" }], "STOP"),
    );
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
  });

  it("fails if the stream breaks off, is empty, or has a frame that is not JSON", () => {
    expect(read(chunk([{ text: "Hel" }])).failure).toMatchObject({ retryable: true });
    expect(read().failure).toMatchObject({ code: "UPSTREAM_ERROR" });
    const broken = 'data: {"candidates": [{"content"\n\n';
    expect(replay(gemini, broken).failure).toMatchObject({ code: "UPSTREAM_ERROR" });
  });

  it("reads an error with status 200, including the retry delay", () => {
    const error = {
      code: 503,
      message: "The model is overloaded.",
      status: "UNAVAILABLE",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "12s" }],
    };
    const { failure, text } = read(chunk([{ text: "Hel" }]), { error });
    expect(text).toBe("Hel");
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true, retryAfter: 12 });
  });

  it("ignores code that the vendor executed, other candidates and unknown fields", () => {
    const { text, parts } = read(
      chunk([
        { executableCode: { code: "1" }, thoughtSignature: "s" },
        { codeExecutionResult: {} },
        null,
        { tomorrow: 1 },
      ]),
      { candidates: [{ index: 1, content: { parts: [{ text: "other" }] } }], tomorrow: {} },
      chunk([{ text: "Hi" }], "STOP"),
    );
    expect(text).toBe("Hi");
    expect(parts).toEqual([{ type: "text", text: "Hi" }]);
  });
});

describe("a whole Gemini answer instead of events", () => {
  const chunks = [
    chunk([{ text: "Hel" }]),
    chunk([{ text: "lo" }, { functionCall: { name: "browser_search" } }], "STOP"),
  ];

  it("is read as an array of responses, as one response, and as an array in a frame", () => {
    const array = replayWhole(gemini, chunks, CONTEXT, REQUEST);
    expect(array).toMatchObject({ text: "Hello", calls: [{ name: "browser.search", arguments: "{}" }] });
    expect(replayWhole(gemini, chunk([{ text: "Hi" }], "STOP")).finish?.reason).toBe("stop");
    expect(replay(gemini, `data: ${JSON.stringify(chunks)}\n\n`, 7, CONTEXT, REQUEST).text).toBe("Hello");
  });

  it("fails if it is an error, truncated, or has an unknown form", () => {
    const error = { error: { code: 500, message: "Internal", status: "INTERNAL" } };
    expect(replayWhole(gemini, [chunks[0], error]).failure).toMatchObject({ retryable: true });
    expect(replayWhole(gemini, [chunks[0]]).failure).toMatchObject({ retryable: true });
    expect(replayWhole(gemini, "hello").failure?.code).toBe("UPSTREAM_ERROR");
    expect(replayWhole(gemini, []).failure?.code).toBe("UPSTREAM_ERROR");
  });
});

describe("a Gemini error status", () => {
  const refused = (status: number, kind: string, message: string, details: unknown[] = []) =>
    gemini.failure(
      { status, headers: {} },
      JSON.stringify([{ error: { code: status, message, status: kind, details } }]),
      CONTEXT,
    );

  it("names the setting of the refused key, and is not retryable", () => {
    for (const failure of [
      refused(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
      refused(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers."),
    ]) {
      expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
      expect(failure.publicMessage).toContain("GEMINI_API_KEY");
    }
  });

  it("recognizes a wrong key behind a bad request", () => {
    const failure = refused(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.");
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
    expect(failure.publicMessage).toContain("GEMINI_API_KEY");
  });

  it("distinguishes a conversation that is too long from other bad requests", () => {
    const long = "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).";
    expect(refused(400, "INVALID_ARGUMENT", long).code).toBe("CONTEXT_TOO_LARGE");
    expect(refused(400, "INVALID_ARGUMENT", "Unknown name x")).toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
    });
  });

  it("uses the vendor's retry delay", () => {
    const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "12s" };
    expect(refused(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted.", [info])).toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: true,
      retryAfter: 12,
    });
    expect(refused(503, "UNAVAILABLE", "The model is overloaded.").retryable).toBe(true);
  });

  it("is retryable after a per-minute limit, which the vendor calls a quota", () => {
    const message =
      "You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.";
    const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" };
    expect(refused(429, "RESOURCE_EXHAUSTED", message, [info])).toMatchObject({
      retryable: true,
      retryAfter: 34,
    });
    const perDay = { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] };
    expect(refused(429, "RESOURCE_EXHAUSTED", message, [info, perDay]).retryable).toBe(false);
  });

  it("names an unknown model", () => {
    const failure = refused(404, "NOT_FOUND", "models/gemini-test is not found for API version v1beta");
    expect(failure.retryable).toBe(false);
    expect(failure.publicMessage).toContain("gemini-test");
  });
});
