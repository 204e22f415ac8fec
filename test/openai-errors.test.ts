import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { type OpenAiDoor, openDoor } from "./support/openai.ts";

const model = "gpt-4o";
const user = (content: unknown) => ({ role: "user", content });
const call = (id: string) => ({ id, type: "function", function: { name: "weather", arguments: "{}" } });
const asks = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map(call) });
const answers = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "sun" });

let door: OpenAiDoor;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door?.close());

/** What OpenAI's own client throws for a body, of whatever form. */
async function refusalOf(body: object, openai = door.openai): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await openai.chat.completions.create({ model, messages: [user("Hi")], ...body } as never);
  } catch (thrown) {
    if (thrown instanceof OpenAI.APIError) return thrown;
    throw thrown;
  }
  throw new Error("it was not refused");
}

describe("what OpenAI would refuse is refused alike", () => {
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
    ["content of another kind", { messages: [user(5)] }, /expected a string/, "messages[0].content"],
    ["an unknown part", { messages: [user([{ type: "song" }])] }, /'song'/, "messages[0].content[0].type"],
    [
      "an audio part",
      { messages: [user([{ type: "input_audio" }])] },
      /not supported/,
      "messages[0].content[0].type",
    ],
    [
      "an image that is none",
      { messages: [user([{ type: "image_url", image_url: { url: "data:text/html;base64,aGk=" } }])] },
      /unsupported image/,
      "messages[0].content[0].image_url",
    ],
    [
      "an image of broken base64",
      { messages: [user([{ type: "image_url", image_url: { url: "data:image/png;base64,%%%" } }])] },
      /base64/,
      "messages[0].content[0].image_url",
    ],
    [
      "an image at no address",
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
      "a result for a call never made",
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
      "somebody speaking between call and result",
      { messages: [user("Hi"), asks("call_a"), user("so?"), answers("call_a")] },
      /did not have response messages: call_a/,
      "messages",
    ],
    [
      "two results for a call",
      { messages: [user("Hi"), asks("call_a"), answers("call_a"), answers("call_a")] },
      /Duplicate/,
      "messages.[3].tool_call_id",
    ],
    [
      "a call that is nobody's of ours",
      { messages: [user("Hi"), asks("call_AAAAAAAAAAAAAAAAAAAA_0")] },
      /did not have response/,
      "messages",
    ],
    ["an unknown field", { top_k: 4 }, /Unknown parameter: 'top_k'/, "top_k"],
    ["a temperature out of range", { temperature: 3 }, /<= 2/, "temperature"],
    ["a limit of no tokens", { max_tokens: 0 }, />= 1/, "max_tokens"],
    ["a field of another type", { stream: "yes" }, /expected a boolean/, "stream"],
    ["too many stop texts", { stop: ["a", "b", "c", "d", "e"] }, /maximum length 4/, "stop"],
    ["more than one answer", { n: 2 }, /'n' is not supported/, "n"],
    ["probabilities", { logprobs: true }, /'logprobs' is not supported/, "logprobs"],
    ["old functions", { functions: [{ name: "a" }] }, /'tools'/, "functions"],
    [
      "stream options of no stream",
      { stream_options: { include_usage: true } },
      /only allowed when 'stream'/,
      "stream_options",
    ],
    ["a choice without tools", { tool_choice: "required" }, /only allowed when 'tools'/, "tool_choice"],
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
      "a tool of another type",
      { tools: [{ type: "custom", custom: { name: "a" } }] },
      /'custom'/,
      "tools[0].type",
    ],
    ["the name of no tool", { tools: ["no_such_tool"] }, /There is no tool "no_such_tool"/, "tools"],
    [
      "a choice of another tool",
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
  ])("%s", async (_, body, message, param) => {
    const error = await refusalOf(body);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param });
    expect(error.message).toMatch(message);
    expect(error.requestID).toBeTruthy();
  });

  it("fields that change nothing pass, and so does what is unknown inside messages", async () => {
    door.play(chatTurn({ text: "Hello." }));
    const completion = await door.openai.chat.completions.create({
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

describe("OpenAI's error classes come out right", () => {
  it("for a model that there is none of", async () => {
    for (const wanted of ["no-such-model", "nobody/nothing", "demo/other"]) {
      const error = await refusalOf({ model: wanted });
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect(error).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
      expect(error.message).toContain(`\`${wanted}\``);
    }
    await expect(door.openai.models.retrieve("no-such-model")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it("for an address or a method that is not there", async () => {
    await expect(door.openai.post("/embeddings", { body: {} })).rejects.toMatchObject({
      status: 404,
      type: "invalid_request_error",
    });
    await expect(door.openai.get("/chat/completions")).rejects.toMatchObject({ status: 405 });
  });

  it("for a body that is too large or no JSON", async () => {
    const post = (body: string) =>
      fetch(`${door.server.url}/v1/chat/completions`, { method: "POST", body }).then(async (response) => ({
        status: response.status,
        body: await response.json(),
      }));
    expect(await post("{")).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error" } },
    });
    expect(await post(`"${"x".repeat(13_000_000)}"`)).toMatchObject({
      status: 413,
      body: { error: { code: "request_too_large", param: null } },
    });
  });

  it.each([false, true])(
    "for what the vendor refuses before it says anything (streaming: %s)",
    async (stream) => {
      door.play(
        errorTurn(400, { message: "maximum context length is 10 tokens", code: "context_length_exceeded" }),
      );
      const tooLong = await refusalOf({ stream });
      expect(tooLong).toBeInstanceOf(OpenAI.BadRequestError);
      expect(tooLong).toMatchObject({ code: "context_length_exceeded", param: "messages" });
      door.play(errorTurn(500));
      const broken = await refusalOf({ stream });
      expect(broken).toBeInstanceOf(OpenAI.InternalServerError);
      expect(broken).toMatchObject({ status: 502, type: "server_error", code: "upstream_error" });
      expect(broken.headers?.get("x-should-retry")).toBe("true");
      door.play(errorTurn(401, { message: "bad key sk-abcdefghijklmnopqrstuvwxyz123456" }));
      const key = await refusalOf({ stream });
      expect(key).toMatchObject({ status: 502 });
      expect(key.headers?.get("x-should-retry")).toBe("false");
      expect(JSON.stringify(key.error)).not.toContain("sk-abc");
    },
  );

  it("in the middle of a stream", async () => {
    door.play({ ...chatTurn({ text: "Hello there, friend.", chunkSize: 4 }), faults: { cutAfterFrames: 3 } });
    const stream = await door.openai.chat.completions.create({
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

  it("for whoever must sign in, and for whoever asked too often", async () => {
    const closed = await openDoor({
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
    const limited = await openDoor({
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
