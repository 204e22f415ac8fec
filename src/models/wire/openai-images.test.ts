import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Message, Part } from "../../protocol/messages.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import type { Provider } from "../../protocol/provider.ts";
import { geminiTurn } from "../../sim/testing/gemini-turn.ts";
import { startUpstream } from "../../sim/testing/upstream.ts";
import type { Turn } from "../../sim/turn.ts";
import { errorTurn, jsonTurn } from "../../sim/turns.ts";
import type { Upstream } from "../../sim/upstream.ts";
import gemini from "../providers/gemini.ts";
import openai from "../providers/openai.ts";
import openrouter from "../providers/openrouter.ts";
import { createTransport } from "../transport.ts";
import { DIALECTS } from "./dialects.ts";
import { createModel } from "./exchange.ts";
import { type Replayed, sseOf, summarize } from "./testing/replay.ts";

const BYTES = Buffer.from("the bytes of an image").toString("base64");
const transport = createTransport();
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.requests.splice(0));
afterAll(async () => {
  await transport.close();
  await upstream.close();
});

const user = (...parts: Part[]): Message => ({ id: "u", role: "user", parts });
const said = (text: string): Part => ({ type: "text", text });

async function ask(
  provider: Provider,
  name: string,
  messages: Message[],
  ...turns: Turn[]
): Promise<Replayed> {
  upstream.play(...turns);
  const id = typeof provider.dialect === "string" ? provider.dialect : provider.dialect(name);
  const dialect = DIALECTS[id];
  if (!dialect) throw new Error(`no dialect ${id}`);
  const modelInfo = provider.models.find((model) => model.name === name) ?? {
    ...provider.unknownModel,
    name,
  };
  const model = createModel({ provider, modelInfo, dialect, baseUrl: upstream.url, key: "k", transport });
  const events: ModelEvent[] = [];
  const request: ModelRequest = { system: "Be kind.", messages, tools: [], imageOutput: true };
  await model.stream(request, (event) => events.push(event), AbortSignal.timeout(10_000));
  return summarize(events);
}

test("generates an image from the last user message, with its cost", async () => {
  const answer = jsonTurn({
    created: 1,
    data: [{ b64_json: BYTES }],
    output_format: "webp",
    usage: {
      input_tokens: 20,
      output_tokens: 1000,
      total_tokens: 1020,
      input_tokens_details: { text_tokens: 20, image_tokens: 0 },
    },
  });
  const history = [user(said("A blue circle")), user(said("A red square"))];
  const { parts, finish, usage } = await ask(openai, "gpt-image-2", history, answer);
  expect(finish?.reason).toBe("stop");
  expect(parts).toEqual([{ type: "image", mimeType: "image/webp", data: BYTES }]);
  expect(usage).toEqual({ inputTokens: 20, outputTokens: 1000, costUsd: (20 * 5 + 1000 * 30) / 1e6 });
  expect(upstream.requests[0]).toMatchObject({
    path: "/images/generations",
    body: { model: "gpt-image-2", prompt: "A red square" },
    headers: { "content-type": "application/json", authorization: "Bearer k" },
  });
});

test("sends attached images in a form to be edited", async () => {
  const message = user(
    said("Make it green"),
    { type: "image", mimeType: "image/jpeg", data: BYTES },
    { type: "image", mimeType: "image/png", url: "https://x.test/only-an-address.png" },
  );
  const answer = jsonTurn({ data: [{ url: "https://x.test/made.jpg" }] });
  const { parts } = await ask(openai, "gpt-image-2", [message], answer);
  expect(parts).toEqual([{ type: "image", mimeType: "image/jpeg", url: "https://x.test/made.jpg" }]);
  const [request] = upstream.requests;
  expect(request?.path).toBe("/images/edits");
  expect(request?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
  const form = await new Response(String(request?.body), {
    headers: { "content-type": request?.headers["content-type"] ?? "" },
  }).formData();
  expect(form.get("prompt")).toBe("Make it green");
  expect(form.get("model")).toBe("gpt-image-2");
  const files = form.getAll("image[]") as File[];
  expect(files.map(({ name, type }) => [name, type])).toEqual([["image-1.jpg", "image/jpeg"]]);
  expect(await files[0]?.text()).toBe("the bytes of an image");
});

test("leaves out images of types that cannot be edited, and cuts long prompts", async () => {
  const animation = { type: "image" as const, mimeType: "image/gif", data: btoa("GIF89a and more") };
  const answer = jsonTurn({ data: [{ b64_json: BYTES }] });
  await ask(openai, "gpt-image-2", [user(said("Draw. ".repeat(8_000)), animation)], answer);
  const [request] = upstream.requests;
  expect(request?.path).toBe("/images/generations");
  expect(request?.body).toMatchObject({ prompt: expect.stringMatching(/^.{32000}$/) });
});

test("keeps a streamed image only when it is complete", async () => {
  const draft = { type: "image_generation.partial_image", b64_json: "ZHJhZnQ=", partial_image_index: 0 };
  const whole = { type: "image_generation.completed", b64_json: BYTES, output_format: "png" };
  const history = [user(said("A red square"))];
  const { parts } = await ask(openai, "gpt-image-2", history, { frames: [sseOf([draft, whole], "")] });
  expect(parts).toEqual([{ type: "image", mimeType: "image/png", data: BYTES }]);
  const cut = await ask(openai, "gpt-image-2", history, { frames: [sseOf([draft], "")] });
  // The vendor charges for it all the same.
  expect(cut.failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
});

test("explains what to do after a refusal, an error with status 200, an empty answer and a missing prompt", async () => {
  const history = [user(said("Something forbidden"))];
  const blocked = errorTurn(400, { code: "moderation_blocked", message: "Rejected by the safety system." });
  const refused = await ask(openai, "gpt-image-2", history, blocked);
  expect(refused.failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
  expect(refused.failure?.publicMessage).toContain("Rephrasing");
  const wrong = jsonTurn({ error: { message: "Overloaded", type: "server_error" } });
  expect((await ask(openai, "gpt-image-2", history, wrong)).failure?.retryable).toBe(true);
  const empty = await ask(openai, "gpt-image-2", history, jsonTurn({ data: [] }));
  expect(empty.failure?.publicMessage).toContain("empty answer");
  expect((await ask(openai, "gpt-image-2", [user()])).failure).toMatchObject({ code: "INVALID_INPUT" });
});

test("asks OpenRouter for both modalities, and reads images as data, URLs or parts", async () => {
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  const delta = (fields: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: fields, finish_reason }],
  });
  const frames = [
    sseOf([
      delta({ content: "Here: ", images: [image(`data:image/png;base64,${BYTES}`)] }),
      delta({ images: [image("https://x.test/a.webp")] }),
      delta({ content: [image("https://x.test/b.png")] }, "stop"),
    ]),
  ];
  const name = "google/gemini-2.5-flash-image";
  const { parts } = await ask(openrouter, name, [user(said("Two squares"))], { frames });
  expect(upstream.requests[0]?.body).toMatchObject({ modalities: ["image", "text"] });
  expect(parts).toEqual([
    { type: "text", text: "Here: " },
    { type: "image", mimeType: "image/png", data: BYTES },
    { type: "image", mimeType: "image/webp", url: "https://x.test/a.webp" },
    { type: "image", mimeType: "image/png", url: "https://x.test/b.png" },
  ]);
});

test("asks Gemini for images, and reads them inline or by URL", async () => {
  const inline = geminiTurn({ text: "Here", images: [{ mimeType: "image/jpeg", data: BYTES }] });
  const file = { fileData: { mimeType: "image/png", fileUri: "https://x.test/files/1" } };
  const linked = jsonTurn({ candidates: [{ content: { parts: [file] }, finishReason: "STOP" }] });
  const history = [user(said("A square"))];
  const first = await ask(gemini, "gemini-2.5-flash-image", history, inline);
  expect(upstream.requests[0]?.body).toMatchObject({
    generationConfig: { responseModalities: ["TEXT", "IMAGE"] },
  });
  expect(first.parts).toEqual([
    { type: "text", text: "Here" },
    { type: "image", mimeType: "image/jpeg", data: BYTES },
  ]);
  const second = await ask(gemini, "gemini-2.5-flash-image", history, linked);
  expect(second.parts).toEqual([{ type: "image", mimeType: "image/png", url: "https://x.test/files/1" }]);
});
