import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const model = "gpt-4o";
const user = (content: unknown) => ({ role: "user", content });
const call = (id: string) => ({ id, type: "function", function: { name: "weather", arguments: "{}" } });
const asks = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map(call) });
const answers = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "sun" });

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

/** Returns the error that OpenAI's client throws for a body, valid or not. */
async function refusalOf(body: object, openai = api.openai): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await openai.chat.completions.create({ model, messages: [user("Hi")], ...body } as never);
  } catch (thrown) {
    if (thrown instanceof OpenAI.APIError) return thrown;
    throw thrown;
  }
  throw new Error("it was not refused");
}

describe("the Chat Completions route", () => {
  it.each<[string, object, RegExp, string | null]>([
    ["no messages", { messages: undefined }, /Missing required parameter: 'messages'/, "messages"],
    ["an empty history", { messages: [] }, /empty array/, "messages"],
    [
      "a message without a role",
      { messages: [{ content: "Hi" }] },
      /'messages\[0\].role'/,
      "messages[0].role",
    ],
    ["an unknown role", { messages: [{ role: "king", content: "Hi" }] }, /'king'/, "messages[0].role"],
    [
      "a message without content",
      { messages: [{ role: "user" }] },
      /'messages\[0\].content'/,
      "messages[0].content",
    ],
    ["content of the wrong type", { messages: [user(5)] }, /expected a string/, "messages[0].content"],
    [
      "a part without a type",
      { messages: [user([{ text: "Hi" }])] },
      /Missing/,
      "messages[0].content[0].type",
    ],
    [
      "a part without text",
      { messages: [user([{ type: "text" }])] },
      /Missing/,
      "messages[0].content[0].text",
    ],
    [
      "an image that is not an image",
      { messages: [user([{ type: "image_url", image_url: { url: "data:text/html;base64,aGk=" } }])] },
      /unsupported image/,
      "messages[0].content[0].image_url",
    ],
    [
      "an image with broken base64",
      { messages: [user([{ type: "image_url", image_url: { url: "data:image/png;base64,%%%" } }])] },
      /base64/,
      "messages[0].content[0].image_url",
    ],
    [
      "an image with a file address",
      { messages: [user([{ type: "image_url", image_url: { url: "file:///etc/passwd" } }])] },
      /valid URL/,
      "messages[0].content[0].image_url",
    ],
    [
      "a result without a call",
      { messages: [user("Hi"), answers("call_x")] },
      /preceeding/,
      "messages.[1].role",
    ],
    [
      "a result for an unknown call",
      { messages: [user("Hi"), asks("call_a"), answers("call_b")] },
      /'call_b' not found/,
      "messages.[2].tool_call_id",
    ],
    [
      "a call without a result",
      { messages: [user("Hi"), asks("call_a", "call_b"), answers("call_a")] },
      /did not have response messages: call_b/,
      "messages",
    ],
    [
      "a message between a call and its result",
      { messages: [user("Hi"), asks("call_a"), user("so?"), answers("call_a")] },
      /did not have response messages: call_a/,
      "messages",
    ],
    [
      "two results for one call",
      { messages: [user("Hi"), asks("call_a"), answers("call_a"), answers("call_a")] },
      /Duplicate/,
      "messages.[3].tool_call_id",
    ],
    [
      "a server call that never happened",
      { messages: [user("Hi"), asks("call_AAAAAAAAAAAAAAAAAAAA_0")] },
      /did not have response/,
      "messages",
    ],
    ["a temperature out of range", { temperature: 3 }, /<= 2/, "temperature"],
    ["a limit of zero tokens", { max_tokens: 0 }, />= 1/, "max_tokens"],
    ["a field of the wrong type", { stream: "yes" }, /expected a boolean/, "stream"],
    ["too many stop texts", { stop: Array.from({ length: 65 }, String) }, /maximum length 64/, "stop"],
    ["more than one answer", { n: 2 }, /'n' is not supported/, "n"],
    [
      "stream options without streaming",
      { stream_options: { include_usage: true } },
      /only allowed when 'stream'/,
      "stream_options",
    ],
    ["a choice without tools", { tool_choice: "required" }, /only allowed when 'tools'/, "tool_choice"],
    ["the same in Mistral's word", { tool_choice: "any" }, /only allowed when 'tools'/, "tool_choice"],
    [
      "a tool without a name",
      { tools: [{ type: "function", function: {} }] },
      /tools\[0\].function.name/,
      "tools[0].function.name",
    ],
    [
      "a tool with a bad name",
      { tools: [{ type: "function", function: { name: "a b" } }] },
      /pattern/,
      "tools[0].function.name",
    ],
    [
      "a custom tool without a name",
      { tools: [{ type: "custom", custom: {} }] },
      /tools\[0\].custom.name/,
      "tools[0].custom.name",
    ],
    [
      "a forced tool of a type that is not offered",
      { tools: [{ type: "hammer" }], tool_choice: { type: "hammer" } },
      /type 'hammer'/,
      "tool_choice.type",
    ],
    ["the name of an unknown tool", { tools: ["no_such_tool"] }, /There is no tool "no_such_tool"/, "tools"],
    [
      "a choice of a tool that is not listed",
      { tools: ["get_time"], tool_choice: { type: "function", function: { name: "b" } } },
      /no function named 'b'/,
      "tool_choice",
    ],
    [
      "a format without a schema",
      { response_format: { type: "json_schema" } },
      /response_format.json_schema/,
      "response_format.json_schema",
    ],
    ["an unknown format", { response_format: { type: "xml" } }, /'xml'/, "response_format.type"],
  ])("refuses %s like OpenAI", async (_, body, message, param) => {
    const error = await refusalOf(body);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param });
    expect(error.message).toMatch(message);
    expect(error.requestID).toBeTruthy();
  });

  it.each<[string, string, boolean]>([
    [
      "image/png",
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      true,
    ],
    ["image/gif", "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", true],
    ["image/jpeg", "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//", true],
    ["image/webp", "UklGRhIAAABXRUJQVlA4TAYAAAAvQWxvAGs=", true],
    ["image/svg+xml", "PHN2Zy8+", false],
    ["image/bmp", "Qk0=", false],
    ["image/tiff", "SUkqAA==", false],
    ["application/pdf", "JVBERi0=", false],
  ])("accepts or refuses an image of type %s like OpenAI", async (type, data, taken) => {
    const url = `data:${type};base64,${data}`;
    const inLines = `data:${type};base64,${data.replace(/.{12}/g, "$&\r\n")}`;
    const messages = [user([{ type: "image_url", image_url: { url: inLines, detail: "low" } }])];
    api.play(chatTurn({ text: "Seen." }));
    if (!taken) {
      expect(await refusalOf({ messages })).toMatchObject({
        status: 400,
        code: expect.stringMatching(/image/),
      });
      return;
    }
    await api.openai.chat.completions.create({ model, messages } as never);
    expect(JSON.stringify(api.lastRequest().messages)).toContain(url);
  });

  it("streams usage only on request", async () => {
    for (const include of [true, false]) {
      api.play(chatTurn({ text: "Hello.", usage: { inputTokens: 7, outputTokens: 3 } }));
      const stream = await api.openai.chat.completions.create({
        model,
        messages: [{ role: "user", content: "Hi" }],
        stream: true,
        stream_options: { include_usage: include },
      });
      const usages = [];
      for await (const { usage, choices } of stream)
        if (usage) usages.push([choices.length, usage.total_tokens]);
      expect(usages).toEqual(include ? [[0, 10]] : []);
    }
  });

  it("ends the answer at a stop text even if the vendor does not support stop texts", async () => {
    for (const stream of [false, true]) {
      api.play(responsesTurn({ text: "one two END three" }));
      const asked = { model: "gpt-5", messages: [{ role: "user" as const, content: "Count" }], stop: "END" };
      const completion = stream
        ? await api.openai.chat.completions.stream(asked).finalChatCompletion()
        : await api.openai.chat.completions.create(asked);
      expect(completion.choices[0]).toMatchObject({
        finish_reason: "stop",
        message: { content: "one two " },
      });
      expect(api.lastRequest()).not.toHaveProperty("stop");
    }
  });

  it("accepts fields without effect and unknown fields inside messages", async () => {
    api.play(chatTurn({ text: "Hello." }));
    const completion = await api.openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: "Hi", name: "ada", cache_control: {} }],
      store: false,
      service_tier: "auto",
      metadata: { a: "b" },
      safety_identifier: "x",
      n: 1,
      logprobs: false,
      frequency_penalty: null,
    } as never);
    expect(completion).toMatchObject({ choices: [{ message: { content: "Hello." } }] });
  });
});

describe("OpenAI's client throws the right error class", () => {
  it("for an unknown model", async () => {
    for (const wanted of ["no-such-model", "nobody/nothing", "demo/other"]) {
      const error = await refusalOf({ model: wanted });
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect(error).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
      expect(error.message).toContain(`\`${wanted}\``);
    }
    await expect(api.openai.models.retrieve("no-such-model")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it("for an unknown route or method", async () => {
    await expect(api.openai.post("/fine_tuning/jobs", { body: {} })).rejects.toMatchObject({
      status: 404,
      type: "invalid_request_error",
    });
    await expect(api.openai.get("/chat/completions")).rejects.toMatchObject({ status: 405 });
  });

  it("for a body that is too large or not JSON", async () => {
    const post = (body: string) =>
      fetch(`${api.server.url}/v1/chat/completions`, { method: "POST", body }).then(async (response) => ({
        status: response.status,
        body: await response.json(),
      }));
    expect(await post("{")).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error" } },
    });
    expect(await post(`"${"x".repeat(34_000_000)}"`)).toMatchObject({
      status: 413,
      body: { error: { code: "request_too_large", param: null } },
    });
  });

  it.each([false, true])(
    "for an error of the vendor before its answer starts (streaming: %s)",
    async (stream) => {
      api.play(
        errorTurn(400, { message: "maximum context length is 10 tokens", code: "context_length_exceeded" }),
      );
      const tooLong = await refusalOf({ stream });
      expect(tooLong).toBeInstanceOf(OpenAI.BadRequestError);
      expect(tooLong).toMatchObject({ code: "context_length_exceeded", param: "messages" });
      // Agents that shorten their history themselves look for OpenAI's own words.
      expect(tooLong).toHaveProperty("message", expect.stringContaining("maximum context length"));
      api.play(errorTurn(500));
      const broken = await refusalOf({ stream });
      expect(broken).toBeInstanceOf(OpenAI.InternalServerError);
      expect(broken).toMatchObject({ status: 502, type: "server_error", code: "upstream_error" });
      expect(broken.headers?.get("x-should-retry")).toBe("true");
      api.play(errorTurn(401, { message: "bad key sk-abcdefghijklmnopqrstuvwxyz123456" }));
      const key = await refusalOf({ stream });
      expect(key).toMatchObject({ status: 502 });
      expect(key.headers?.get("x-should-retry")).toBe("false");
      expect(JSON.stringify(key.error)).not.toContain("sk-abc");
    },
  );

  it.each([false, true])(
    "for a request that the vendor rejects, with the vendor's status (streaming: %s)",
    async (stream) => {
      const well = () => {
        api.play(chatTurn({ text: "Fine." }));
        return api.openai.chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }] });
      };
      api.play(errorTurn(429, { message: "slow down", retryAfter: 7 }));
      const busy = await refusalOf({ stream });
      expect(busy).toBeInstanceOf(OpenAI.RateLimitError);
      expect(busy).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
      expect(busy.headers?.get("retry-after")).toBe("7");
      await well();
      api.play(errorTurn(429, { message: "You exceeded your current quota", code: "insufficient_quota" }));
      const spent = await refusalOf({ stream });
      expect(spent).toBeInstanceOf(OpenAI.RateLimitError);
      expect(spent).toMatchObject({ status: 429, code: "insufficient_quota" });
      expect(spent.headers?.get("x-should-retry")).toBe("false");
      await well();
      api.play(errorTurn(404, { message: "no such model" }));
      const unknown = await refusalOf({ stream });
      expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
      expect(unknown).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
      await well();
      api.play(errorTurn(400, { message: "'temperature' does not go with this model" }));
      const wrong = await refusalOf({ stream });
      expect(wrong).toBeInstanceOf(OpenAI.BadRequestError);
      expect(wrong).toMatchObject({ status: 400, type: "invalid_request_error" });
      expect(wrong.message).toContain("'temperature' does not go with this model");
      await well();
    },
  );

  it("but our own route reports the same rejection as an upstream error", async () => {
    api.play(errorTurn(404, { message: "no such model" }));
    const response = await fetch(`${api.server.url}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "Hi", model: `openai/${model}`, stream: false }),
    });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ code: "UPSTREAM_ERROR" });
  });

  it("for an error in the middle of a stream", async () => {
    const cut = {
      ...chatTurn({ text: "Hello there, friend.", chunkSize: 4 }),
      faults: { cutAfterFrames: 3 },
    };
    api.play(cut, cut, cut, cut);
    const stream = await api.openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    })();
    await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(text).toBe("Hello th");
  });

  it("for a missing sign-in and for too many requests", async () => {
    const closed = await openServer({
      TACKLE_AUTH: "required",
      TACKLE_JWT_SECRET: "a secret of more than thirty-two bytes",
    });
    try {
      const error = await refusalOf({}, closed.openai);
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({ status: 401, code: "invalid_api_key", type: "invalid_request_error" });
    } finally {
      await closed.close();
    }
    const limited = await openServer({
      TACKLE_AUTH: "guest",
      TACKLE_LIMITS: JSON.stringify({ chat: { guest: 1, account: 1 } }),
    });
    try {
      limited.play(chatTurn({ text: "Once." }));
      const guest = await fetch(`${limited.server.url}/tools`);
      const openai = limited.openai.withOptions({ apiKey: guest.headers.get("x-tackle-guest") ?? "" });
      await openai.chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }] });
      const error = await refusalOf({}, openai);
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
      expect(Number(error.headers?.get("retry-after"))).toBeGreaterThan(0);
    } finally {
      await limited.close();
    }
  });
});
