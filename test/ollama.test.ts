import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { startUpstream } from "../src/sim/upstream.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";
import { modelAt, startServer, temporaryFolder } from "./support/server.ts";

interface Line {
  logprobs?: object[];
  model: string;
  created_at: string;
  message: { role: string; content: string; thinking?: string; tool_calls?: Call[] };
  response: string;
  done: boolean;
  done_reason?: string;
  eval_count?: number;
  prompt_eval_count?: number;
  error?: string;
}
type Call = { id: string; function: { name: string; arguments: Record<string, unknown> } };

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const model = "gpt-4o";
const user = (content: string) => ({ role: "user", content });
const weather = {
  type: "function",
  function: { name: "weather", description: "w", parameters: { type: "object", properties: {} } },
};
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function post(path: string, body: object, headers: Record<string, string> = {}, base = api.server.url) {
  return fetch(base + path, { method: "POST", body: JSON.stringify(body), headers });
}
async function linesOf(response: Response): Promise<Line[]> {
  const text = await response.text();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}
const whole = async (path: string, body: object) =>
  (await (await post(path, { stream: false, ...body })).json()) as Line;

describe("POST /api/chat", () => {
  it("streams lines by default", async () => {
    api.play(
      chatTurn({
        reasoning: "Hm.",
        text: "Hello there.",
        chunkSize: 4,
        usage: { inputTokens: 7, outputTokens: 3 },
      }),
    );
    const response = await post("/api/chat", { model: "gpt-4o:latest", messages: [user("Hi")] });
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = await linesOf(response);
    expect(lines.map(({ message }) => message.content).join("")).toBe("Hello there.");
    expect(lines.map(({ message }) => message.thinking ?? "").join("")).toBe("Hm.");
    expect(lines.every((line) => line.model === "gpt-4o:latest" && line.message.role === "assistant")).toBe(
      true,
    );
    expect(lines.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true]);
    expect(lines.at(-1)).toMatchObject({
      done_reason: "stop",
      prompt_eval_count: 7,
      eval_count: 3,
      total_duration: expect.any(Number),
    });
  });

  it("maps options, formats and thinking, and adds nothing to the conversation", async () => {
    api.play(chatTurn({ text: '{"name":"Ada"}', finishReason: "length" }));
    const schema = {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
      additionalProperties: false,
    };
    const answer = await whole("/api/chat", {
      model: "openai/gpt-4o",
      messages: [{ role: "system", content: "Be brief." }, user("A name?")],
      options: { temperature: 0.5, num_predict: 9, stop: ["END"], seed: 4, top_k: 3, num_ctx: 99 },
      format: schema,
      keep_alive: "5m",
      think: false,
    });
    expect(answer).toMatchObject({
      message: { content: '{"name":"Ada"}' },
      done: true,
      done_reason: "length",
    });
    expect(api.lastRequest()).toMatchObject({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "A name?" },
      ],
      temperature: 0.5,
      max_completion_tokens: 9,
      stop: ["END"],
      seed: 4,
      response_format: { type: "json_schema", json_schema: { schema } },
    });
    expect(api.lastRequest()).not.toHaveProperty("top_k");
  });

  it.each(["", "<h1>Hi & bye</h1>\r\n", "  a\tb ", '{"error":"no"}'])(
    "hands over calls and passes the result %j on byte for byte",
    async (output) => {
      const calls = [{ name: "weather", arguments: { city: "Rome" } }];
      api.play(chatTurn({ calls }), chatTurn({ text: "Sunny." }));
      const question = user("Weather?");
      const asked = await whole("/api/chat", { model, messages: [question], tools: [weather] });
      expect(asked.message.tool_calls).toMatchObject([
        { function: { name: "weather", arguments: { city: "Rome" } } },
      ]);
      const result = { role: "tool", tool_name: "weather", content: output };
      const messages = [question, asked.message, result];
      const answered = await whole("/api/chat", { model, messages, tools: [weather] });
      expect(answered.message.content).toBe("Sunny.");
      expect(resultsIn(api.lastMessages())).toEqual([["weather", output]]);
    },
  );

  it("matches results to calls without ids by name, and by order", async () => {
    api.play(chatTurn({ text: "Fine." }));
    const call = (name: string) => ({ function: { name, arguments: {} } });
    const tools = [weather, { ...weather, function: { ...weather.function, name: "news" } }];
    await whole("/api/chat", {
      model,
      tools,
      messages: [
        user("?"),
        { role: "assistant", content: "", tool_calls: [call("weather"), call("news"), call("weather")] },
        { role: "tool", tool_name: "news", content: "none" },
        { role: "tool", content: "sun" },
      ],
    });
    expect(resultsIn(api.lastMessages()).toSorted()).toEqual([
      ["news", "none"],
      ["weather", ""],
      ["weather", "sun"],
    ]);
  });

  it("passes images on", async () => {
    api.play(chatTurn({ text: "A dot." }));
    const inLines = PNG.replace(/.{20}/g, "$&\n");
    await whole("/api/chat", { model, messages: [{ ...user("What is it?"), images: [inLines] }] });
    expect(JSON.stringify(api.lastMessages())).toContain(`data:image/png;base64,${PNG}`);
  });

  it("runs the server's tools if they are asked for, without handing them over", async () => {
    api.play(chatTurn({ calls: [{ name: "get_time", arguments: {} }] }), chatTurn({ text: "Noon." }));
    const body = { model, messages: [user("Time?")] };
    const lines = await linesOf(await post("/api/chat", body, { "x-tackle-tools": "get_time" }));
    expect(lines.map(({ message }) => message.content).join("")).toBe("Noon.");
    expect(lines.some(({ message }) => message.tool_calls)).toBe(false);
  });

  it("answers an empty conversation as if the model were loaded", async () => {
    expect(await whole("/api/chat", { model })).toMatchObject({ done: true, done_reason: "load" });
    expect(await whole("/api/generate", { model, keep_alive: 0 })).toMatchObject({ done_reason: "unload" });
  });

  it("returns errors in Ollama's format", async () => {
    api.play(errorTurn(429, { message: "slow down", retryAfter: 3 }));
    const limited = await post("/api/chat", { model, messages: [user("Hi")] });
    expect(limited.status).toBe(429);
    expect(await limited.json()).toMatchObject({ error: expect.stringContaining("slow down") });
    const unknown = await post("/api/chat", { model: "nope:7b", messages: [user("Hi")] });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: expect.stringContaining("model 'nope:7b' not found"),
    });
    for (const body of [
      { messages: [user("Hi")] },
      { model, messages: [1] },
      { model, messages: [user("")], format: 3 },
    ])
      expect((await post("/api/chat", body)).status).toBe(400);
    const cut = chatTurn({ text: "Hello there, friend.", chunkSize: 5 });
    api.play({ ...cut, faults: { cutAfterFrames: 3 } }, errorTurn(500), errorTurn(500));
    const lines = await linesOf(await post("/api/chat", { model, messages: [user("Hi")] }));
    expect(lines.at(-1)).toEqual({ error: expect.any(String) });
  });
});

describe("POST /api/generate", () => {
  it("answers a prompt with instructions and images", async () => {
    api.play(chatTurn({ text: "A dot." }));
    const body = { model, prompt: "What is it?", system: "Be brief.", images: [PNG] };
    const lines = await linesOf(await post("/api/generate", body));
    expect(lines.map(({ response }) => response).join("")).toBe("A dot.");
    expect(lines.at(-1)).toMatchObject({ response: "", done: true, done_reason: "stop" });
    expect((api.lastRequest().messages as { content: unknown }[])[0]).toMatchObject({
      role: "system",
      content: "Be brief.",
    });
    expect(JSON.stringify(api.lastMessages())).toContain(PNG);
  });

  it("fills in what belongs before the suffix", async () => {
    api.play(chatTurn({ text: "a + b" }));
    const answer = await whole("/api/generate", { model, prompt: "return ", suffix: ";" });
    expect(answer.response).toBe("a + b");
    expect(JSON.stringify(api.lastMessages())).toContain("<suffix>");
  });
});

describe("models in Ollama's format", () => {
  it("lists and describes them", async () => {
    const get = async (path: string) => (await fetch(api.server.url + path)).json();
    expect(await get("/api/version")).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    const { models } = await get("/api/tags");
    expect(models).toContainEqual(
      expect.objectContaining({
        name: "openai/gpt-4o:latest",
        model: "openai/gpt-4o:latest",
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        details: expect.objectContaining({ family: "openai" }),
      }),
    );
    expect(await get("/api/ps")).toEqual({ models: [] });
    const shown = await (await post("/api/show", { model: "gpt-4o" })).json();
    expect(shown.capabilities).toEqual(expect.arrayContaining(["completion", "tools", "vision"]));
    expect(shown.model_info["general.architecture"]).toBe("openai");
    expect(shown.model_info["openai.context_length"]).toBe(128_000);
    const reasoning = await (await post("/api/show", { name: "openai/gpt-5.5" })).json();
    expect(reasoning.capabilities).toContain("thinking");
    expect((await post("/api/show", { model: "nope" })).status).toBe(404);
  });

  it("answers HEAD where programs look for a server", async () => {
    for (const path of ["/", "/api/version", "/api/tags"])
      expect((await fetch(api.server.url + path, { method: "HEAD" })).status).toBe(200);
  });

  it("is done with pulling a model that is there, and pulls, creates and deletes no others", async () => {
    const pulled = await post("/api/pull", { model: "openai/gpt-4o:latest" });
    expect(pulled.headers.get("content-type")).toBe("application/x-ndjson");
    expect(await pulled.text()).toBe('{"status":"success"}\n');
    expect(await (await post("/api/pull", { name: "gpt-4o", stream: false })).json()).toEqual({
      status: "success",
    });
    const answer = await post("/api/pull", { model: "llama3" });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: expect.stringContaining("operator") });
  });

  it("embeds texts", async () => {
    const model = "demo";
    const { embeddings, prompt_eval_count } = await (
      await post("/api/embed", { model, input: ["a cat", "a dog"] })
    ).json();
    expect(embeddings.map((vector: number[]) => vector.length)).toEqual([256, 256]);
    expect(prompt_eval_count).toBeGreaterThan(0);
    const { embedding } = await (await post("/api/embeddings", { model, prompt: "a cat" })).json();
    expect(embedding).toEqual(embeddings[0]);
    // Programs send nothing in order to have a model loaded.
    for (const input of ["", []])
      expect(await (await post("/api/embed", { model, input })).json()).toMatchObject({ embeddings: [] });
    expect(await (await post("/api/embeddings", { model, prompt: "" })).json()).toEqual({ embedding: [] });
  });
});

it("ends a stream with a line that says so if the server closes", async () => {
  const folder = temporaryFolder();
  const slow = chatTurn({ text: "one two three four five six", chunkSize: "word", gapMs: 2_000 });
  const upstream = await startUpstream({ respond: () => slow });
  const server = await startServer(folder.path, { ...modelAt(upstream.url), TACKLE_GRACE_MS: "4000" });
  try {
    const response = await post("/api/chat", { model, messages: [user("Hi")] }, {}, server.url);
    const stopped = server.stop();
    expect((await linesOf(response)).at(-1)).toEqual({ error: expect.stringContaining("restarting") });
    await stopped;
  } finally {
    await server.stop();
    await upstream.close();
    folder.remove();
  }
});

it("returns how likely tokens were, to clients of Ollama and from an Ollama server", async () => {
  const folder = temporaryFolder();
  const logprobs = [{ token: "Hi.", logprob: -0.5, bytes: [72, 105, 46], top_logprobs: [] }];
  const chunk = { choices: [{ index: 0, delta: { content: "Hi." }, logprobs: { content: logprobs } }] };
  const ended = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  const local = await startUpstream({
    respond: () => ({
      contentType: "application/x-ndjson",
      frames: [
        `${JSON.stringify({ message: { content: "Hi." }, logprobs, done: false })}\n`,
        '{"message":{"content":""},"done":true,"done_reason":"stop"}\n',
      ],
    }),
  });
  const other = await startUpstream({
    respond: () => ({ frames: [{ json: chunk }, { json: ended }, "[DONE]"] }),
  });
  const server = await startServer(folder.path, { ...modelAt(other.url), OLLAMA_BASE_URL: local.url });
  try {
    const asked = { messages: [user("Hi")], logprobs: true, top_logprobs: 2 };
    for (const [model, upstream] of [
      ["ollama/llama3", local],
      ["gpt-4o", other],
    ] as const) {
      const whole = await post("/api/chat", { ...asked, model, stream: false }, {}, server.url);
      expect(await whole.json()).toMatchObject({ message: { content: "Hi." }, logprobs, done: true });
      const sent = upstream.requests.findLast(({ method }) => method === "POST");
      expect(sent?.body).toMatchObject({ logprobs: true, top_logprobs: 2 });
      const lines = await linesOf(await post("/api/chat", { ...asked, model }, {}, server.url));
      expect(lines.flatMap((line) => line.logprobs ?? [])).toEqual(logprobs);
      const chat = await post("/v1/chat/completions", { ...asked, model }, {}, server.url);
      expect((await chat.json()).choices[0].logprobs.content).toEqual(logprobs);
    }
  } finally {
    await server.stop();
    await local.close();
    await other.close();
    folder.remove();
  }
});

it("passes options and keep_alive on to an Ollama server", async () => {
  const folder = temporaryFolder();
  const upstream = await startUpstream({
    respond: () => ({
      contentType: "application/x-ndjson",
      frames: ['{"message":{"content":"Hi."},"done":true,"done_reason":"stop"}\n'],
    }),
  });
  const server = await startServer(folder.path, { OLLAMA_BASE_URL: upstream.url });
  try {
    const options = { top_k: 3, repeat_penalty: 1.2, temperature: 0.3 };
    const body = { model: "ollama/llama3:latest", messages: [user("Hi")], options, keep_alive: "9m" };
    const lines = await linesOf(await post("/api/chat", body, {}, server.url));
    expect(lines[0]?.message.content).toBe("Hi.");
    const asked = upstream.requests.findLast(({ path }) => path === "/api/chat");
    expect(asked?.body).toMatchObject({ options, keep_alive: "9m" });
  } finally {
    await server.stop();
    await upstream.close();
    folder.remove();
  }
});
