import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn, jsonTurn } from "../src/sim/turns.ts";
import { startUpstream } from "../src/sim/upstream.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";
import { startServer, temporaryFolder } from "./support/server.ts";

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const model = "gpt-4o";

describe("POST /v1/completions with a vendor that only chats", () => {
  it("asks in a chat and returns a text", async () => {
    api.play(chatTurn({ text: " is the answer.", usage: { inputTokens: 5, outputTokens: 4 } }));
    const made = await api.openai.completions.create({ model, prompt: "42", max_tokens: 9, stop: ["\n"] });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^cmpl-/),
      object: "text_completion",
      model: "openai/gpt-4o",
      choices: [{ text: " is the answer.", index: 0, logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
    });
    expect(api.lastRequest()).toMatchObject({
      messages: [{ role: "user", content: "42" }],
      max_completion_tokens: 9,
      stop: ["\n"],
    });
    expect(api.lastRequest().tools).toBeUndefined();
  });

  it("streams, with the prompt first if asked to echo it", async () => {
    api.play(chatTurn({ text: "one two three", chunkSize: 4 }));
    const stream = await api.openai.completions.create({
      model,
      prompt: "zero ",
      echo: true,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.text ?? "").join("")).toBe("zero one two three");
    expect(chunks.every(({ object }) => object === "text_completion")).toBe(true);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it("describes a gap in words", async () => {
    api.play(chatTurn({ text: "return a + b" }));
    const prompt = "function add(a, b) {\n  ";
    const made = await api.openai.completions.create({ model, prompt, suffix: "\n}" });
    expect(made.choices[0]?.text).toBe("return a + b");
    const [user] = api.lastMessages();
    expect(user?.content).toBe(`<prefix>\n${prompt}\n</prefix>\n<suffix>\n\n}\n</suffix>`);
  });

  it("completes several prompts", async () => {
    api.play(chatTurn({ text: "A" }), chatTurn({ text: "B" }));
    const made = await api.openai.completions.create({ model, prompt: ["a", "b"] });
    expect(made.choices.map(({ text, index }) => [index, text])).toEqual([
      [0, "A"],
      [1, "B"],
    ]);
  });

  it("keeps the vendor's errors, and refuses what it cannot do", async () => {
    api.play(errorTurn(429, { message: "slow down", retryAfter: 3 }));
    await expect(api.openai.completions.create({ model, prompt: "a" })).rejects.toMatchObject({
      status: 429,
    });
    const cases: [object, string][] = [
      [{ prompt: undefined }, "prompt"],
      [{ prompt: [1, 2] }, "prompt"],
      [{ prompt: "a", n: 2 }, "n"],
      [{ prompt: ["a", "b"], stream: true }, "prompt"],
    ];
    for (const [change, param] of cases) {
      const asked = api.openai.completions.create({ model, ...change } as { model: string; prompt: string });
      await expect(asked).rejects.toMatchObject({ status: 400, param });
    }
  });
});

describe("POST /v1/completions with vendors that complete texts", () => {
  const folder = temporaryFolder();
  const setUp = async () => {
    const upstream = await startUpstream();
    const server = await startServer(folder.path, {
      OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
      MISTRAL_API_KEY: "test-key",
      MISTRAL_BASE_URL: `${upstream.url}/v1`,
      DEEPSEEK_API_KEY: "test-key",
      DEEPSEEK_BASE_URL: `${upstream.url}/v1`,
      OLLAMA_BASE_URL: upstream.url,
      TACKLE_MAX_RETRIES: "0",
    });
    return { upstream, server };
  };
  let world: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    world = await setUp();
  });
  afterAll(async () => {
    await world?.server.stop();
    await world?.upstream.close();
    folder.remove();
  });

  const post = (path: string, body: object) =>
    fetch(`${world.server.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  const complete = async (body: object) => {
    const response = await post("/v1/completions", body);
    return (await response.json()) as { choices: { text: string; finish_reason: string }[] };
  };
  const asked = () => world.upstream.requests.at(-1);
  const textTurn = (text: string) =>
    jsonTurn({ object: "text_completion", choices: [{ text, index: 0, finish_reason: "stop" }] });

  it.each([
    ["openai-compatible/code", "/v1/completions"],
    ["mistral/codestral-latest", "/v1/fim/completions"],
    ["deepseek/deepseek-flash", "/beta/completions"],
  ])("passes prompt and suffix on to %s", async (id, path) => {
    world.upstream.play(textTurn("a + b"));
    const made = await complete({ model: id, prompt: "return ", suffix: ";", max_tokens: 20 });
    expect(made.choices[0]).toMatchObject({ text: "a + b", finish_reason: "stop" });
    expect(asked()?.path).toBe(path);
    expect(asked()?.body).toMatchObject({ prompt: "return ", suffix: ";", max_tokens: 20 });
    expect(asked()?.body).not.toHaveProperty("messages");
  });

  it("fills a gap for clients of Mistral in the form of a chat completion, whole or streamed", async () => {
    const gap = { model: "mistral/codestral-latest", prompt: "return ", suffix: ";", random_seed: 7 };
    world.upstream.play(textTurn("a + b"), textTurn("a + b"));
    const whole = await post("/v1/fim/completions", gap);
    expect(await whole.json()).toMatchObject({
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "a + b" }, finish_reason: "stop" }],
      usage: { total_tokens: expect.any(Number) },
    });
    expect(asked()?.path).toBe("/v1/fim/completions");
    expect(asked()?.body).toMatchObject({ prompt: "return ", suffix: ";", random_seed: 7 });
    const streamed = await (await post("/v1/fim/completions", { ...gap, stream: true })).text();
    expect(streamed).toContain('"object":"chat.completion.chunk"');
    expect(streamed).toContain('"content":"a + b"');
    expect(streamed).toMatch(/"finish_reason":"stop"[\s\S]*data: \[DONE\]\n\n$/);
    // Their schemas know no empty field for it.
    expect(streamed).not.toContain('"usage":null');
  });

  it("passes them on to Ollama", async () => {
    world.upstream.play({
      contentType: "application/x-ndjson",
      frames: ['{"response":"a + ","done":false}\n', '{"response":"b","done":true,"done_reason":"stop"}\n'],
    });
    const made = await complete({ model: "ollama/qwen-coder", prompt: "return ", suffix: ";" });
    expect(made.choices[0]?.text).toBe("a + b");
    expect(asked()?.path).toBe("/api/generate");
    expect(asked()?.body).toMatchObject({ model: "qwen-coder", prompt: "return ", suffix: ";" });
  });

  it("accepts that nothing is missing", async () => {
    world.upstream.play(textTurn(""));
    const made = await complete({ model: "openai-compatible/code", prompt: "a", suffix: "b" });
    expect(made.choices[0]).toMatchObject({ text: "", finish_reason: "stop" });
  });

  it("goes on from what was written when the connection broke", async () => {
    const cut = (text: string) => ({ json: { choices: [{ text, index: 0, finish_reason: null }] } });
    world.upstream.play({ frames: [cut("a "), cut("+ ")], faults: { cutAfterFrames: 2 } }, textTurn("b"));
    const made = await complete({ model: "openai-compatible/code", prompt: "return ", suffix: ";" });
    expect(made.choices[0]?.text).toBe("a + b");
    expect(asked()?.body).toMatchObject({ prompt: "return a + ", suffix: ";" });
  });

  it("asks in a chat if the server has no such route", async () => {
    world.upstream.play(errorTurn(404, { message: "Not Found" }), chatTurn({ text: "c" }));
    const made = await complete({ model: "openai-compatible/code", prompt: "a", suffix: "b" });
    expect(made.choices[0]?.text).toBe("c");
    expect(asked()?.path).toBe("/v1/chat/completions");
  });
});
