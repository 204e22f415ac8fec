import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorTurn, jsonTurn } from "../src/sim/turns.ts";
import { startUpstream, type Upstream } from "../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;
let openai: OpenAI;
beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer(folder.path, {
    ...modelAt(upstream.url),
    GEMINI_API_KEY: "test-key",
    GEMINI_BASE_URL: upstream.url,
    MISTRAL_API_KEY: "test-key",
    MISTRAL_BASE_URL: `${upstream.url}/v1`,
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: upstream.url,
    OLLAMA_BASE_URL: upstream.url,
  });
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "anything", maxRetries: 0 });
});
afterAll(async () => {
  await server?.stop();
  await upstream?.close();
  folder.remove();
});

const VECTOR = [0.5, -0.25, 1];
const floats = (vector: number[]) => Buffer.from(new Float32Array(vector).buffer).toString("base64");
/** OpenAI's answer, out of order as vendors may send it. */
const answer = (...embeddings: unknown[]) =>
  jsonTurn({
    object: "list",
    data: embeddings.map((embedding, index) => ({ object: "embedding", index, embedding })).reverse(),
    model: "m",
    usage: { prompt_tokens: 1_000_000, total_tokens: 1_000_000 },
  });
const lastBody = () => upstream.requests.at(-1)?.body as Record<string, unknown>;

describe("POST /v1/embeddings", () => {
  it("passes texts on to OpenAI and returns base64, as the SDK asks by default", async () => {
    upstream.play(answer(floats(VECTOR), floats([1, 2, 3])));
    const made = await openai.embeddings.create({
      model: "text-embedding-3-small",
      input: ["a", "b"],
      dimensions: 3,
      user: "ada",
    });
    expect(made.data.map(({ embedding }) => embedding)).toEqual([VECTOR, [1, 2, 3]]);
    expect(made).toMatchObject({
      object: "list",
      model: "openai/text-embedding-3-small",
      usage: { prompt_tokens: 1_000_000, total_tokens: 1_000_000 },
    });
    expect(upstream.requests.at(-1)?.path).toBe("/v1/embeddings");
    expect(lastBody()).toEqual({
      model: "text-embedding-3-small",
      input: ["a", "b"],
      dimensions: 3,
      user: "ada",
      encoding_format: "base64",
    });
  });

  it("books what they cost", async () => {
    const usage = await (await fetch(`${server.url}/me/usage`)).json();
    expect(JSON.stringify(usage)).toContain("openai/text-embedding-3-small");
    expect(JSON.stringify(usage)).toContain("0.02");
  });

  it.each<[string, string | string[] | number[] | number[][]]>([
    ["a text", "a"],
    ["tokens", [1, 2, 3]],
    ["tokens of several texts", [[1, 2], [3]]],
  ])("takes %s", async (_, input) => {
    const list = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
    upstream.play(answer(...list.map(() => VECTOR)));
    const made = await openai.embeddings.create({
      model: "openai/text-embedding-3-small",
      input,
      encoding_format: "float",
    });
    expect(made.data.map(({ embedding }) => embedding)).toEqual(list.map(() => VECTOR));
    expect(lastBody()).toMatchObject({ input: list, encoding_format: "float" });
  });

  it("converts the numbers of vendors that have no base64", async () => {
    upstream.play(answer(VECTOR));
    const made = await openai.embeddings.create({ model: "mistral-embed", input: "a" });
    expect(made.data[0]?.embedding).toEqual(VECTOR);
    expect(lastBody()).toMatchObject({ model: "mistral-embed", encoding_format: "float" });
  });

  it("asks Gemini in its own form", async () => {
    upstream.play(jsonTurn({ embeddings: [{ values: VECTOR }, { values: VECTOR }] }));
    const made = await openai.embeddings.create({
      model: "gemini-embedding-001",
      input: ["a", "b"],
      dimensions: 3,
    });
    expect(made.data.map(({ embedding }) => embedding)).toEqual([VECTOR, VECTOR]);
    expect(made.usage.prompt_tokens).toBeGreaterThan(0);
    expect(upstream.requests.at(-1)?.path).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
    expect(lastBody().requests).toMatchObject([
      { content: { parts: [{ text: "a" }] }, outputDimensionality: 3 },
      { content: { parts: [{ text: "b" }] } },
    ]);
  });

  it("asks Ollama in its own form", async () => {
    upstream.play(jsonTurn({ model: "nomic-embed-text", embeddings: [VECTOR], prompt_eval_count: 4 }));
    const made = await openai.embeddings.create({ model: "ollama/nomic-embed-text", input: "a" });
    expect(made.data[0]?.embedding).toEqual(VECTOR);
    expect(made.usage.prompt_tokens).toBe(4);
    expect(upstream.requests.at(-1)?.path).toBe("/api/embed");
  });

  it("passes on what a client of Ollama's asks for, but not how much memory to take", async () => {
    const ask = (model: string) =>
      fetch(`${server.url}/api/embed`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          ...{ model, input: "a", truncate: false, keep_alive: "5m" },
          options: { num_thread: 2, num_ctx: 9 },
        }),
      });
    upstream.play(jsonTurn({ embeddings: [VECTOR], prompt_eval_count: 4 }));
    expect((await ask("ollama/nomic-embed-text")).status).toBe(200);
    const options = { truncate: false, keep_alive: "5m", options: { num_thread: 2 } };
    expect(lastBody()).toEqual({ model: "nomic-embed-text", input: ["a"], ...options });
    upstream.play(answer(VECTOR));
    expect((await ask("mistral-embed")).status).toBe(200);
    expect(Object.keys(lastBody())).not.toContain("truncate");
  });

  it("splits many texts into several requests", async () => {
    const input = Array.from({ length: 150 }, (_, index) => `text ${index}`);
    const before = upstream.requests.length;
    upstream.respond(({ body }) =>
      answer(...(body as { input: string[] }).input.map((text) => [Number(text.slice(5)), 1])),
    );
    const made = await openai.embeddings.create({ model: "mistral-embed", input });
    expect(made.data.map(({ embedding }) => embedding[0])).toEqual(input.map((_, index) => index));
    expect(upstream.requests.length - before).toBe(3);
  });

  it("works offline: the demo model gives similar texts similar vectors", async () => {
    const input = ["The cat sat on the mat.", "A cat is on the mat.", "Interest rates rose in March."];
    const made = await openai.embeddings.create({ model: "demo/demo", input, dimensions: 128 });
    const [cat = [], mat = [], rates = []] = made.data.map(({ embedding }) => embedding);
    const dot = (left: number[], right: number[]) =>
      left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
    expect(cat).toHaveLength(128);
    expect(dot(cat, cat)).toBeCloseTo(1, 4);
    expect(dot(cat, mat)).toBeGreaterThan(dot(cat, rates) + 0.3);
    const again = await openai.embeddings.create({ model: "demo/demo", input, dimensions: 128 });
    expect(again.data).toEqual(made.data);
  });

  it("keeps the vendor's errors", async () => {
    upstream.play(errorTurn(429, { message: "Slow down", retryAfter: 7 }));
    const limited = openai.embeddings.create({ model: "text-embedding-3-small", input: "a" });
    await expect(limited).rejects.toMatchObject({ status: 429 });
    upstream.play(errorTurn(404, { message: "no such model", code: "model_not_found" }));
    const unknown = openai.embeddings.create({ model: "openai/none", input: "a" });
    await expect(unknown).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    upstream.play({ ...jsonTurn({}), frames: ["not JSON"] });
    const broken = openai.embeddings.create({ model: "text-embedding-3-small", input: "a" });
    await expect(broken).rejects.toMatchObject({ status: 502 });
  });

  it.each<[string, Record<string, unknown>, object]>([
    ["a vendor without embeddings", { model: "anthropic/claude-opus-5-5" }, { param: "model" }],
    ["an unknown model", { model: "no-such-model" }, { code: "model_not_found", status: 404 }],
    [
      "tokens for a vendor that takes texts",
      { model: "gemini-embedding-001", input: [1, 2] },
      { param: "input" },
    ],
    ["an input that is missing", { input: undefined }, { param: "input" }],
    ["an input that is empty", { input: [] }, { param: "input" }],
    ["an input of another type", { input: [{}] }, { param: "input" }],
    ["an unknown encoding", { encoding_format: "hex" }, { param: "encoding_format" }],
  ])("refuses %s in OpenAI's format", async (_, change, error) => {
    const body = { model: "text-embedding-3-small", input: "a", ...change };
    const asked = openai.embeddings.create(body as OpenAI.EmbeddingCreateParams);
    await expect(asked).rejects.toMatchObject({ status: 400, type: "invalid_request_error", ...error });
  });
});
