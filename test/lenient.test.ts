import type OpenAI from "openai";
import { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

// What programs send that were written for other servers than OpenAI's: Ollama, LM Studio, llama.cpp, Mistral, OpenRouter.

const model = "gpt-4o";
let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

const user = (content: unknown) => ({ role: "user", content });
/** One pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };

/** Sends a request, and returns what the vendor got of it. */
async function sent(body: object): Promise<Record<string, unknown>> {
  api.play(chatTurn({ text: '{"a":"b"}' }));
  const completion: OpenAI.ChatCompletion = await api.openai.chat.completions.create({
    model,
    messages: [user("Hi")],
    ...body,
  } as never);
  expect(completion.choices[0]?.message.content).toBe('{"a":"b"}');
  return api.lastRequest();
}

describe("Azure’s client", () => {
  it("works with the server’s address, and its deployment is the model", async () => {
    const azure = new AzureOpenAI({
      endpoint: api.server.url,
      apiKey: "anything",
      apiVersion: "2024-10-21",
      deployment: `openai/${model}`,
    });
    api.play(chatTurn({ text: "Hello." }));
    const { choices } = await azure.chat.completions.create({
      model: "another",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(choices[0]?.message.content).toBe("Hello.");
    expect(api.lastRequest()).toMatchObject({ model });
  });
});

it("errors have a number as their code for OpenRouter’s SDK, which reads no other", async () => {
  const codeFor = async (userAgent: string) => {
    const response = await fetch(`${api.server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "user-agent": userAgent },
      body: JSON.stringify({ model: "no/such", messages: [user("Hi")] }),
    });
    return ((await response.json()) as { error: { code: unknown } }).error.code;
  };
  expect(await codeFor("speakeasy-sdk/typescript 1.3.19 2.914.0 1.0.0 @openrouter/sdk")).toBe(404);
  expect(await codeFor("OpenAI/JS 7.55.0")).toBe("model_not_found");
});

describe("Chat Completions take", () => {
  it("numbers and flags as texts, and -1 for no limit", async () => {
    const settings = { temperature: "0.5", max_tokens: "-2", n: "1", seed: "7", stream: "false" };
    const request = await sent(settings);
    expect(request).toMatchObject({ temperature: 0.5, seed: 7 });
    expect(await sent({ max_tokens: -1 })).not.toHaveProperty("max_tokens", -1);
  });

  it("no name for the model, and blanks around it", async () => {
    expect(await sent({ model: "" })).toHaveProperty("model");
    expect(await sent({ model: ` ${model} ` })).toMatchObject({ model });
  });

  it("words that leave the effort to the model, and what other vendors do besides", async () => {
    for (const reasoning_effort of ["", "auto", "default"])
      expect(await sent({ reasoning_effort })).not.toHaveProperty("reasoning_effort");
    const request = await sent({
      modalities: ["image", "text"],
      web_search_options: { search_context_size: "low" },
    });
    expect(request).toMatchObject({ web_search_options: { search_context_size: "low" } });
  });

  it("OpenRouter’s words for more to say than most vendors know", async () => {
    for (const verbosity of ["xhigh", "max"]) {
      api.play(responsesTurn({ text: "Hello." }));
      const completion = { model: "gpt-5.5", messages: [user("Hi")], verbosity };
      await api.openai.chat.completions.create(completion as never);
      expect(api.lastRequest()).toMatchObject({ text: { verbosity: "high" } });
      api.play(chatTurn({ text: "Hello." }));
      const { output_text } = await api.openai.responses.create({
        model,
        input: "Hi",
        text: { verbosity },
      } as never);
      expect(output_text).toBe("Hello.");
    }
  });

  it("OpenRouter’s wish for the usage of a stream", async () => {
    api.play(chatTurn({ text: "Hello.", usage: { inputTokens: 5, outputTokens: 2 } }));
    const stream = await api.openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
      ...{ usage: { include: true } },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } });
  });

  it("texts that end at any of many names", async () => {
    const stop = ["Ada:", "Bob:", "Cleo:", "Dan:", "Eve:", "Finn:"];
    api.play(chatTurn({ text: "Well.\nFinn: Hm." }));
    const { choices } = await api.openai.completions.create({ model, prompt: "Ada: So?\nGus:", stop });
    expect(choices[0]?.text).toBe("Well.\n");
  });

  it("more ends than OpenAI takes, in chats too", async () => {
    const stop = ["Ada:", "Bob:", "Cleo:", "Dan:", "Eve:", "Finn:"];
    api.play(chatTurn({ text: "Well.\nFinn: Hm." }));
    const { choices } = await api.openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: "So?" }],
      stop,
    });
    expect(choices[0]?.message.content).toBe("Well.\n");
    expect(api.lastRequest().stop).toHaveLength(4);
  });

  it("a schema beside the wish for an object, as Together, llama.cpp and others have it", async () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    for (const field of ["schema", "value"]) {
      const request = await sent({ response_format: { type: "json_object", [field]: schema } });
      expect(request.response_format).toMatchObject({ type: "json_schema", json_schema: { schema } });
    }
  });

  it("messages in which nothing is said", async () => {
    const { messages } = await sent({
      messages: [
        { role: "system", content: null },
        user("Hi"),
        { role: "assistant", content: null },
        { role: "assistant" },
        user([]),
        user(null),
        user(["so", "?"]),
      ],
    });
    expect(JSON.stringify(messages)).toMatch(/Hi.*so.*\?/);
  });

  it("thinking and other parts of vendors between the texts of an answer, without showing them as said", async () => {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "hidden" }] };
    const use = { type: "tool_use", id: "a", name: "look", input: {} };
    const said = { role: "assistant", content: [thinking, { type: "text", text: "Well." }, use] };
    const { messages } = await sent({ messages: [user("Hi"), said, user("Go on")] });
    expect(JSON.stringify(messages)).toContain("Well.");
    expect(JSON.stringify(messages)).not.toContain("hidden");
  });

  it("arguments of calls as objects", async () => {
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: { at: "it" } } };
    const { messages } = await sent({
      messages: [
        user("Look"),
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "Seen." },
      ],
      tools: [{ type: "function", function: look }],
    });
    expect(JSON.stringify(messages)).toContain(JSON.stringify(JSON.stringify({ at: "it" })));
  });

  it("images in the forms of other vendors and frameworks, and with any type, if the bytes are an image", async () => {
    const url = `data:image/png;base64,${PIXEL}`;
    const forms = [
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      { type: "image", image: PIXEL, mediaType: "image/png" },
      { type: "image", image: url },
      { type: "image", source_type: "base64", data: PIXEL, mime_type: "image/png" },
      { type: "media", inline_data: { mime_type: "image/png", data: PIXEL } },
      { type: "file", data: PIXEL, mediaType: "image/png" },
      { type: "image_url", image_url: { url: `data:application/octet-stream;base64,${PIXEL}` } },
      { type: "image_url", image_url: { url: `data:;base64,${PIXEL}` } },
    ];
    const { messages } = await sent({ messages: [user([{ type: "text", text: "Look" }, ...forms])] });
    const content = (messages as { content: object[] }[])[0]?.content ?? [];
    expect(content.slice(1)).toEqual(forms.map(() => ({ type: "image_url", image_url: { url } })));
    const address = "https://example.org/a.png";
    const linked = { type: "image", source: { type: "url", url: address } };
    expect(JSON.stringify(await sent({ messages: [user([linked])] }))).toContain(`"url":"${address}"`);
  });

  it("calls whose type got lost when their pieces were joined", async () => {
    for (const type of ["", null]) {
      const call = { id: "call_1", type, function: { name: "look", arguments: "{}" } };
      const { messages } = await sent({
        messages: [
          user("Look"),
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: "call_1", content: "Seen." },
        ],
      });
      expect(JSON.stringify(messages)).toContain('"name":"look"');
    }
  });

  it("files and images that are elsewhere, which the model is told of", async () => {
    const url = "https://example.org/a.pdf";
    const { messages } = await sent({
      messages: [
        user([
          { type: "input_file", file_url: url },
          { type: "input_image", file_id: "file-abc", image_url: null, detail: "auto" },
        ]),
      ],
    });
    const told = `[A file at ${url}, which this model cannot open.][Content of type input_image cannot be shown here.]`;
    expect(messages).toMatchObject([{ content: told }]);
  });

  it("tools without a type, and in Anthropic’s form", async () => {
    const { parameters, ...named } = look;
    const { tools } = await sent({
      tools: [
        { function: { ...look, name: "one" } },
        { ...named, name: "two", input_schema: parameters },
        { type: "custom", ...named, name: "three", input_schema: parameters },
      ],
    });
    const meant = ["one", "two", "three"].map((name) => ({
      type: "function",
      function: { name, parameters },
    }));
    expect(tools).toMatchObject(meant);
  });

  it("tools in the form of Responses, and a tool twice", async () => {
    const { tools } = await sent({
      tools: [
        { type: "function", ...look },
        { type: "function", function: { ...look, description: "Looks again." } },
      ],
    });
    expect(tools).toMatchObject([{ function: { name: "look", description: "Looks." } }]);
  });

  it("a conversation in the form of Responses", async () => {
    const request = await sent({
      messages: undefined,
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Look" }] },
        { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "Seen." },
      ],
      tools: [
        { type: "function", ...look },
        { type: "custom", name: "patch", description: "Patches.", format: { type: "text" } },
      ],
      max_output_tokens: 100,
    });
    expect(request).toMatchObject({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Look" },
        { role: "assistant", tool_calls: [{ function: { name: "look" } }] },
        { role: "tool", content: "Seen." },
      ],
    });
    expect(JSON.stringify(request)).toContain('"patch"');
    expect(request).not.toHaveProperty("input");
  });

  it("what Responses take in the form of Chat Completions", async () => {
    api.play(chatTurn({ text: "Seen." }));
    const called = { type: "function_call", call_id: "call_1", name: "look", arguments: { at: "it" } };
    const { output_text } = await api.openai.responses.create({
      model,
      previous_response_id: "",
      conversation: "",
      input: [user("Look"), called, { type: "function_call_output", call_id: "call_1", output: "Seen." }],
      tools: [{ type: "function", function: look }],
    } as never);
    expect(output_text).toBe("Seen.");
    expect(api.lastRequest().tools).toMatchObject([{ function: { name: "look" } }]);
  });

  it.each([
    ["any", "required"],
    [{ type: "any" }, "required"],
    [{ type: "auto" }, "auto"],
    [{ type: "tool", name: "look" }, { function: { name: "look" } }],
  ])("the choice of a tool as %j", async (choice, meant) => {
    const { tool_choice = "auto" } = await sent({
      tools: [{ type: "function", function: look }],
      tool_choice: choice,
    });
    expect([tool_choice]).toMatchObject([meant]);
  });

  it("a schema without a name, and beside the type", async () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    for (const format of [{ json_schema: { schema } }, { schema }]) {
      const { response_format } = await sent({ response_format: { type: "json_schema", ...format } });
      expect(JSON.stringify(response_format)).toContain('"a":{"type":"string"');
    }
  });
});

describe("Messages take", () => {
  it("images in OpenAI’s form", async () => {
    const address = "https://example.org/a.png";
    for (const url of [`data:image/png;base64,${PIXEL}`, address]) {
      api.play(chatTurn({ text: "Seen." }));
      const response = await fetch(`${api.server.url}/v1/messages`, {
        method: "POST",
        headers: { "anthropic-version": "2023-06-01" },
        body: JSON.stringify({
          model,
          max_tokens: 100,
          messages: [user([{ type: "image_url", image_url: { url } }])],
        }),
      });
      expect(response.status).toBe(200);
      const [message] = api.lastMessages();
      expect(message?.content).toEqual([{ type: "image_url", image_url: { url } }]);
    }
  });
});
