import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../src/sim/testing/gemini-turn.ts";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import type { Vendor } from "../src/sim/testing/rules/find-problems.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn, type ScriptedAnswer } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

type Answering = (answer: ScriptedAnswer) => Turn;

/** Every vendor with a model, and how its answers look. */
const VENDORS: readonly [model: string, basePath: string, answer: Answering][] = [
  ["openai/gpt-5.5", "/v1", responsesTurn],
  ["openai/gpt-4.1", "/v1", chatTurn],
  ["anthropic/claude-sonnet-5-5", "", anthropicTurn],
  ["anthropic/claude-haiku-4-5", "", anthropicTurn],
  ["gemini/gemini-2.5-flash", "", geminiTurn],
  ["gemini/gemini-3.5-flash", "", geminiTurn],
  ["mistral/mistral-large-latest", "/v1", chatTurn],
  ["xai/grok-4.5", "/v1", chatTurn],
  ["groq/openai/gpt-oss-120b", "/openai/v1", chatTurn],
  ["deepseek/deepseek-flash", "/v1", chatTurn],
  ["zai/glm-5.3", "/api/paas/v4", chatTurn],
  ["openrouter/openai/gpt-5.1", "/api/v1", chatTurn],
];
const vendorOf = (model: string) => model.slice(0, model.indexOf("/")) as Vendor;

const Place = z.object({ city: z.string(), inhabitants: z.number().int().min(1) });
const OSLO = { city: "Oslo", inhabitants: 717_710 };
const RIGHT = JSON.stringify(OSLO);
const messages = [{ role: "user" as const, content: "Where was it?" }];
const tools: OpenAI.ChatCompletionTool[] = [
  { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } },
];

describe("an answer in a format", () => {
  const folder = temporaryFolder();
  const upstreams = new Map<Vendor, Upstream>();
  let server: ServerProcess;
  let openai: OpenAI;

  beforeAll(async () => {
    const settings: Record<string, string> = {};
    for (const [model, basePath] of VENDORS) {
      const vendor = vendorOf(model);
      if (upstreams.has(vendor)) continue;
      const upstream = await startUpstream({ rules: vendor });
      upstreams.set(vendor, upstream);
      settings[`${vendor.toUpperCase()}_API_KEY`] = "test-key";
      settings[`${vendor.toUpperCase()}_BASE_URL`] = upstream.url + basePath;
    }
    server = await startServer(folder.path, settings);
    openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "anything", maxRetries: 0 });
  });
  afterAll(async () => {
    await server.stop();
    for (const upstream of upstreams.values()) await upstream.close();
    folder.remove();
  });

  /** Has the vendor of a model give these answers, and nothing to requests for its list of models. */
  function script(model: string, answers: ScriptedAnswer[], answer: Answering) {
    const upstream = upstreams.get(vendorOf(model));
    if (!upstream) throw new Error(model);
    const queue = [...answers];
    upstream.requests.length = 0;
    upstream.respond(({ method, body }) => {
      const next = method === "POST" ? queue.shift() : undefined;
      const whole = (body as { stream?: boolean } | undefined)?.stream === false;
      return next ? answer({ ...next, whole }) : errorTurn(500);
    });
    return () => upstream.requests.filter(({ method }) => method === "POST");
  }

  describe.each(VENDORS)("of %s", (model, _, answer) => {
    const chat = { model, messages, response_format: zodResponseFormat(Place, "place") };

    it("is parsed from chat completions and responses", async () => {
      const asked = script(model, [{ text: RIGHT }, { text: RIGHT }], answer);
      const completion = await openai.chat.completions.parse(chat);
      expect(completion.choices[0]?.message.parsed).toEqual(OSLO);
      const response = await openai.responses.parse({
        model,
        input: "Where was it?",
        text: { format: zodTextFormat(Place, "place") },
      });
      expect(response.output_parsed).toEqual(OSLO);
      expect(asked()).toHaveLength(2);
      expect(asked()[0]?.text).toContain("inhabitants");
    });

    it("is parsed after a tool was called", async () => {
      const asked = script(
        model,
        [{ calls: [{ name: "get_time", arguments: { timeZone: "UTC" } }] }, { text: RIGHT }],
        answer,
      );
      const withTools = { ...chat, tools: ["get_time"] as unknown as OpenAI.ChatCompletionTool[] };
      const completion = await openai.chat.completions.create(withTools);
      expect(completion.choices[0]?.message.content).toBe(RIGHT);
      expect(asked()).toHaveLength(2);
      expect(asked()[1]?.text).toContain("inhabitants");
    });

    it("streams, and is complete", async () => {
      script(model, [{ text: RIGHT, chunkSize: 4 }], answer);
      const stream = openai.chat.completions.stream(chat);
      expect((await stream.finalChatCompletion()).choices[0]?.message.parsed).toEqual(OSLO);
    });

    it("may be any JSON object", async () => {
      script(model, [{ text: '{"any":1}' }], answer);
      const completion = await openai.chat.completions.create({
        ...chat,
        response_format: { type: "json_object" },
      });
      expect(completion.choices[0]?.message.content).toBe('{"any":1}');
    });
  });

  describe("that no vendor guarantees", () => {
    const model = "deepseek/deepseek-flash";
    const chat = { model, messages, response_format: zodResponseFormat(Place, "place") };
    beforeEach(() => script(model, [], chatTurn));

    it("is asked for once more with what is wrong, and nothing wrong is shown", async () => {
      const asked = script(
        model,
        [{ text: 'Sure! {"city":"Oslo"}' }, { text: `\`\`\`json\n${RIGHT}\n\`\`\`` }],
        chatTurn,
      );
      let shown = "";
      const stream = openai.chat.completions.stream({ ...chat, tools });
      stream.on("content.delta", ({ delta }) => {
        shown += delta;
      });
      expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe(RIGHT);
      expect(shown).toBe(RIGHT);
      expect(asked()[1]?.text).toContain("inhabitants: ");
    });

    it("is an error in OpenAI's form if it is wrong twice", async () => {
      script(model, [{ text: "In Oslo." }, { text: "Oslo." }], chatTurn);
      await expect(openai.chat.completions.parse(chat)).rejects.toMatchObject({
        status: 502,
        type: "server_error",
        message: expect.stringContaining("It is not JSON."),
      });
      script(model, [{ text: "In Oslo." }, { text: "Oslo." }], chatTurn);
      const stream = openai.chat.completions.stream(chat);
      await expect(stream.finalChatCompletion()).rejects.toThrow("It is not JSON.");
    });

    it("passes as it is where it was cut off", async () => {
      script(model, [{ text: '{"city":' }], (answer) => chatTurn({ ...answer, finishReason: "length" }));
      const { choices } = await openai.chat.completions.create(chat);
      expect(choices[0]).toMatchObject({ finish_reason: "length", message: { content: '{"city":' } });
    });
  });
});
