import type OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const PAGE = "https://example.com/heron.png";

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const chatPart = (url: string, detail?: "auto" | "low" | "high") => ({
  type: "image_url" as const,
  image_url: { url, ...(detail && { detail }) },
});
const part = (image_url: string, detail: "auto" | "low" | "high") => ({
  type: "input_image" as const,
  image_url,
  detail,
});

it("a vendor of Chat Completions gets the detail that a client asks for, and none otherwise", async () => {
  const parts = [chatPart(PIXEL, "low"), chatPart(PAGE, "high"), chatPart(PAGE, "auto"), chatPart(PAGE)];
  api.play(chatTurn({ text: "A heron." }), chatTurn({ text: "A heron." }));
  await api.openai.chat.completions.create({
    model: "gpt-4o",
    messages: [{ role: "user", content: parts }],
  });
  expect(api.lastMessages()[0]?.content).toEqual([...parts.slice(0, 2), chatPart(PAGE), chatPart(PAGE)]);
  const content = [part(PIXEL, "high"), part(PAGE, "auto")];
  await api.openai.responses.create({ model: "gpt-4o", input: [{ role: "user", content }] });
  expect(api.lastMessages()[0]?.content).toEqual([chatPart(PIXEL, "high"), chatPart(PAGE)]);
});

it("so does a vendor of Responses, also for images in results", async () => {
  const model = "gpt-5.5";
  const answers = () => responsesTurn({ text: "A heron." });
  api.play(answers(), answers());
  await api.openai.chat.completions.create({
    model,
    messages: [{ role: "user", content: [chatPart(PIXEL, "low"), chatPart(PAGE)] }],
  });
  expect(api.lastRequest().input).toMatchObject([{ content: [part(PIXEL, "low"), part(PAGE, "auto")] }]);
  const output = [part(PIXEL, "low"), { ...part(PIXEL, "high"), detail: "original" }];
  const input = [
    { role: "user", content: "Look" },
    { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output },
  ] as OpenAI.Responses.ResponseInput;
  await api.openai.responses.create({ model, input });
  expect(api.lastRequest().input).toMatchObject([{}, {}, { output }]);
});
