import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  type LanguageModelV2,
  type LanguageModelV2CallOptions,
  type LanguageModelV2StreamPart,
  type LanguageModelV3CallOptions,
  type LanguageModelV3StreamPart,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  LoadAPIKeyError,
} from "@ai-sdk/provider";
import { MockLanguageModelV3, MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type Message, type Part, textMessage } from "../../protocol/messages.ts";
import type { ModelEvent, ModelInfo, ModelRequest } from "../../protocol/model.ts";
import type { BareFile, CallOptions, TaggedFile } from "./language-model/prompt.ts";
import { type AnyLanguageModel, fromLanguageModel } from "./language-model.ts";
import { type Replayed, summarize } from "./testing/replay.ts";

const VERSIONS = ["v2", "v3", "v4"] as const;
type Version = (typeof VERSIONS)[number];
type AnyPart = LanguageModelV2StreamPart | LanguageModelV3StreamPart | LanguageModelV4StreamPart;
type Asked = LanguageModelV2CallOptions | LanguageModelV3CallOptions | LanguageModelV4CallOptions;

const TOOLS = [{ name: "browser.search", description: "Searches.", parameters: { type: "object" } }];
const SIGNATURE = { anthropic: { signature: "sig+/=\u00e9" } };

/** A model of each specification version that streams these parts and records its requests. */
function scripted(version: Version, parts: AnyPart[]): { model: AnyLanguageModel; asked: Asked[] } {
  const chunks = { initialDelayInMs: null, chunkDelayInMs: null };
  if (version === "v4") {
    const stream = simulateReadableStream({ chunks: parts as LanguageModelV4StreamPart[], ...chunks });
    const model = new MockLanguageModelV4({ provider: "acme.chat", modelId: "m1", doStream: { stream } });
    return { model, asked: model.doStreamCalls };
  }
  if (version === "v3") {
    const stream = simulateReadableStream({ chunks: parts as LanguageModelV3StreamPart[], ...chunks });
    const model = new MockLanguageModelV3({ provider: "acme.chat", modelId: "m1", doStream: { stream } });
    return { model, asked: model.doStreamCalls };
  }
  const asked: Asked[] = [];
  const model: LanguageModelV2 = {
    specificationVersion: "v2",
    provider: "acme.chat",
    modelId: "m1",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not asked for")),
    doStream: async (options) => {
      asked.push(options);
      return {
        stream: simulateReadableStream({ chunks: parts as LanguageModelV2StreamPart[], ...chunks }),
      };
    },
  };
  return { model, asked };
}

type Reason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

function finish(version: Version, reason: Reason = "stop"): AnyPart {
  if (version === "v2") {
    const usage = {
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      reasoningTokens: 2,
      cachedInputTokens: 4,
    };
    return { type: "finish", finishReason: reason, usage };
  }
  return {
    type: "finish",
    finishReason: { unified: reason, raw: `raw ${reason}` },
    usage: {
      inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
      outputTokens: { total: 5, text: 3, reasoning: 2 },
    },
  };
}

async function ask(
  model: AnyLanguageModel,
  request: Partial<ModelRequest> = {},
  info?: Partial<ModelInfo>,
  signal = new AbortController().signal,
): Promise<Replayed> {
  const events: ModelEvent[] = [];
  const whole: ModelRequest = { messages: [user("Hello")], tools: TOOLS, ...request };
  await fromLanguageModel(model, info).stream(whole, (event) => events.push(event), signal);
  const last = events.filter((event) => event.type === "finish" || event.type === "failure");
  expect(last).toHaveLength(1);
  expect(events.at(-1)).toBe(last[0]);
  return summarize(events);
}

function user(text: string): Message {
  return textMessage("u1", "user", text);
}

function resultFor(toolCallId: string, success = true): Part {
  return {
    type: "tool_result",
    toolCallId,
    toolName: "browser.search",
    success,
    output: "found",
    trust: "untrusted",
  };
}

/** A model whose request fails. */
function failing(error: unknown): AnyLanguageModel {
  return new MockLanguageModelV4({
    provider: "acme.chat",
    modelId: "m1",
    doStream: () => Promise.reject(error),
  });
}

function callError(statusCode: number | undefined, options: Partial<APICallError> = {}): APICallError {
  return new APICallError({
    message: "It failed.",
    url: "https://example.com",
    requestBodyValues: {},
    statusCode,
    ...options,
  });
}

describe.each(VERSIONS)("a language model of specification %s", (version) => {
  it("gets the request in the AI SDK's format", async () => {
    const { model, asked } = scripted(version, [
      { type: "text-delta", id: "0", delta: "{}" },
      finish(version),
    ]);
    await ask(model, {
      system: "Be brief.",
      messages: [
        {
          id: "u",
          role: "user",
          parts: [
            { type: "text", text: "What is this?" },
            { type: "image", mimeType: "image/png", data: "aGk=" },
            { type: "image", mimeType: "image/png", url: "https://example.com/a.png" },
            { type: "image", mimeType: "image/png", fileId: "file_1" },
          ],
        },
      ],
      toolChoice: { tool: "browser.search" },
      temperature: 0.5,
      maxOutputTokens: 100,
      reasoningEffort: "low",
      responseFormat: { type: "json", schema: { type: "object" }, name: "plan" },
    });
    const url = new URL("https://example.com/a.png");
    const tagged = version === "v4";
    expect(asked).toEqual([
      {
        prompt: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "What is this?" },
              {
                type: "file",
                mediaType: "image/png",
                data: tagged ? { type: "data", data: "aGk=" } : "aGk=",
              },
              { type: "file", mediaType: "image/png", data: tagged ? { type: "url", url } : url },
              { type: "text", text: expect.stringContaining("image") },
            ],
          },
        ],
        tools: [
          {
            type: "function",
            name: "browser_search",
            description: "Searches.",
            inputSchema: { type: "object", properties: {} },
          },
        ],
        toolChoice: { type: "tool", toolName: "browser_search" },
        temperature: 0.5,
        maxOutputTokens: 100,
        responseFormat: { type: "json", schema: { type: "object" }, name: "plan" },
        ...(tagged && { reasoning: "low" }),
        abortSignal: expect.any(AbortSignal),
      },
    ]);
  });

  it("streams text, reasoning and calls, and counts tokens", async () => {
    const { model } = scripted(version, [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r1" },
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "Hmm" },
      { type: "reasoning-delta", id: "0", delta: "." },
      { type: "reasoning-end", id: "0", providerMetadata: SIGNATURE },
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-delta", id: "1", delta: "So." },
      { type: "reasoning-end", id: "1" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Look" },
      { type: "text-delta", id: "0", delta: "ing." },
      { type: "text-end", id: "0" },
      { type: "tool-input-start", id: "c1", toolName: "browser_search" },
      { type: "tool-input-delta", id: "c1", delta: '{"query":' },
      { type: "tool-input-delta", id: "c1", delta: '"x"}' },
      { type: "tool-input-end", id: "c1" },
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "browser_search",
        input: '{"query":"x"}',
        providerMetadata: SIGNATURE,
      },
      { type: "tool-call", toolCallId: "ws", toolName: "web", input: "{}", providerExecuted: true },
      { type: "raw", rawValue: {} },
      finish(version, "tool-calls"),
    ]);
    const { text, reasoning, parts, usage, finish: end } = await ask(model);
    expect(text).toBe("Looking.");
    expect(reasoning).toBe("Hmm.\n\nSo.");
    expect(parts).toEqual([
      { type: "reasoning", text: "Hmm.", metadata: { providerMetadata: SIGNATURE } },
      { type: "reasoning", text: "So." },
      { type: "text", text: "Looking." },
      {
        type: "tool_call",
        id: expect.stringMatching(/^call_/),
        name: "browser.search",
        arguments: '{"query":"x"}',
        metadata: { callId: "c1", providerMetadata: SIGNATURE },
      },
    ]);
    expect(usage).toEqual({ inputTokens: 10, outputTokens: 5, reasoningTokens: 2, cachedTokens: 4 });
    expect(end?.reason).toBe("tool_calls");
    expect(end?.rawReason).toBe(version === "v2" ? "tool-calls" : "raw tool-calls");
  });

  it("gets its own metadata and ids back unchanged", async () => {
    const first = scripted(version, [
      { type: "reasoning-start", id: "0", providerMetadata: SIGNATURE },
      { type: "reasoning-delta", id: "0", delta: "Hmm." },
      { type: "reasoning-end", id: "0" },
      { type: "text-start", id: "1", providerMetadata: { google: { thoughtSignature: "ts" } } },
      { type: "text-end", id: "1" },
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "browser_search",
        input: '{"query":"x"}',
        providerMetadata: SIGNATURE,
      },
      finish(version, "tool-calls"),
    ]);
    const { parts, calls } = await ask(first.model);
    const message: Message = {
      id: "a",
      role: "assistant",
      model: "acme/m1",
      parts: [...parts, resultFor(calls[0]?.id ?? "", false)],
    };
    const own = scripted(version, [finish(version)]);
    await ask(own.model, { messages: [user("Hello"), message] });
    expect(own.asked[0]?.prompt.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hmm.", providerOptions: SIGNATURE },
          { type: "text", text: "", providerOptions: { google: { thoughtSignature: "ts" } } },
          {
            type: "tool-call",
            toolCallId: "c1",
            toolName: "browser_search",
            input: { query: "x" },
            providerOptions: SIGNATURE,
          },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "browser_search",
            output: { type: "error-text", value: expect.stringContaining("<tool_result>") },
          },
        ],
      },
    ]);
    const other = scripted(version, [finish(version)]);
    await ask(other.model, { messages: [user("Hello"), { ...message, model: "other/m2" }] });
    expect(JSON.stringify(other.asked[0]?.prompt)).not.toMatch(/Hmm|signature|thoughtSignature|"c1"/);
  });

  it("can return images", async () => {
    const data = version === "v4" ? { type: "data", data: new Uint8Array([104, 105]) } : "aGk=";
    const file = { type: "file", mediaType: "image/png", data } as AnyPart;
    const other = { type: "file", mediaType: "audio/wav", data } as AnyPart;
    const { parts } = await ask(scripted(version, [file, other, finish(version)]).model);
    expect(parts).toEqual([{ type: "image", mimeType: "image/png", data: "aGk=" }]);
  });

  it.each([
    ["length", "length"],
    ["content-filter", "content_filter"],
    ["other", "stop"],
  ] as const)("maps the finish reason %s to %s", async (reason, expected) => {
    const { finish: end } = await ask(scripted(version, [finish(version, reason)]).model);
    expect(end?.reason).toBe(expected);
  });

  it("fails if its stream reports an error or breaks off", async () => {
    const error: AnyPart = { type: "error", error: callError(503) };
    expect((await ask(scripted(version, [error, finish(version)]).model)).failure?.retryable).toBe(true);
    const text: AnyPart[] = [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Half" },
    ];
    const { text: said, failure } = await ask(scripted(version, text).model);
    expect(said).toBe("Half");
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect((await ask(scripted(version, [finish(version, "error")]).model)).failure).toBeDefined();
  });
});

describe("the bridge", () => {
  it("fits the AI SDK's own types", () => {
    expectTypeOf<CallOptions<BareFile>["prompt"]>().toExtend<LanguageModelV2CallOptions["prompt"]>();
    expectTypeOf<CallOptions<BareFile>["prompt"]>().toExtend<LanguageModelV3CallOptions["prompt"]>();
    expectTypeOf<CallOptions<TaggedFile>["prompt"]>().toExtend<LanguageModelV4CallOptions["prompt"]>();
    expectTypeOf<CallOptions<TaggedFile>["reasoning"]>().toExtend<LanguageModelV4CallOptions["reasoning"]>();
    expectTypeOf<CallOptions<TaggedFile>["toolChoice"]>().toExtend<
      LanguageModelV4CallOptions["toolChoice"]
    >();
  });

  it("is named after vendor and model, and keeps the known details", () => {
    const model = fromLanguageModel(scripted("v4", []).model, { contextWindow: 1000 });
    expect(model.id).toBe("acme/m1");
    expect(model.info).toEqual({ name: "m1", contextWindow: 1000 });
  });

  it("refuses an unknown specification version", () => {
    const old = { ...scripted("v2", []).model, specificationVersion: "v1" } as unknown as AnyLanguageModel;
    expect(() => fromLanguageModel(old)).toThrow("v1");
  });

  it("computes the cost if the price is known", async () => {
    const { usage } = await ask(scripted("v3", [finish("v3")]).model, {}, { price: { input: 1, output: 2 } });
    expect(usage?.costUsd).toBeCloseTo(20e-6);
  });

  it("reads a call from streamed arguments without a final part", async () => {
    const { calls } = await ask(
      scripted("v3", [
        { type: "tool-input-start", id: "c1", toolName: "browser_search" },
        { type: "tool-input-delta", id: "c1", delta: '{"query":"x"}' },
        { type: "tool-input-end", id: "c1" },
        { type: "tool-input-start", id: "c2", toolName: "browser_search" },
        { type: "tool-input-delta", id: "c2", delta: '{"que' },
        finish("v3", "tool-calls"),
      ]).model,
    );
    expect(calls).toMatchObject([{ name: "browser.search", arguments: '{"query":"x"}' }]);
  });

  it("passes an abort on, and does not wait for a model that ignores it", async () => {
    const controller = new AbortController();
    let heard: AbortSignal | undefined;
    const model = new MockLanguageModelV4({
      doStream: async ({ abortSignal }) => {
        heard = abortSignal;
        return { stream: new ReadableStream({ start: () => controller.abort() }) };
      },
    });
    const { failure } = await ask(model, {}, {}, controller.signal);
    expect(failure?.code).toBe("CANCELLED");
    expect(heard?.aborted).toBe(true);
  });

  it("requests nothing if it was stopped before it began", async () => {
    const { model, asked } = scripted("v4", [finish("v4")]);
    const { failure } = await ask(model, {}, {}, AbortSignal.abort());
    expect(failure?.code).toBe("CANCELLED");
    expect(asked).toEqual([]);
  });

  it.each([
    ["a rate limit", callError(429, { responseHeaders: { "retry-after": "3" } }), "UPSTREAM_ERROR", true, 3],
    ["a vendor error", callError(500), "UPSTREAM_ERROR", true, undefined],
    ["a permanent vendor error", callError(500, { isRetryable: false }), "UPSTREAM_ERROR", false, undefined],
    ["a refused key", callError(401), "UPSTREAM_ERROR", false, undefined],
    ["no connection", callError(undefined, { isRetryable: true }), "UPSTREAM_ERROR", true, undefined],
    [
      "a missing key",
      new LoadAPIKeyError({ message: "Set ACME_API_KEY." }),
      "UPSTREAM_ERROR",
      false,
      undefined,
    ],
    [
      "an exception in the model's code",
      new TypeError("x is not a function"),
      "UPSTREAM_ERROR",
      true,
      undefined,
    ],
    ["a bare string", "Overloaded", "UPSTREAM_ERROR", true, undefined],
    [
      "a conversation that is too long",
      callError(400, {
        responseBody: JSON.stringify({ error: { code: "context_length_exceeded", message: "Too long." } }),
      }),
      "CONTEXT_TOO_LARGE",
      false,
      undefined,
    ],
  ])("explains %s", async (_, error, code, retryable, retryAfter) => {
    const { failure } = await ask(failing(error));
    expect(failure).toMatchObject({ code, retryable, retryAfter });
  });

  it("names the missing setting, and no secret", async () => {
    const missing = await ask(failing(new LoadAPIKeyError({ message: "Set ACME_API_KEY." })));
    expect(missing.failure?.publicMessage).toContain("ACME_API_KEY");
    const error = callError(401, { message: "Bad key sk-abcdefghijklmnopqrst" } as Partial<APICallError>);
    expect((await ask(failing(error))).failure?.publicMessage).not.toContain("sk-abc");
  });

  it("calls a real AI SDK provider over a real connection", async () => {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      response.setHeader("content-type", "text/event-stream");
      const delta = {
        tool_calls: [{ index: 0, id: "c1", function: { name: "browser_search", arguments: "{}" } }],
      };
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: "Hi" } }] })}\n\n`);
      response.write(`data: ${JSON.stringify({ choices: [{ delta, finish_reason: "tool_calls" }] })}\n\n`);
      response.end("data: [DONE]\n\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const provider = createOpenAICompatible({ name: "acme", baseURL: `http://127.0.0.1:${port}/v1` });
    const { text, calls } = await ask(provider("m1"));
    await new Promise((resolve) => server.close(resolve));
    expect(text).toBe("Hi");
    expect(calls).toMatchObject([{ name: "browser.search", arguments: "{}", metadata: { callId: "c1" } }]);
    expect(bodies[0]).toContain('"browser_search"');
  });
});
