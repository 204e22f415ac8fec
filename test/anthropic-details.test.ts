import type Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type AnthropicServer, CLAUDE, GPT, openAnthropicServer } from "./support/anthropic.ts";

const textDocument: Anthropic.DocumentBlockParam = {
  type: "document",
  title: "Notes",
  source: { type: "text", media_type: "text/plain", data: "The heron is grey." },
};

let api: AnthropicServer;
let sdk: Anthropic;
beforeAll(async () => {
  api = await openAnthropicServer();
  sdk = api.anthropic;
});
afterAll(() => api?.close());

describe("a request in Anthropic's format", () => {
  it("lists models with what they can do, and those of a stage of life", async () => {
    const { data } = await sdk.models.list({ limit: 1000 });
    const find = (end: string) => data.find(({ id }) => id.endsWith(end));
    expect(find("/claude-sonnet-4-6")).toMatchObject({
      lifecycle: "active",
      line: "sonnet",
      capabilities: null,
    });
    expect(find("/gpt-4o")?.capabilities).toMatchObject({
      image_input: { supported: true },
      thinking: { supported: false },
    });
    const old = data.filter(({ lifecycle }) => lifecycle === "deprecated");
    expect(old.map(({ retires_at }) => Date.parse(retires_at ?? "")).every(Number.isFinite)).toBe(true);
    const listed = await sdk.models.list({ limit: 1000, lifecycle: ["deprecated"] });
    expect(listed.data).toEqual(old);
  });

  it("is told in Anthropic's words that an address does not exist, or has another method", async () => {
    const refused = async (asked: Promise<unknown>) =>
      asked.then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await refused(sdk.get("/v1/organizations/me"))).toMatchObject({
      status: 404,
      type: "not_found_error",
      requestID: expect.any(String),
      error: { type: "error", error: { message: expect.stringContaining("Unknown request URL") } },
    });
    for (const path of ["/v1/models", "/v1/embeddings"])
      expect(await refused(sdk.put(path))).toMatchObject({
        status: 405,
        type: "invalid_request_error",
        requestID: expect.any(String),
        error: { type: "error", error: { message: expect.stringMatching(/^This address accepts/) } },
      });
  });

  it("gets back what Anthropic says about its message, complete and streamed", async () => {
    const stop_details = { type: "refusal", category: "cyber", explanation: "No." };
    const container = { id: "container_1", expires_at: "2027-01-01T00:00:00Z" };
    const applied = { applied_edits: [] };
    const counted = { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 3 } };
    const play = () => {
      const { frames } = anthropicTurn({ text: "I cannot.", stopReason: "refusal" });
      const more = (json: Record<string, unknown>) => {
        const { type, message, delta, usage } = json;
        if (type === "message_start")
          return { ...json, message: { ...(message as object), usage: { input_tokens: 3, ...counted } } };
        if (type !== "message_delta") return json;
        const said = { ...(delta as object), stop_details, container };
        const used = { ...(usage as object), server_tool_use: { web_search_requests: 1 } };
        return { ...json, delta: said, usage: used, context_management: applied };
      };
      api.claude.play({
        frames: frames.map((frame) =>
          typeof frame === "object" && "json" in frame
            ? { ...frame, json: more(frame.json as Record<string, unknown>) }
            : frame,
        ),
      });
    };
    const params = {
      model: CLAUDE,
      max_tokens: 100,
      messages: [{ role: "user" as const, content: "Hi" }],
    };
    const told = {
      ...{ stop_reason: "refusal", stop_details, container },
      usage: { ...counted, server_tool_use: { web_search_requests: 1 } },
    };
    play();
    expect(await sdk.messages.create(params)).toMatchObject({ ...told, context_management: applied });
    play();
    const stream = sdk.messages.stream(params);
    let last: unknown;
    stream.on("streamEvent", (event) => {
      if (event.type === "message_delta") last = event;
    });
    expect(await stream.finalMessage()).toMatchObject({ stop_reason: "refusal", stop_details, container });
    const { usage, ...ending } = told;
    expect(last).toMatchObject({ delta: ending, usage, context_management: applied });
    api.gpt.play(chatTurn({ text: "Yes." }));
    const other = await sdk.messages.create({ ...params, model: GPT });
    expect(other).toMatchObject({ stop_details: null, container: null });
  });

  it("fills the cache without an answer if it may have no tokens", async () => {
    const params = { max_tokens: 0, messages: [{ role: "user" as const, content: "Hi" }] };
    api.claude.play(anthropicTurn({ text: "", stopReason: "max_tokens", whole: true }));
    const { content, stop_reason } = await sdk.messages.create({ ...params, model: CLAUDE });
    expect([content, stop_reason]).toEqual([[], "max_tokens"]);
    expect(api.claude.lastBody()).toMatchObject({ max_tokens: 0, stream: false });
    api.gpt.play(chatTurn({ text: "Y", finishReason: "length" }));
    expect(await sdk.messages.create({ ...params, model: GPT })).toMatchObject({ stop_reason: "max_tokens" });
    expect(api.gpt.lastBody().max_completion_tokens ?? api.gpt.lastBody().max_tokens).toBe(1);
  });

  it("gets back what its texts cite, each text in its own block", async () => {
    const cited = { type: "char_location", cited_text: "grey", document_index: 0, start_char_index: 13 };
    const said = [
      { type: "text", text: "The heron is " },
      { type: "text", text: "grey", citations: [cited] },
      { type: "text", text: "." },
    ];
    const play = () => {
      const { frames } = anthropicTurn({ text: "." });
      const deltas = said.slice(0, 2).flatMap(({ text, citations }, index) => [
        {
          type: "content_block_start",
          index,
          content_block: { type: "text", text: "", ...(citations ? { citations: [] } : {}) },
        },
        { type: "content_block_delta", index, delta: { type: "text_delta", text } },
        ...(citations ?? []).map((citation) => ({
          type: "content_block_delta",
          index,
          delta: { type: "citations_delta", citation },
        })),
        { type: "content_block_stop", index },
      ]);
      api.claude.play({
        frames: frames.flatMap((frame) => {
          const json =
            typeof frame === "object" && "json" in frame
              ? (frame.json as { type: string; index?: number })
              : undefined;
          if (json?.index === undefined) return [frame];
          const own = { event: json.type, json: { ...json, index: 2 } };
          const before = deltas.map((one) => ({ event: one.type, json: one }));
          return json.type === "content_block_start" ? [...before, own] : [own];
        }),
      });
    };
    const messages: Anthropic.MessageParam[] = [
      {
        role: "user",
        content: [
          { ...textDocument, citations: { enabled: true } },
          { type: "text", text: "?" },
        ],
      },
    ];
    const asked = { model: CLAUDE, max_tokens: 1000, messages };
    play();
    expect((await sdk.messages.create(asked)).content).toEqual(said);
    play();
    expect((await sdk.messages.stream(asked).finalMessage()).content).toEqual(said);
    const again = [...messages, { role: "assistant" as const, content: said as never }, ...messages];
    api.claude.play(anthropicTurn({ text: "Yes." }));
    await sdk.messages.create({ ...asked, messages: again });
    expect(api.claude.lastBody().messages).toEqual(again);
  });

  it("passes top_k on to vendors that may know it, and goes on without it", async () => {
    const asked = {
      model: GPT,
      max_tokens: 1000,
      messages: [{ role: "user" as const, content: "Hi" }],
      top_k: 7,
    };
    api.gpt.play(chatTurn({ text: "Yes." }));
    const { content } = await sdk.messages.create(asked);
    expect(content).toMatchObject([{ text: "Yes." }]);
    // This vendor refuses it, as OpenAI does.
    const sent = api.gpt.upstream.requests.filter(({ method }) => method === "POST").slice(-2);
    expect(sent.map(({ body }) => (body as { top_k?: number }).top_k)).toEqual([7, undefined]);
  });

  it("counts as many tokens as it estimates for the same request", async () => {
    const tools = [
      { name: "look", description: "Looks. ".repeat(50), input_schema: { type: "object" as const } },
    ];
    const messages = [{ role: "user" as const, content: "A longer text. ".repeat(200) }];
    const counted = await sdk.messages.countTokens({ model: GPT, messages, tools, system: "Be brief." });
    api.gpt.play(chatTurn({ text: "Yes.", includeUsage: false }));
    const asked = {
      model: GPT,
      messages,
      tools,
      system: "Be brief.",
      max_tokens: 100,
      stream: true as const,
    };
    for await (const event of await sdk.messages.create(asked))
      if (event.type === "message_start") expect(event.message.usage.input_tokens).toBe(counted.input_tokens);
    expect(counted.input_tokens).toBeGreaterThan(600);
    expect(counted.input_tokens).toBeLessThan(1_400);
  });
});
