import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const asksForWeather = () =>
  chatTurn({ text: "A moment. ", calls: [{ name: "weather", arguments: { city: "Rome" } }] });
const asksForBoth = () =>
  chatTurn({
    calls: [
      { name: "get_time", arguments: { timeZone: "UTC" } },
      { name: "weather", arguments: { city: "Rome" } },
    ],
  });
const input = z.object({ city: z.string() });

describe("the AI SDK", () => {
  const sdk = (transformRequestBody?: (body: Record<string, unknown>) => Record<string, unknown>) =>
    createOpenAICompatible({
      name: "tackle",
      baseURL: `${api.server.url}/v1`,
      includeUsage: true,
      transformRequestBody,
    });
  const weather = tool({
    description: "w",
    inputSchema: input,
    execute: async ({ city }) => `sun in ${city}`,
  });

  it("generates text with client tools", async () => {
    api.play(asksForWeather(), chatTurn({ text: "Sunny.", reasoning: "Good." }));
    const result = await generateText({
      model: sdk()("gpt-4o"),
      prompt: "weather?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect(result.text).toBe("Sunny.");
    expect(result.reasoningText).toBe("Good.");
    expect(result.finishReason).toBe("stop");
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    expect(result.steps.map(({ toolResults }) => toolResults.map(({ output }) => output))).toEqual([
      ["sun in Rome"],
      [],
    ]);
    expect(resultsIn(api.lastMessages())).toEqual([["weather", "sun in Rome"]]);
  });

  it("streams text with client tools", async () => {
    api.play(asksForWeather(), chatTurn({ text: "Sunny today.", chunkSize: 3 }));
    const result = streamText({
      model: sdk()("gpt-4o"),
      prompt: "weather?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    const seen: string[] = [];
    for await (const part of result.fullStream) if (part.type.startsWith("tool-")) seen.push(part.type);
    expect(seen).toEqual([
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "tool-result",
    ]);
    expect(await result.text).toBe("Sunny today.");
    expect(resultsIn(api.lastMessages())).toEqual([["weather", "sun in Rome"]]);
  });

  it("runs its own tool that has the name of one of ours", async () => {
    api.play(
      chatTurn({ calls: [{ name: "get_time", arguments: { timeZone: "UTC" } }] }),
      chatTurn({ text: "Noon." }),
    );
    const get_time = tool({
      description: "t",
      inputSchema: z.object({ timeZone: z.string() }),
      execute: async () => "<h1>12 & past</h1>",
    });
    const model = sdk()("gpt-4o");
    const result = streamText({ model, prompt: "time?", tools: { get_time }, stopWhen: stepCountIs(3) });
    expect(await result.text).toBe("Noon.");
    expect(resultsIn(api.lastMessages())).toEqual([["get_time", "<h1>12 & past</h1>"]]);
  });

  it("continues after the server ran a tool unknown to the client next to the client's own", async () => {
    api.play(asksForBoth(), chatTurn({ text: "Sunny at noon." }));
    const named = (body: Record<string, unknown>) => ({
      ...body,
      tools: [...(body.tools as []), "get_time"],
    });
    const result = streamText({
      model: sdk(named)("gpt-4o"),
      prompt: "weather and time?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect(await result.text).toBe("Sunny at noon.");
    expect(resultsIn(api.lastMessages())).toEqual([
      ["get_time", expect.stringContaining("in UTC")],
      ["weather", "sun in Rome"],
    ]);
  });
});

describe("docs/compatible/chat-completions.md", () => {
  it("shows a program that works as written", async () => {
    const page = readFileSync(new URL("../docs/compatible/chat-completions.md", import.meta.url), "utf8");
    const program =
      /```js\n([\s\S]*?)```/.exec(page)?.[1]?.replace("http://127.0.0.1:8787", api.server.url) ?? "";
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
    expect(stdout).toContain("Tokyo");
    expect(stdout).toContain("tool_output");
  });
});

describe("programs that use functions, which came before tools", () => {
  const functions = [{ name: "weather", description: "w", parameters: { type: "object", properties: {} } }];
  const question = { role: "user", content: "weather?" } as const;
  const create = (more: object) =>
    api.openai.post<OpenAI.ChatCompletion>("/chat/completions", {
      body: { model: "gpt-4o", functions, function_call: "auto", ...more },
    });

  it("get a function call, and answer it without an id", async () => {
    api.play(asksForWeather());
    const [asked] = (await create({ messages: [question] })).choices;
    expect(asked).toMatchObject({
      finish_reason: "function_call",
      message: { function_call: { name: "weather", arguments: '{"city":"Rome"}' } },
    });
    expect(asked?.message).not.toHaveProperty("tool_calls");
    expect(api.lastRequest()).toMatchObject({ tools: [{ type: "function", function: { name: "weather" } }] });

    api.play(chatTurn({ text: "Sunny." }));
    const result = { role: "function", name: "weather", content: "<b>sun & wind</b>" };
    const answer = await create({ messages: [question, asked?.message, result] });
    expect(answer.choices[0]?.message.content).toBe("Sunny.");
    expect(resultsIn(api.lastMessages())).toEqual([["weather", "<b>sun & wind</b>"]]);
  });

  it("get it in a stream", async () => {
    api.play(asksForWeather());
    const stream = await api.openai.chat.completions.create({
      model: "gpt-4o",
      messages: [question],
      functions,
      function_call: { name: "weather" },
      stream: true,
    });
    const choices: unknown[] = [];
    for await (const chunk of stream) choices.push(...chunk.choices);
    const call = { function_call: { name: "weather", arguments: '{"city":"Rome"}' } };
    expect(choices).toContainEqual(expect.objectContaining({ delta: call }));
    expect(choices.at(-1)).toMatchObject({ finish_reason: "function_call" });
    expect(api.lastRequest().tool_choice).toEqual({ type: "function", function: { name: "weather" } });
  });
});

describe("LangChain", () => {
  const model = (defaultHeaders: Record<string, string> = {}) =>
    new ChatOpenAI({
      model: "gpt-4o",
      apiKey: "anything",
      maxRetries: 0,
      configuration: { baseURL: `${api.server.url}/v1`, defaultHeaders },
    });
  const weather = langchainTool(async ({ city }: { city: string }) => `sun in ${city}`, {
    name: "weather",
    description: "w",
    schema: input,
  });

  it("invokes and streams", async () => {
    api.play(chatTurn({ text: "Hello there." }), chatTurn({ text: "Hello again, friend.", chunkSize: 3 }));
    const whole = await model().invoke("Hi");
    expect(whole.content).toBe("Hello there.");
    expect(whole.usage_metadata?.input_tokens).toBe(10);
    let text = "";
    for await (const chunk of await model().stream("Hi")) text += chunk.content;
    expect(text).toBe("Hello again, friend.");
  });

  it("binds tools", async () => {
    api.play(asksForWeather());
    const bound = model().bindTools([weather]);
    const question = new HumanMessage("weather?");
    const asked = await bound.invoke([question]);
    expect(asked.tool_calls).toMatchObject([{ name: "weather", args: { city: "Rome" } }]);
    const [call] = asked.tool_calls ?? [];
    if (!call) throw new Error("no call");
    const result = (await weather.invoke({ ...call, type: "tool_call" })) as ToolMessage;
    api.play(chatTurn({ text: "Sunny." }));
    const answer = await bound.invoke([question, asked, result]);
    expect(answer.content).toBe("Sunny.");
    expect(resultsIn(api.lastMessages())).toEqual([["weather", "sun in Rome"]]);
  });

  it("continues after a stream in which the server ran a tool next to the client's own", async () => {
    api.play(asksForBoth());
    const bound = model({ "x-tackle-tools": "get_time" }).bindTools([weather]);
    const question = new HumanMessage("both?");
    const stream = await bound.stream([question]);
    let message: AIMessageChunk | undefined;
    for await (const chunk of stream) message = message?.concat(chunk) ?? chunk;
    if (!message) throw new Error("nothing was streamed");
    expect(message.tool_calls?.map(({ name }) => name)).toEqual(["get_time", "weather"]);
    const call = message.tool_calls?.[1];
    const result = new ToolMessage({ tool_call_id: call?.id ?? "", content: "sun" });
    api.play(chatTurn({ text: "Fine." }));
    const answer = await bound.invoke([question, message, result]);
    expect(answer.content).toBe("Fine.");
    expect(resultsIn(api.lastMessages())).toEqual([
      ["get_time", expect.stringContaining("UTC")],
      ["weather", "sun"],
    ]);
  });
});
