import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ImagePart } from "../../protocol/messages.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { type Dialect, defineProvider } from "../../protocol/provider.ts";
import type { ModelQuirks } from "../../protocol/quirks.ts";
import { startUpstream } from "../../sim/testing/upstream.ts";
import { chatTurn, jsonTurn } from "../../sim/turns.ts";
import type { Upstream } from "../../sim/upstream.ts";
import { createTransport } from "../transport.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { createModel } from "./exchange.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiImages } from "./openai-images.ts";
import { openaiResponses } from "./openai-responses.ts";
import { summarize, testContext } from "./testing/replay.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");
const JPEG = base64("\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0\x00\x11\x08\x23\x28\x00\x10\x03");
const image = (part: Partial<ImagePart>): ImagePart => ({ type: "image", mimeType: "image/png", ...part });

/** Returns what a vendor would see of images, as one line of text. */
function sent(dialect: Dialect, images: ImagePart[], quirks: ModelQuirks = {}): string {
  const messages = [{ id: "u", role: "user" as const, parts: images }];
  const context = testContext({ label: "Acme", quirks: { ...quirks } });
  return JSON.stringify(dialect.encode({ messages, tools: [] }, context).body);
}

describe("images", () => {
  test("get the type that their bytes have, whatever was declared", () => {
    const wrong = image({ mimeType: "image/jpeg", data: PNG });
    expect(sent(anthropicMessages, [wrong])).toContain('"media_type":"image/png"');
    expect(sent(gemini, [wrong])).toContain('"mimeType":"image/png"');
    expect(sent(openaiChat, [wrong])).toContain("data:image/png;base64,");
    expect(sent(openaiResponses, [wrong])).toContain("data:image/png;base64,");
  });

  test.each<[string, Dialect, ImagePart, ModelQuirks?]>([
    ["image/bmp, ", anthropicMessages, image({ data: base64(`BM${"x".repeat(150_000)}`) })],
    [
      "image/gif cannot be shown here: Acme does not take this type",
      gemini,
      image({ data: base64("GIF89a....") }),
    ],
    [
      "image/svg+xml",
      openaiChat,
      image({ mimeType: "image/svg+xml", url: "data:image/svg+xml,%3Csvg%3E%3C/svg%3E" }),
    ],
    ["image/svg+xml", openaiResponses, image({ data: base64("<svg></svg>") })],
    ["image/avif", openaiChat, image({ data: base64("\0\0\0\x1cftypavif....") })],
    ["too many pixels", anthropicMessages, image({ data: JPEG })],
    ["too large", anthropicMessages, image({ data: PNG.slice(0, -4) + "A".repeat(5 * 1024 * 1024) })],
    [
      "that address",
      openaiChat,
      image({ url: "https://example.com/a.png" }),
      { images: { urls: undefined } },
    ],
    ["empty", openaiChat, image({ data: "" })],
  ])("are described as “%s” where the vendor does not take them", (note, dialect, part, quirks) => {
    const body = sent(dialect, [part], quirks);
    expect(body).toContain(note);
    expect(body).not.toMatch(/image_url"|inlineData|"type":"image"/);
  });

  test("in addresses, in odd base64 and by address reach every vendor in its own form", () => {
    const inUrl = image({ url: `data:image/png;base64,${PNG}` });
    const broken = image({ data: PNG.replace(/(.{20})/g, "$1\n").replace(/=+$/, "") });
    for (const dialect of [openaiChat, openaiResponses, anthropicMessages, gemini]) {
      expect(sent(dialect, [inUrl])).toContain(PNG);
      expect(sent(dialect, [broken])).toContain(PNG);
      expect(sent(dialect, [image({ url: "https://example.com/a.png" })])).toContain(
        "https://example.com/a.png",
      );
    }
  });

  test("by an address without encryption are described to Anthropic, which does not load them", () => {
    const part = image({ url: "http://example.com/a.png" });
    expect(sent(openaiChat, [part])).toContain("http://example.com/a.png");
    expect(sent(anthropicMessages, [part])).toContain("does not load images from that address");
  });

  test("beyond the most that a vendor takes are described, the oldest first", () => {
    const body = sent(openaiChat, [image({ data: JPEG }), image({ data: PNG })], { images: { maxCount: 1 } });
    expect(body).toContain(PNG);
    expect(body).not.toContain(JPEG);
    expect(body).toContain("image/jpeg cannot be shown here: Acme does not take more images at once");
  });
});

describe("against a vendor", () => {
  let upstream: Upstream;
  const transport = createTransport();
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  afterAll(async () => {
    await transport.close();
    await upstream.close();
  });

  async function ask(dialect: Dialect, request: Partial<ModelRequest>) {
    const provider = defineProvider({
      id: "acme",
      label: "Acme",
      baseUrl: upstream.url,
      baseUrlSetting: "ACME_BASE_URL",
      dialect: dialect.id,
      models: [],
      unknownModel: {},
      checked: "2026-11-15",
      quirks: {},
    });
    const model = createModel({ provider, modelInfo: { name: "m" }, dialect, transport });
    const parts = [{ type: "text" as const, text: "A cat" }];
    const events: ModelEvent[] = [];
    const full = { messages: [{ id: "u", role: "user" as const, parts }], tools: [], ...request };
    await model.stream(full, (event) => events.push(event), AbortSignal.timeout(20_000));
    return summarize(events);
  }

  test("an image that is refused is left out of a second request", async () => {
    const before = upstream.requests.length;
    upstream.play(jsonTurn({ error: { message: "Could not process image" } }, 400));
    upstream.play(chatTurn({ text: "I cannot see it." }));
    const parts = [image({ data: PNG })];
    const { text } = await ask(openaiChat, { messages: [{ id: "u", role: "user", parts }] });
    expect(text).toBe("I cannot see it.");
    const [first, second] = upstream.requests.slice(before).map(({ body }) => JSON.stringify(body));
    expect(first).toContain(PNG);
    expect(second).toContain("cannot be shown here: Acme refused it");
  });

  test.each([
    ["garbled", jsonTurn({ data: [{ b64_json: 7 }] })],
    ["cut off", { frames: [], contentType: "application/json", faults: { beforeHeaders: "reset" as const } }],
    ["lost by a proxy", { ...jsonTurn({}, 502), contentType: "text/html" }],
  ])("an image whose answer is %s is not requested again, and the person is told why", async (_, turn) => {
    upstream.play(turn);
    const { failure } = await ask(openaiImages, { imageOutput: true });
    expect(failure).toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
      details: { answerLost: true },
    });
    expect(failure?.publicMessage).toContain(
      "may have been made and charged for, so it was not requested again",
    );
    expect(failure?.publicMessage).not.toContain("Trying again");
  });

  test("an image that the vendor was too busy for is requested again", async () => {
    upstream.play(jsonTurn({ error: { message: "Slow down", type: "requests" } }, 429));
    expect((await ask(openaiImages, { imageOutput: true })).failure?.retryable).toBe(true);
  });
});
