import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { type AnthropicServer, CLAUDE, GPT, openAnthropicServer } from "./support/anthropic.ts";

const WEATHER: Anthropic.Tool = {
  name: "weather",
  description: "The weather of a city.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const rome = (name = "weather") => ({ name, arguments: { city: "Rome" } });

let api: AnthropicServer;
let sdk: Anthropic;
beforeAll(async () => {
  api = await openAnthropicServer();
  sdk = api.anthropic;
});
afterAll(() => api?.close());

type Body = Record<string, unknown>;
const messagesOf = (body: Body) => body.messages as { role: string; content: unknown }[];
const hello: Anthropic.MessageParam[] = [{ role: "user", content: "Hi" }];
const ask = (model: string, more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) =>
  sdk.messages.create({ model, max_tokens: 1000, messages: hello, ...more });

/** Plays the same answer at either vendor. */
function play(model: string, ...answers: Parameters<typeof anthropicTurn>[0][]): void {
  if (model === CLAUDE) api.claude.play(...answers.map((answer) => anthropicTurn(answer)));
  else api.gpt.play(...answers.map((answer) => chatTurn(answer)));
}

describe.each([CLAUDE, GPT])("Anthropic's client with %s", (model) => {
  it("gets a message", async () => {
    play(model, { text: "Hello.", usage: { inputTokens: 50, cachedTokens: 20, outputTokens: 7 } });
    const { data: message, response } = await ask(model, { system: "Be brief." }).withResponse();
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text: "Hello." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: 30,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 0,
        output_tokens: 7,
      },
    });
    expect(response.headers.get("request-id")).toBeTruthy();
  });

  it("streams a message in the order of events that Anthropic has", async () => {
    play(model, { reasoning: "Hm.", text: "Hello you.", calls: [rome()], chunkSize: 3 });
    const thinking = { type: "adaptive" } as const;
    const stream = sdk.messages.stream({
      model,
      max_tokens: 1000,
      thinking,
      messages: hello,
      tools: [WEATHER],
    });
    const events: Anthropic.RawMessageStreamEvent[] = [];
    stream.on("streamEvent", (event) => events.push(event));
    const message = await stream.finalMessage();
    const types = events.map(({ type }) => type).filter((type) => type !== "content_block_delta");
    const block = ["content_block_start", "content_block_stop"];
    expect(types).toEqual(["message_start", ...block, ...block, ...block, "message_delta", "message_stop"]);
    expect(events.flatMap((event) => (event.type === "content_block_start" ? [event.index] : []))).toEqual([
      0, 1, 2,
    ]);
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Hm.", signature: expect.stringMatching(/./) },
      { type: "text", text: "Hello you." },
      { type: "tool_use", id: expect.stringMatching(/^toolu_/), name: "weather", input: { city: "Rome" } },
    ]);
    expect(message.stop_reason).toBe("tool_use");
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  it("runs its own tools in parallel, and the results arrive as they are", async () => {
    const outputs = ["", "21 <C> & </result>\r\n  sk-proj-not-a-secret ", "x".repeat(100_000)];
    play(model, { text: "A moment.", calls: [rome(), rome(), rome()] });
    const first = await ask(model, { tools: [WEATHER] });
    const calls = first.content.filter((block) => block.type === "tool_use");
    expect(calls).toHaveLength(3);
    play(model, { text: "Sunny." });
    const results = calls.map(({ id }, index) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: outputs[index],
      ...(index === 1 ? { is_error: true } : {}),
    }));
    const second = await ask(model, {
      tools: [WEATHER],
      messages: [
        ...hello,
        { role: "assistant", content: first.content },
        { role: "user", content: [...results.reverse(), { type: "text", text: "And?" }] },
      ],
    });
    expect(second.content).toEqual([{ type: "text", text: "Sunny." }]);
    const sent = JSON.stringify(messagesOf((model === CLAUDE ? api.claude : api.gpt).lastBody()));
    for (const output of outputs.slice(1)) expect(sent).toContain(JSON.stringify(output));
    expect(sent).not.toContain("<tool_result>");
  });

  it("stops at a stop sequence, and says at which", async () => {
    if (model === CLAUDE)
      api.claude.play(anthropicTurn({ text: "one two ", stopReason: "stop_sequence", stopSequence: "END" }));
    else api.gpt.play(chatTurn({ text: "one two END three" }));
    const message = await ask(model, { stop_sequences: ["END"] });
    expect(message).toMatchObject({
      stop_reason: "stop_sequence",
      stop_sequence: "END",
      content: [{ type: "text", text: "one two " }],
    });
  });

  it("gets structured output", async () => {
    play(model, { text: '{"city":"Rome"}' });
    const message = await sdk.messages.parse({
      model,
      max_tokens: 1000,
      messages: hello,
      output_config: { format: zodOutputFormat(z.object({ city: z.string() })) },
    });
    expect(message.parsed_output).toEqual({ city: "Rome" });
  });

  it("runs tools with the tool runner, which continues a conversation that the server keeps", async () => {
    play(model, { calls: [rome()] }, { text: "Sunny." });
    const runner = sdk.beta.messages.toolRunner({
      model,
      max_tokens: 1000,
      messages: hello,
      tools: [
        betaZodTool({
          name: "weather",
          description: "The weather of a city.",
          inputSchema: z.object({ city: z.string() }),
          run: ({ city }) => `sun <in> ${city}`,
        }),
      ],
    });
    const message = await runner;
    expect(message.content).toMatchObject([{ type: "text", text: "Sunny." }]);
    const { lastBody } = model === CLAUDE ? api.claude : api.gpt;
    expect(JSON.stringify(lastBody().messages)).toContain("sun <in> Rome");
    expect(JSON.stringify(lastBody().tools)).toContain("The weather of a city.");
  });

  it("uses tools of the server", async () => {
    play(model, { calls: [{ name: "get_time", arguments: { timeZone: "UTC" } }] }, { text: "Noon." });
    const params = {
      model,
      max_tokens: 1000,
      messages: hello,
      tools: [{ type: "tackle", name: "get_time" }],
    };
    const message = await sdk.beta.messages.create(params as never);
    expect(message.content).toMatchObject([
      { type: "mcp_tool_use", server_name: "tackle", name: "get_time", input: { timeZone: "UTC" } },
      { type: "mcp_tool_result", is_error: false, content: [{ type: "text" }] },
      { type: "text", text: "Noon." },
    ]);
    play(model, { text: "Yes." });
    const messages = [
      ...hello,
      { role: "assistant", content: message.content },
      { role: "user", content: "Sure?" },
    ];
    const next = await sdk.beta.messages.create({ ...params, messages } as never);
    expect(next.content).toMatchObject([{ type: "text", text: "Yes." }]);
    const { lastBody } = model === CLAUDE ? api.claude : api.gpt;
    expect(JSON.stringify(lastBody().messages)).toContain("UTC");
  });

  it("cancels the vendor's request when it aborts", async () => {
    play(model, { text: "one two three four five six", chunkSize: 2, gapMs: 300 });
    const { upstream } = model === CLAUDE ? api.claude : api.gpt;
    const seen = upstream.requests.length;
    const stream = sdk.messages.stream({ model, max_tokens: 1000, messages: hello });
    stream.on("text", () => stream.abort());
    await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIUserAbortError);
    const request = await upstream.received(seen + 1);
    await request.ended;
    expect(request.aborted).toBe(true);
  });

  it.each([
    [400, Anthropic.BadRequestError, "invalid_request_error"],
    [404, Anthropic.NotFoundError, "not_found_error"],
    [429, Anthropic.RateLimitError, "rate_limit_error"],
    [529, Anthropic.InternalServerError, "overloaded_error"],
  ])("gets the vendor's error %i", async (status, errorClass, type) => {
    const { play: playTurns } = model === CLAUDE ? api.claude : api.gpt;
    playTurns(errorTurn(status, { message: "no", retryAfter: 7 }));
    const thrown = await ask(model).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(errorClass);
    const { status: got, error } = thrown as InstanceType<typeof Anthropic.APIError>;
    expect(got).toBe(status);
    expect(error).toMatchObject({ type: "error", error: { type }, request_id: expect.any(String) });
  });

  it("is told in Anthropic's words that the conversation is too long", async () => {
    const { play: playTurns } = model === CLAUDE ? api.claude : api.gpt;
    playTurns(errorTurn(400, { message: "prompt is too long: 250000 tokens > 200000 maximum" }));
    await expect(ask(model)).rejects.toThrow(/prompt is too long: \d+ tokens > \d+ maximum/);
  });

  it("counts tokens", async () => {
    const count = async (content: string) =>
      sdk.messages.countTokens({
        model,
        system: "s",
        tools: [WEATHER],
        messages: [{ role: "user", content }],
      });
    const short = await count("Hi");
    const long = await count("A longer question. ".repeat(100));
    expect(short.input_tokens).toBeGreaterThan(10);
    expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 300);
  });
});
