import OpenAI, { AzureOpenAI, toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, bearer, call, signUp, type TestAccount } from "./support/accounts.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
const model = "demo/demo";
let server: ServerProcess;
let ada: TestAccount;
beforeAll(async () => {
  server = await startServer(folder.path, { TACKLE_AUTH: "guest" });
  ada = await signUp(server, "ada");
});
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

const clientOf = (apiKey: string) =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0, fetch: globalThis.fetch });
async function newGuest(): Promise<string> {
  return (await call(server, "GET", "/tools")).headers.get("x-tackle-guest") ?? "";
}

describe("other people's files", () => {
  it("can be neither read, deleted nor named in a message", async () => {
    const own = clientOf(ada.token);
    const { id } = await own.files.create({
      file: await toFile(Buffer.from("private words"), "a.txt"),
      purpose: "user_data",
    });
    const guest = clientOf(await newGuest());
    const hidden = { status: expect.toBeOneOf([403, 404]) };
    await expect(guest.files.retrieve(id)).rejects.toMatchObject(hidden);
    await expect(guest.files.content(id)).rejects.toMatchObject(hidden);
    await expect(guest.files.delete(id)).rejects.toMatchObject(hidden);
    const content = [{ type: "file" as const, file: { file_id: id } }];
    const asked = guest.chat.completions.create({ model, messages: [{ role: "user", content }] });
    await expect(asked).rejects.toMatchObject(hidden);
    const edit = { prompt: "make it blue", images: [{ file_id: id }] };
    const edited = await call(server, "POST", "/v1/images/edits", bearer(await newGuest()), edit);
    expect(edited.status).toBeOneOf([403, 404]);
    expect((await guest.files.list()).data).toEqual([]);
    expect((await own.files.retrieve(id)).bytes).toBe(13);
  });
});

describe("limits of guests", () => {
  it("holds for the number of embeddings at once", async () => {
    const guest = clientOf(await newGuest());
    const input = Array.from({ length: 17 }, () => "a");
    const tooMany = guest.embeddings.create({ model, input });
    await expect(tooMany).rejects.toMatchObject({ status: 400, param: "input" });
    const some = await guest.embeddings.create({ model, input: input.slice(1) });
    expect(some.data).toHaveLength(16);
    const own = await clientOf(ada.token).embeddings.create({ model, input });
    expect(own.data).toHaveLength(17);
  });

  it("counts embeddings, completions and Ollama's routes as chat requests", async () => {
    const guest = bearer(await newGuest());
    const left = async (path: string, body: object) =>
      Number((await call(server, "POST", path, guest, body)).headers.get("x-ratelimit-remaining"));
    const before = await left("/v1/embeddings", { model, input: "a" });
    expect(await left("/v1/completions", { model, prompt: "a" })).toBe(before - 1);
    expect(await left("/api/generate", { model, prompt: "a", stream: false })).toBe(before - 2);
    expect(await left("/api/embed", { model, input: "a" })).toBe(before - 3);
  });

  it("lets a guest make two images", async () => {
    const guest = clientOf(await newGuest());
    const made = await guest.images.generate({ prompt: "a heron", n: 3, response_format: "url" });
    expect(made.data).toHaveLength(2);
    const more = guest.images.generate({ prompt: "a heron" });
    await expect(more).rejects.toMatchObject({ status: 429 });
  });
});

describe("scopes of API keys", () => {
  it("are needed for images and files", async () => {
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(ada.token), {
      name: "chat only",
      scopes: ["chat"],
    });
    const client = clientOf(key);
    await expect(client.images.generate({ prompt: "a" })).rejects.toMatchObject({ status: 403 });
    await expect(client.files.list()).rejects.toMatchObject({ status: 403 });
    expect((await client.embeddings.create({ model, input: "a" })).data).toHaveLength(1);
    expect((await call(server, "GET", "/api/tags", bearer(key))).status).toBe(200);
  });
});

describe("Azure's client", () => {
  const azure = (apiKey: string) =>
    new AzureOpenAI({
      endpoint: server.url,
      apiKey,
      apiVersion: "2024-10-21",
      deployment: model,
      maxRetries: 0,
    });

  it("shows its key in its own header", async () => {
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(ada.token), {
      name: "azure",
    });
    const wanted = { model: "another", input: "a" };
    expect((await azure(key).embeddings.create(wanted)).data).toHaveLength(1);
    await expect(azure("tk_wrong").embeddings.create(wanted)).rejects.toMatchObject({ status: 401 });
  });
});

describe("GET /v1/models/:id", () => {
  it("tells what a model can do in the fields of OpenRouter and Mistral too", async () => {
    expect(await ask(server, "GET", "/v1/models/demo", bearer(ada.token))).toMatchObject({
      name: "Demo model",
      context_length: 128_000,
      architecture: { input_modalities: ["text", "image", "file"], output_modalities: ["text"] },
      pricing: { prompt: "0", completion: "0" },
      supported_parameters: expect.arrayContaining(["max_tokens", "tools"]),
      type: "base",
      capabilities: { completion_chat: true, function_calling: true, vision: true, reasoning: false },
      max_context_length: 128_000,
      active: true,
      context_window: 128_000,
    });
  });

  it("finds models by ids with slashes and by bare names", async () => {
    const client = clientOf(ada.token);
    for (const id of [model, "demo"])
      expect(await client.models.retrieve(id)).toMatchObject({
        id: model,
        object: "model",
        owned_by: "demo",
      });
    await expect(client.models.retrieve("none/none")).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
    });
    const headers = { ...bearer(ada.token), "anthropic-version": "2023-06-01" };
    const shown = await ask(server, "GET", "/v1/models/demo%2Fdemo", headers);
    expect(shown).toMatchObject({ type: "model", id: model, display_name: expect.any(String) });
  });
});

describe("routes that only OpenAI has", () => {
  it("say what to use instead", async () => {
    const client = clientOf(ada.token);
    const refusals: [() => Promise<unknown>, RegExp][] = [
      [() => client.beta.threads.create(), /Use POST \/v1\/responses, with \/v1\/conversations/],
      [() => client.batches.list(), /Send each request separately/],
      [() => client.vectorStores.list(), /Use POST \/v1\/embeddings/],
      [() => client.realtime.clientSecrets.create({}), /"stream": true/],
      [() => client.post("/agents/completions"), /Use POST \/v1\/chat\/completions or POST \/v1\/responses/],
    ];
    for (const [refusal, message] of refusals)
      await expect(refusal()).rejects.toMatchObject({ status: 404, code: "unknown_url", message });
    const base = await call(server, "GET", "/v1", bearer(ada.token));
    expect(await base.json()).toMatchObject({ error: { code: "unknown_url" } });
  });
});
