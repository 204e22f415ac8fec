import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { chatTurn, type ScriptedAnswer } from "../src/sim/turns.ts";
import { type AnthropicServer, CLAUDE, GPT, openAnthropicServer } from "./support/anthropic.ts";

let api: AnthropicServer;
beforeAll(async () => {
  api = await openAnthropicServer("off");
});
afterAll(() => api?.close());

const input = z.object({ city: z.string() });
const rome = [{ name: "weather", arguments: { city: "Rome" } }];

function play(model: string, ...answers: ScriptedAnswer[]): void {
  if (model === CLAUDE) api.claude.play(...answers.map((answer) => anthropicTurn(answer)));
  else api.gpt.play(...answers.map((answer) => chatTurn(answer)));
}

const lastMessages = (model: string) =>
  JSON.stringify((model === CLAUDE ? api.claude : api.gpt).lastBody().messages);

describe.each([CLAUDE, GPT])("the AI SDK's provider for Anthropic with %s", (model) => {
  const anthropic = () => createAnthropic({ baseURL: `${api.server.url}/v1`, apiKey: "anything" })(model);
  const weather = tool({
    description: "The weather of a city.",
    inputSchema: input,
    execute: async ({ city }) => `sun <in> ${city}`,
  });

  it("generates text with tools", async () => {
    play(model, { reasoning: "Hm.", text: "A moment.", calls: rome }, { text: "Sunny." });
    const result = await generateText({
      model: anthropic(),
      system: "Be brief.",
      prompt: "weather?",
      tools: { weather },
      stopWhen: stepCountIs(3),
      providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
    });
    expect(result.text).toBe("Sunny.");
    expect(result.steps[0]?.reasoningText).toBe("Hm.");
    expect(result.steps[0]?.toolResults.map(({ output }) => output)).toEqual(["sun <in> Rome"]);
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    expect(lastMessages(model)).toContain("sun <in> Rome");
  });

  it("streams text with tools", async () => {
    play(model, { text: "A moment.", calls: rome }, { text: "Sunny today.", chunkSize: 3 });
    const result = streamText({
      model: anthropic(),
      prompt: "weather?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    let text = "";
    for await (const part of result.fullStream) {
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") text += part.text;
    }
    expect(text).toBe("A moment.Sunny today.");
    expect(await result.finishReason).toBe("stop");
  });

  it("gets structured output", async () => {
    play(model, { text: '{"city":"Rome"}' });
    const result = await generateText({
      model: anthropic(),
      prompt: "which city?",
      output: Output.object({ schema: input }),
    });
    expect(result.output).toEqual({ city: "Rome" });
  });
});

describe.each([CLAUDE, GPT])("LangChain's class for Anthropic with %s", (model) => {
  const langchain = (streaming: boolean) =>
    new ChatAnthropic({
      model,
      maxTokens: 1000,
      anthropicApiUrl: api.server.url,
      apiKey: "anything",
      streaming,
      maxRetries: 0,
    });
  const weather = langchainTool(async ({ city }) => `sun <in> ${city}`, {
    name: "weather",
    description: "The weather of a city.",
    schema: input,
  });

  it.each([false, true])("calls tools and goes on from their results, streaming: %s", async (streaming) => {
    play(model, { text: "A moment.", calls: rome });
    const bound = langchain(streaming).bindTools([weather]);
    const asked = new HumanMessage("weather?");
    const first = await bound.invoke([asked]);
    const [call] = first.tool_calls ?? [];
    expect(call).toMatchObject({ name: "weather", args: { city: "Rome" } });
    play(model, { text: "Sunny." });
    const result = new ToolMessage({ tool_call_id: call?.id ?? "", content: "sun <in> Rome" });
    const second = await bound.invoke([asked, first, result]);
    expect(second.text).toBe("Sunny.");
    expect(lastMessages(model)).toContain("sun <in> Rome");
  });

  it("streams text", async () => {
    play(model, { text: "one two three", chunkSize: 3 });
    let text = "";
    for await (const chunk of await langchain(true).stream("Hi")) text += chunk.text;
    expect(text).toBe("one two three");
  });
});
