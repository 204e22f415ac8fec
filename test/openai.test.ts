import type OpenAI from "openai";
import type { ChatCompletionChunk, ChatCompletionTool } from "openai/resources/chat/completions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";
import { temporaryFolder } from "./support/server.ts";
import { readFrames } from "./support/sse.ts";

const model = "gpt-4o";
const weather: ChatCompletionTool = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
/** A tool of the client's with the name of one of ours. */
const clock: ChatCompletionTool = {
  type: "function",
  function: { name: "get_time", parameters: { type: "object", properties: {} } },
};
/** Asks for our tool in the request's headers, as clients do that send only specifications. */
const withOurs = { headers: { "x-tackle-tools": "get_time" } };
/** Names of our tools, which OpenAI's types do not allow. */
const own = (...names: string[]) => names as unknown as ChatCompletionTool[];
const user = (content: string) => ({ role: "user" as const, content });

/** The fields that our chunks have in addition to OpenAI's. */
type Delta = ChatCompletionChunk.Choice.Delta & {
  tool_output?: { tool_call_id: string; name: string; output: string; status: string };
  reasoning_content?: string;
};
type Completion = OpenAI.ChatCompletion & {
  tool_events: { type: string; value: unknown }[];
  conversation: { id: string; run_id: string };
};

const roots = temporaryFolder();
let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer({ TACKLE_ROOTS: roots.path });
});
afterAll(async () => {
  await api?.close();
  roots.remove();
});

async function chunksOf(body: object): Promise<ChatCompletionChunk[]> {
  const stream = await api.openai.chat.completions.create({
    model,
    stream: true,
    ...(body as { messages: [] }),
  });
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const deltas = (chunks: ChatCompletionChunk[]) =>
  chunks.flatMap(({ choices }) => (choices[0] ? [choices[0].delta as Delta] : []));

describe("a completion with OpenAI's client", () => {
  it("passes messages through in both directions without adding any text", async () => {
    api.play(
      chatTurn({
        text: "Hello.",
        reasoning: "A greeting.",
        usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 2, cacheWriteTokens: 4 },
      }),
    );
    const completion = (await api.openai.chat.completions.create({
      model,
      messages: [
        { role: "system", content: "Be kind." },
        user("Hi"),
        { role: "assistant", content: "Yes?" },
        { role: "developer", content: "Be brief." },
        user("Well?"),
      ],
    })) as Completion;
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: "chat.completion",
      model: "openai/gpt-4o",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello.", reasoning_content: "A greeting." },
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 4 },
      },
      // Clients with strict schemas want it to be there.
      system_fingerprint: "fp_tackle",
      tool_events: [{ type: "text", value: "Hello." }],
      conversation: { id: expect.stringMatching(/^ses_/) },
    });
    expect(completion.choices[0]?.message.tool_calls).toBeUndefined();
    expect(api.lastRequest().messages).toEqual([
      { role: "system", content: "Be kind." },
      user("Hi"),
      { role: "assistant", content: "Yes?" },
      { role: "system", content: "Be brief." },
      user("Well?"),
    ]);
    expect(api.lastRequest().tools).toBeUndefined();
    const session = await fetch(`${api.server.url}/sessions/${completion.conversation.id}`);
    expect(await session.json()).toMatchObject({ title: "Well?" });
  });

  it("passes its settings to the vendor", async () => {
    api.play(chatTurn({ text: '{"a":1}' }));
    const schema = {
      type: "object",
      properties: { a: { type: "number" } },
      required: ["a"],
      additionalProperties: false,
    };
    const image = "data:image/png;base64,iVBORw0KGgo=";
    await api.openai.chat.completions.create({
      model: "openai/gpt-4o",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: image } },
            { type: "image_url", image_url: { url: "https://example.com/cat.jpg" } },
          ],
        },
      ],
      tools: [weather],
      tool_choice: { type: "function", function: { name: "weather" } },
      parallel_tool_calls: false,
      max_completion_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      seed: 7,
      user: "somebody",
      metadata: { a: "b" },
      response_format: { type: "json_schema", json_schema: { name: "thing", schema, strict: true } },
    });
    expect(api.lastRequest()).toMatchObject({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: image } },
            { type: "image_url", image_url: { url: "https://example.com/cat.jpg" } },
          ],
        },
      ],
      tools: [weather],
      tool_choice: { type: "function", function: { name: "weather" } },
      parallel_tool_calls: false,
      max_completion_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      seed: 7,
      response_format: { type: "json_schema", json_schema: { name: "thing", schema, strict: true } },
    });
  });

  it("offers our tools only if the request names them, and accepts 2 MB of history", async () => {
    api.play(chatTurn({ text: "Long." }));
    const messages = Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0
        ? user("x".repeat(10_000))
        : { role: "assistant" as const, content: "y".repeat(10_000) },
    );
    await api.openai.chat.completions.create({ model, messages: [...messages, user("and?")] });
    expect(api.lastRequest().messages).toEqual([...messages, user("and?")]);
  });

  it("lists models and tools, and accepts model names without a vendor", async () => {
    const { data } = await api.openai.models.list();
    expect(data.map(({ id }) => id)).toContain("openai/gpt-4o");
    expect(await api.openai.models.retrieve("openai/gpt-4o")).toMatchObject({ object: "model" });
    const tools = (await (await fetch(`${api.server.url}/v1/tools`)).json()) as {
      data: ChatCompletionTool[];
    };
    expect(tools.data).toContainEqual(
      expect.objectContaining({
        type: "function",
        function: expect.objectContaining({ name: "get_time", parameters: expect.any(Object) }),
      }),
    );
  });
});

describe("server tools", () => {
  it("run on the server, and a stream shows the calls of a step in one chunk and each result at once", async () => {
    api.play(
      chatTurn({
        text: "Let me look.",
        reasoning: "Two places.",
        calls: [
          { name: "get_time", arguments: { timeZone: "Asia/Tokyo" } },
          { name: "get_time", arguments: { timeZone: "Nowhere/Town" } },
        ],
      }),
      chatTurn({ text: "", calls: [{ name: "get_time", arguments: {} }] }),
      chatTurn({ text: " It is late.", usage: { inputTokens: 5, outputTokens: 2 } }),
    );
    const chunks = await chunksOf({
      messages: [user("time?")],
      tools: own("get_time"),
      stream_options: { include_usage: true },
    });
    expect(chunks.every(({ object }) => object === "chat.completion.chunk")).toBe(true);
    expect(chunks.every(({ system_fingerprint: print }) => print === "fp_tackle")).toBe(true);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]).toMatchObject({
      choices: [{ delta: { role: "assistant", content: "" } }],
      conversation: { id: expect.stringMatching(/^ses_/), run_id: expect.stringMatching(/^run_/) },
    });
    const said = deltas(chunks);
    const steps = said.flatMap(({ tool_calls }) => (tool_calls ? [tool_calls] : []));
    expect(steps.map((calls) => calls.map(({ index }) => index))).toEqual([[0, 1], [2]]);
    expect(steps[0]?.[0]).toMatchObject({
      type: "function",
      function: { name: "get_time", arguments: '{"timeZone":"Asia/Tokyo"}' },
    });
    const ids = steps.flat().map(({ id }) => id);
    const outputs = said.flatMap(({ tool_output }) => (tool_output ? [tool_output] : []));
    expect(outputs.map(({ tool_call_id }) => tool_call_id).sort()).toEqual([...ids].sort());
    expect(outputs.find((one) => one.tool_call_id === ids[0])).toMatchObject({
      name: "get_time",
      status: "success",
      output: expect.stringContaining("Asia/Tokyo"),
    });
    expect(outputs.find((one) => one.tool_call_id === ids[1])).toMatchObject({ status: "error" });
    expect(said.map(({ content }) => content ?? "").join("")).toBe("Let me look. It is late.");
    expect(said.map((delta) => delta.reasoning_content ?? "").join("")).toBe("Two places.");
    const order = said.map((delta) => (delta.tool_calls ? "calls" : delta.tool_output ? "output" : "text"));
    expect(order.indexOf("calls")).toBeLessThan(order.indexOf("output"));
    expect(order.lastIndexOf("output")).toBeLessThan(order.length - 1);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ delta: {}, finish_reason: "stop" }], usage: null });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 25 } });
  });

  it("are listed in order in a complete answer, whose message has no calls for the client", async () => {
    api.play(
      chatTurn({ text: "Look. ", calls: [{ name: "get_time", arguments: { timeZone: "UTC" } }] }),
      chatTurn({ text: "Noon." }),
    );
    const completion = (await api.openai.chat.completions.create({
      model,
      messages: [user("time?")],
      tools: own("get_time"),
    })) as Completion;
    const [choice] = completion.choices;
    expect(choice).toMatchObject({ finish_reason: "stop", message: { content: "Look. Noon." } });
    expect(choice?.message.tool_calls).toBeUndefined();
    const { tool_events: events } = completion;
    expect(events.map(({ type }) => type)).toEqual(["text", "tool_call", "tool_output", "text"]);
    const call = events[1]?.value as { id: string };
    expect(call).toMatchObject({ type: "function", function: { name: "get_time" } });
    expect(events[2]?.value).toMatchObject({ tool_call_id: call.id, name: "get_time", status: "success" });
  });

  it.each<[string, unknown[], object]>([
    ["by name", ["get_time", weather], {}],
    ["by an entry of our type", [weather, { type: "tackle", name: "get_time" }], {}],
    ["in a header", [weather], withOurs],
    ["all together", [weather], { headers: { "x-tackle-tools": "all" } }],
  ])("are asked for %s", async (_, tools, options) => {
    api.play(chatTurn({ calls: [{ name: "get_time", arguments: {} }] }), chatTurn({ text: "Noon." }));
    const completion = await api.openai.chat.completions.create(
      { model, messages: [user("time?")], tools: tools as ChatCompletionTool[] },
      options,
    );
    expect(completion.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Noon." } });
    expect(resultsIn(api.lastMessages())).toMatchObject([["get_time", expect.stringContaining("UTC")]]);
  });

  it("are replaced by a tool of the client's that has the same name", async () => {
    api.play(chatTurn({ calls: [{ name: "get_time", arguments: {} }] }));
    const completion = await api.openai.chat.completions.create(
      { model, messages: [{ role: "system", content: "Be brief." }, user("time?")], tools: [clock] },
      withOurs,
    );
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: { name: "get_time" } }] },
    });
    expect(api.lastRequest()).toMatchObject({
      messages: [{ role: "system", content: "Be brief." }, user("time?")],
      tools: [{ type: "function", function: { name: "get_time" } }],
    });
  });

  it("keep their results if the client sends the streamed message back without them", async () => {
    api.play(
      chatTurn({ text: "Look. ", calls: [{ name: "get_time", arguments: { timeZone: "UTC" } }] }),
      chatTurn({ text: "Noon." }),
    );
    const stream = api.openai.chat.completions.stream({ model, messages: [user("time?")] }, withOurs);
    const message = await stream.finalMessage();
    expect(message.content).toBe("Look. Noon.");
    api.play(chatTurn({ text: "You are welcome." }));
    await api.openai.chat.completions.create({ model, messages: [user("time?"), message, user("thanks")] });
    expect(api.lastMessages()).toMatchObject([
      user("time?"),
      { role: "assistant", content: "Look. ", tool_calls: [{ function: { name: "get_time" } }] },
      { role: "tool", content: expect.stringContaining("in UTC") },
      { role: "assistant", content: "Noon." },
      user("thanks"),
    ]);
  });
});

describe("a client that runs every call it sees", () => {
  it.each([false, true])("finishes with the server's answer (streaming: %s)", async (stream) => {
    api.play(
      chatTurn({ text: "Look. ", calls: [{ name: "get_time", arguments: {} }] }),
      chatTurn({ text: "Noon." }),
    );
    const count = api.upstream.requests.length;
    const runner = api.openai.chat.completions.runTools(
      {
        model,
        stream: stream as true,
        messages: [user("time?")],
        tools: [
          {
            type: "function",
            function: {
              name: "weather",
              description: "The weather.",
              parameters: { type: "object", properties: {} },
              parse: JSON.parse,
              function: () => "sun",
            },
          },
        ],
      },
      withOurs,
    );
    expect(await runner.finalContent()).toMatch(/^(Look. )?Noon.$/);
    expect(api.upstream.requests.length - count).toBe(2);
  });
});

describe("client tools", () => {
  it.each([false, true])("are run by OpenAI's runner (streaming: %s)", async (stream) => {
    api.play(
      chatTurn({ text: "A moment.", calls: [{ name: "weather", arguments: { city: "Rome" } }] }),
      chatTurn({ text: "Sunny." }),
    );
    const seen: string[] = [];
    const runner = api.openai.chat.completions.runTools({
      model,
      stream: stream as true,
      messages: [user("weather?")],
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "The weather.",
            parameters: { type: "object", properties: { city: { type: "string" } } },
            parse: JSON.parse,
            function: ({ city }: { city: string }) => {
              seen.push(city);
              return `sun in ${city}`;
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("Sunny.");
    expect(seen).toEqual(["Rome"]);
    expect(resultsIn(api.lastMessages())).toEqual([["weather", "sun in Rome"]]);
    expect(api.lastMessages()[1]).toMatchObject({ content: "A moment.", tool_calls: [{}] });
  });

  const mixed = () =>
    api.play(
      chatTurn({
        calls: [
          { id: "call_first", name: "get_time", arguments: { timeZone: "Asia/Tokyo" } },
          { id: "call_second", name: "weather", arguments: { city: "Rome" } },
          { id: "call_third", name: "get_time", arguments: { timeZone: "UTC" } },
        ],
      }),
    );
  const both = [...own("get_time"), weather];

  function expectAllTold(): void {
    const [, said, ...results] = api.lastMessages();
    expect(said?.tool_calls?.map(({ id }) => id)).toEqual(["call_first", "call_second", "call_third"]);
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual([
      "call_first",
      "call_second",
      "call_third",
    ]);
    expect(resultsIn(api.lastMessages())).toMatchObject([
      ["get_time", expect.stringContaining("Asia/Tokyo")],
      ["weather", "sun"],
      ["get_time", expect.stringContaining("in UTC")],
    ]);
  }

  it("are returned next to calls that ran on the server, and the next request includes both", async () => {
    mixed();
    const first = await api.openai.chat.completions.create({ model, messages: [user("?")], tools: both });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message.content).toBeNull();
    const [call, ...others] = choice?.message.tool_calls ?? [];
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      type: "function",
      function: { name: "weather", arguments: '{"city":"Rome"}' },
    });
    api.play(chatTurn({ text: "Sunny at night." }));
    const second = await api.openai.chat.completions.create({
      model,
      tools: both,
      messages: [
        user("?"),
        choice?.message as OpenAI.ChatCompletionMessage,
        { role: "tool", tool_call_id: call?.id ?? "", content: "sun" },
      ],
    });
    expect(second.choices[0]?.message.content).toBe("Sunny at night.");
    expectAllTold();
  });

  it("are returned in a stream, and the client cannot overwrite results of server tools", async () => {
    mixed();
    const asked = { model, messages: [user("?")], tools: [weather] };
    const stream = api.openai.chat.completions.stream(asked, withOurs);
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.finish_reason).toBe("tool_calls");
    const message = completion.choices[0]?.message as OpenAI.ChatCompletionMessage;
    const calls = (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.type === "function" ? call.function.name : "",
    }));
    expect(calls.map(({ name }) => name)).toEqual(["get_time", "weather", "get_time"]);
    api.play(chatTurn({ text: "Fine." }));
    const results = calls.map(({ id, name }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: name === "weather" ? "sun" : "Invalid tool_call. Available options are: weather.",
    }));
    await api.openai.chat.completions.create({
      model,
      tools: both,
      messages: [user("?"), message, ...results],
    });
    expectAllTold();
  });

  it("may be cut off in the middle of a call by a length limit, like at OpenAI", async () => {
    const cut = { calls: [{ name: "weather", arguments: '{"city":"Ro' }], finishReason: "length" };
    api.play(chatTurn(cut), chatTurn(cut));
    const body = { model, messages: [user("?")], tools: [weather], max_tokens: 5 };
    const whole = await api.openai.chat.completions.create(body);
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "length",
      message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Ro' } }] },
    });
    const chunks = await chunksOf(body);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("length");
    expect(deltas(chunks).some(({ tool_output }) => tool_output)).toBe(false);
  });
});

describe("a stored conversation", () => {
  it("continues with only the new messages, including results of client tools", async () => {
    api.play(
      chatTurn({
        calls: [
          { name: "weather", arguments: { city: "Rome" } },
          { name: "get_time", arguments: { timeZone: "UTC" } },
        ],
      }),
    );
    const tools = [weather, ...own("get_time")];
    const history = [{ role: "system" as const, content: "Old words." }, user("First"), user("Second")];
    const first = (await api.openai.chat.completions.create({
      model,
      messages: history,
      tools,
    })) as Completion;
    const [call] = first.choices[0]?.message.tool_calls ?? [];
    const kept = { conversation_id: first.conversation.id };
    api.play(chatTurn({ text: "Sunny." }));
    const second = (await api.openai.chat.completions.create({
      model,
      ...kept,
      tools,
      messages: [{ role: "tool", tool_call_id: call?.id ?? "", content: "sun" }],
    })) as Completion;
    expect(second.conversation.id).toBe(first.conversation.id);
    expect(resultsIn(api.lastMessages())).toMatchObject([
      ["weather", "sun"],
      ["get_time", expect.any(String)],
    ]);
    api.play(chatTurn({ text: "Bye." }));
    await api.openai.chat.completions.create({ model, ...kept, messages: [user("Third")] });
    expect(api.lastRequest().messages).toMatchObject([
      { role: "system", content: "Old words." },
      user("First"),
      user("Second"),
      { role: "assistant", tool_calls: [{}, {}] },
      { role: "tool" },
      { role: "tool" },
      { role: "assistant", content: "Sunny." },
      user("Third"),
    ]);
  });
});

describe("images in a stored conversation", () => {
  it("are sent to the model again in later turns", async () => {
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${data}` } };
    api.play(chatTurn({ text: "Hello." }), chatTurn({ text: "A dot." }), chatTurn({ text: "Red." }));
    const first = (await api.openai.chat.completions.create({
      model,
      messages: [user("Hi")],
    })) as Completion;
    const kept = { model, conversation_id: first.conversation.id };
    await api.openai.chat.completions.create({
      ...kept,
      messages: [{ role: "user", content: [{ type: "text", text: "And this?" }, image] }],
    });
    await api.openai.chat.completions.create({ ...kept, messages: [user("Which colour?")] });
    expect(api.lastMessages()).toMatchObject([
      user("Hi"),
      { content: "Hello." },
      { content: [{ type: "text", text: "And this?" }, image] },
      { content: "A dot." },
      user("Which colour?"),
    ]);
  });
});

describe("a repeated request", () => {
  it("joins its completion by idempotency key", async () => {
    api.play(chatTurn({ text: "Once." }), chatTurn({ text: "Twice." }));
    const ask = (text: string) =>
      api.openai.chat.completions.create(
        { model, messages: [user(text)] },
        { headers: { "idempotency-key": "the same" } },
      );
    const [first, second] = [await ask("Hi"), await ask("Hi")];
    expect(second.id).toBe(first.id);
    expect(second.choices[0]?.message.content).toBe("Once.");
    await expect(ask("Other")).rejects.toMatchObject({ status: 409, code: "conflict" });
  });
});

describe("an approval", () => {
  it("is requested in the stream, and the call continues after the decision", async () => {
    const write = { operation: "write", path: "note.txt", content: "hello" };
    api.play(chatTurn({ calls: [{ name: "filesystem", arguments: write }] }), chatTurn({ text: "Written." }));
    const stream = await api.openai.chat.completions.create({
      model,
      messages: [user("write")],
      tools: own("filesystem"),
      stream: true,
    });
    let text = "";
    let output: Delta["tool_output"];
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta as Delta & { tool_approval?: { decide_at: string } };
      text += delta.content ?? "";
      output ??= delta.tool_output;
      if (!delta.tool_approval) continue;
      expect(delta.tool_approval).toMatchObject({ name: "filesystem", reason: expect.any(String) });
      const decided = await fetch(api.server.url + delta.tool_approval.decide_at, {
        method: "POST",
        body: JSON.stringify({ decision: "once" }),
      });
      expect(decided.status).toBe(200);
    }
    expect(output).toMatchObject({ name: "filesystem", status: "success" });
    expect(text).toBe("Written.");
  });
});

describe("stopping", () => {
  const slow = () => chatTurn({ text: "word ".repeat(2_000), chunkSize: 5, gapMs: 20 });

  it("by the client's name for a completion or by its id also ends the vendor's answer", async () => {
    for (const by of ["client_request_id", "id"] as const) {
      api.play(slow());
      const count = api.upstream.requests.length;
      const stream = await api.openai.chat.completions.create({
        model,
        messages: [user("talk")],
        stream: true,
        ...{ client_request_id: `mine-${by}` },
      });
      let last: ChatCompletionChunk | undefined;
      let stopped: unknown;
      for await (const chunk of stream) {
        last = chunk;
        if (stopped || !chunk.choices[0]?.delta.content) continue;
        const body = by === "id" ? { id: chunk.id } : { client_request_id: `mine-${by}` };
        stopped = await api.openai.post("/chat/completions/stop", { body });
      }
      expect(stopped).toMatchObject({ stopped: true });
      expect(last?.choices[0]).toMatchObject({
        finish_reason: "stop",
        finish_details: { type: "cancelled" },
      });
      const request = api.upstream.requests[count];
      await request?.ended;
      expect(request?.aborted).toBe(true);
    }
    expect(
      await api.openai.post("/chat/completions/stop", { body: { client_request_id: "none" } }),
    ).toMatchObject({ stopped: false });
  });

  it("by disconnecting also ends it, with and without streaming", async () => {
    for (const stream of [true, false]) {
      api.play(slow());
      const count = api.upstream.requests.length;
      const abort = new AbortController();
      const answer = api.openai.chat.completions
        .create({ model, messages: [user("talk")], stream }, { signal: abort.signal })
        .catch(() => undefined);
      const request = await api.upstream.received(count + 1);
      if (stream) await answer;
      abort.abort();
      await request.ended;
      expect(request.aborted).toBe(true);
    }
  });
});

describe("the raw frames", () => {
  const post = (body: object) =>
    fetch(`${api.server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer anything" },
      body: JSON.stringify({ model, messages: [user("Hi")], ...body }),
    });

  it("have only data lines, and end with [DONE]", async () => {
    api.play(chatTurn({ text: "Hello." }));
    const response = await post({ stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    const text = await response.text();
    const lines = text.split("\n\n").filter((line) => line !== "");
    expect(lines.every((line) => line.startsWith("data: "))).toBe(true);
    expect(lines.at(-1)).toBe("data: [DONE]");
    expect(text).not.toContain('"usage"');
  });

  it("go on if the vendor disconnects", async () => {
    const text = "Hello there, friend.";
    api.play(
      { ...chatTurn({ text, chunkSize: 4 }), faults: { cutAfterFrames: 3 } },
      chatTurn({ text: "ere, friend." }),
    );
    const frames = await readFrames(await post({ stream: true }));
    const said = frames.slice(0, -1).map(({ data }) => JSON.parse(data).choices?.[0]?.delta?.content ?? "");
    expect(said.join("")).toBe(text);
  });

  it("report an error if the vendor disconnects again and again, then end", async () => {
    const cut = {
      ...chatTurn({ text: "Hello there, friend.", chunkSize: 4 }),
      faults: { cutAfterFrames: 3 },
    };
    api.play(cut, cut, cut, cut);
    const frames = await readFrames(await post({ stream: true }));
    expect(frames.at(-1)?.data).toBe("[DONE]");
    expect(JSON.parse(frames.at(-2)?.data ?? "")).toEqual({
      error: {
        message: expect.stringContaining("broke off"),
        type: "server_error",
        code: "upstream_error",
        param: null,
      },
    });
  });
});
