import Anthropic from "@anthropic-ai/sdk";
import { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer({ TACKLE_IMAGE_MODEL: "demo/demo" });
});
afterAll(() => api?.close());

const model = "gpt-4o";
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const isPng = (base64 = "") => Buffer.from(base64, "base64").subarray(0, 8).equals(PNG.subarray(0, 8));

describe("POST /v1/images/generations", () => {
  it("makes an image as base64, and as a URL that anybody can open", async () => {
    const made = await api.openai.images.generate({
      model: "gpt-image-2",
      prompt: "a heron",
      size: "1536x1024",
    });
    expect(made.created).toBeGreaterThan(0);
    const [image] = made.data ?? [];
    expect(isPng(image?.b64_json)).toBe(true);
    const fetched = await fetch(image?.url ?? "");
    expect(fetched.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await fetched.arrayBuffer()).toString("base64")).toBe(image?.b64_json);
  });

  it("makes several, in the format that is asked for", async () => {
    const urls = await api.openai.images.generate({ prompt: "a heron", n: 2, response_format: "url" });
    expect(urls.data).toHaveLength(2);
    expect(urls.data?.every(({ url, b64_json }) => url?.startsWith(api.server.url) && !b64_json)).toBe(true);
    const bytes = await api.openai.images.generate({ prompt: "a heron", response_format: "b64_json" });
    expect(bytes.data?.every(({ url, b64_json }) => !url && isPng(b64_json))).toBe(true);
  });

  it("streams the finished image", async () => {
    const stream = await api.openai.images.generate({ prompt: "a heron", stream: true, partial_images: 2 });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(["image_generation.completed"]);
    expect(isPng(events[0]?.b64_json)).toBe(true);
  });

  it.each<[string, object, string]>([
    ["no prompt", { prompt: "" }, "prompt"],
    ["a prompt that is too long", { prompt: "x".repeat(2_001) }, "prompt"],
    ["too many images", { prompt: "a", n: 11 }, "n"],
    ["a size that is none", { prompt: "a", size: "big" }, "size"],
  ])("refuses %s", async (_, body, param) => {
    const asked = api.openai.images.generate(body as { prompt: string });
    await expect(asked).rejects.toMatchObject({ status: 400, param });
  });
});

describe("POST /v1/images/edits", () => {
  it("changes an image from a form, and does not keep it", async () => {
    const before = (await api.openai.files.list()).data.length;
    const image = await toFile(PNG, "dot.png", { type: "image/png" });
    const made = await api.openai.images.edit({
      image,
      prompt: "make it blue",
      n: 1,
      response_format: "b64_json",
    });
    expect(isPng(made.data?.[0]?.b64_json)).toBe(true);
    // Only the new image was added.
    expect((await api.openai.files.list()).data.length).toBe(before + 1);
  });

  it("refuses masks, several images and forms without one", async () => {
    const image = await toFile(PNG, "dot.png", { type: "image/png" });
    const mask = api.openai.images.edit({ image, mask: image, prompt: "x" });
    await expect(mask).rejects.toMatchObject({ status: 400, param: "mask", code: "unsupported_parameter" });
    const several = api.openai.images.edit({ image: [image, image], prompt: "x" });
    await expect(several).rejects.toMatchObject({ status: 400 });
    const form = new FormData();
    form.set("prompt", "x");
    const none = await fetch(`${api.server.url}/v1/images/edits`, { method: "POST", body: form });
    expect(none.status).toBe(400);
    expect(await none.json()).toMatchObject({ error: { param: "image" } });
  });
});

describe("/v1/files", () => {
  it("stores, lists, returns and deletes files of OpenAI's client", async () => {
    const file = await api.openai.files.create({
      file: await toFile(Buffer.from("a note"), "note.txt"),
      purpose: "assistants",
    });
    expect(file).toMatchObject({
      object: "file",
      bytes: 6,
      filename: "note.txt",
      purpose: "assistants",
      status: "processed",
      // Mistral's client requires these.
      sample_type: "ocr_input",
      source: "upload",
      deleted: false,
    });
    expect((await api.openai.files.list()).data.map(({ id }) => id)).toContain(file.id);
    expect(await api.openai.files.retrieve(file.id)).toMatchObject({ id: file.id, filename: "note.txt" });
    expect(await (await api.openai.files.content(file.id)).text()).toBe("a note");
    expect(await api.openai.files.delete(file.id)).toEqual({ id: file.id, object: "file", deleted: true });
    await expect(api.openai.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
  });

  it("pages through files", async () => {
    const ids: string[] = [];
    for (const text of ["one", "two", "three"]) {
      const file = await toFile(Buffer.from(text), `${text}.txt`);
      ids.push((await api.openai.files.create({ file, purpose: "user_data" })).id);
    }
    const found: string[] = [];
    for await (const { id } of api.openai.files.list({ limit: 2 })) found.push(id);
    expect(found.slice(0, 3)).toEqual(ids.toReversed());
    const first = await api.openai.files.list({ limit: 1, order: "asc" });
    expect(first.has_more).toBe(true);
  });

  it("lets messages of all dialects name a file", async () => {
    const text = await toFile(Buffer.from("The key is under the mat."), "secret-note.txt");
    const { id } = await api.openai.files.create({ file: text, purpose: "user_data" });
    const picture = await toFile(PNG, "dot.png", { type: "image/png" });
    const image = await api.openai.files.create({ file: picture, purpose: "vision" });

    api.play(chatTurn({ text: "Under the mat." }));
    await api.openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: [{ type: "file", file: { file_id: id } }] }],
    });
    expect(JSON.stringify(api.lastRequest())).toContain("The key is under the mat.");
    expect(JSON.stringify(api.lastRequest())).toContain("secret-note.txt");

    api.play(responsesTurn({ text: "Under the mat." }));
    await api.openai.responses.create({
      model: "openai/gpt-5.5",
      input: [
        {
          role: "user",
          content: [
            { type: "input_file", file_id: id },
            { type: "input_image", file_id: image.id, detail: "auto" },
          ],
        },
      ],
    });
    expect(JSON.stringify(api.lastRequest())).toContain("The key is under the mat.");
    expect(JSON.stringify(api.lastRequest())).toContain("data:image/png;base64,iVBOR");

    api.play(chatTurn({ text: "Under the mat." }));
    const anthropic = new Anthropic({ baseURL: api.server.url, apiKey: "anything", maxRetries: 0 });
    await anthropic.beta.messages.create({
      model,
      max_tokens: 100,
      messages: [{ role: "user", content: [{ type: "document", source: { type: "file", file_id: id } }] }],
    });
    expect(JSON.stringify(api.lastRequest())).toContain("The key is under the mat.");
  });

  it("says so if a message names a file that is not there", async () => {
    const file_id = `file_${"x".repeat(22)}`;
    const asked = api.openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: [{ type: "file", file: { file_id } }] }],
    });
    await expect(asked).rejects.toMatchObject({ status: 404 });
  });

  it("speaks with Anthropic's client in its own format", async () => {
    const anthropic = new Anthropic({ baseURL: api.server.url, apiKey: "anything", maxRetries: 0 });
    const file = await anthropic.beta.files.upload({ file: await toFile(Buffer.from("a note"), "note.txt") });
    expect(file).toMatchObject({ type: "file", filename: "note.txt", size_bytes: 6 });
    expect((await anthropic.beta.files.list()).data.map(({ id }) => id)).toContain(file.id);
    expect(await (await anthropic.beta.files.download(file.id)).text()).toBe("a note");
    expect(await anthropic.beta.files.delete(file.id)).toMatchObject({ type: "file_deleted" });
    const gone = anthropic.beta.files.retrieveMetadata(file.id);
    await expect(gone).rejects.toMatchObject({ status: 404, error: { type: "error" } });
  });
});

describe("routes of OpenAI's that are not there", () => {
  it.each(["/v1/audio/speech", "/v1/audio/transcriptions", "/v1/moderations", "/v1/images/variations"])(
    "%s is not found, in OpenAI's format",
    async (path) => {
      const answer = await fetch(api.server.url + path, { method: "POST", body: "{}" });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({
        error: { message: expect.stringContaining(path), type: "invalid_request_error", code: "unknown_url" },
      });
    },
  );
});
