import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import type {
  FunctionTool,
  Response,
  ResponseInput,
  ResponseStreamEvent,
  Tool,
} from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";
import { modelAt, startOwnServer, temporaryFolder } from "./support/server.ts";

const model = "gpt-4o";
const weather: FunctionTool = {
  type: "function",
  name: "weather",
  description: "The weather in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: false,
};
/** Names of our tools, which OpenAI's types do not allow. */
const own = (...names: string[]) => names as unknown as Tool[];
const kinds = ({ output }: Pick<Response, "output">) => output.map(({ type }) => type);
const spoken = (role: string, content: string) => ({ role, content });
const asksForBoth = () =>
  chatTurn({
    text: "Let me see.",
    calls: [
      { name: "get_time", arguments: { timeZone: "UTC" } },
      { name: "weather", arguments: { city: "Rome" } },
    ],
  });

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

/** Returns the result of the client's call as an input item. */
function resultFor({ output }: Response, text: string) {
  const call = output.find((item) => item.type === "function_call");
  if (call?.type !== "function_call") throw new Error("nothing was handed over");
  return { type: "function_call_output" as const, call_id: call.call_id, output: text };
}

async function read(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("a response with OpenAI's client", () => {
  it("is complete, repeats the request's settings, and can be retrieved later", async () => {
    api.play(
      chatTurn({
        text: '{"said":"Hello."}',
        reasoning: "A greeting.",
        usage: { inputTokens: 7, outputTokens: 3 },
      }),
    );
    const response = await api.openai.responses.create({
      model,
      input: "Hi",
      instructions: "Be kind.",
      max_output_tokens: 99,
      temperature: 0.5,
      metadata: { a: "b" },
      text: { format: { type: "json_schema", name: "thing", schema: { type: "object", properties: {} } } },
    });
    expect(response.output_text).toBe('{"said":"Hello."}');
    expect(kinds(response)).toEqual(["reasoning", "message"]);
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: "response",
      status: "completed",
      instructions: "Be kind.",
      metadata: { a: "b" },
      temperature: 0.5,
      usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
      error: null,
    });
    expect(api.lastRequest()).toMatchObject({
      messages: [spoken("system", "Be kind."), spoken("user", "Hi")],
      max_completion_tokens: 99,
      response_format: {
        type: "json_schema",
        json_schema: { name: "thing", schema: { type: "object", properties: {} } },
      },
    });
    expect(api.lastRequest().tools).toBeUndefined();
    const { created_at: _, ...again } = await api.openai.responses.retrieve(response.id);
    const { created_at: __, ...first } = response;
    expect(again).toEqual({ ...first, _request_id: again._request_id });
  });

  it("accepts a history of items", async () => {
    api.play(chatTurn({ text: "Yes." }));
    const input: ResponseInput = [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "Weather?" }] },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "sun" },
      { type: "message", role: "assistant", content: "Sunny." },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Sure?" }] },
    ];
    await api.openai.responses.create({ model, input, tools: [weather] });
    expect(api.lastRequest().messages).toMatchObject([
      spoken("system", "Be brief."),
      spoken("user", "Weather?"),
      { role: "assistant", tool_calls: [{ function: { name: "weather" } }] },
      { role: "tool" },
      spoken("assistant", "Sunny."),
      spoken("user", "Sure?"),
    ]);
  });

  it("streams numbered events that the client assembles, including the server's tool calls", async () => {
    api.play(
      chatTurn({
        text: "Look. ",
        reasoning: "A clock.",
        calls: [{ name: "get_time", arguments: { timeZone: "UTC" } }],
      }),
      chatTurn({ text: "It is noon.", chunkSize: 4 }),
    );
    const stream = api.openai.responses.stream({ model, input: "time?", tools: own("get_time") });
    const events = await read(stream);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        "response.reasoning_summary_text.delta",
        "response.output_text.delta",
        "response.mcp_call_arguments.done",
        "response.mcp_call.completed",
        "response.output_item.done",
      ]),
    );
    expect(events.at(-1)?.type).toBe("response.completed");
    const response = await stream.finalResponse();
    expect(response.output_text).toBe("Look. It is noon.");
    expect(kinds(response)).toEqual(["reasoning", "message", "mcp_call", "message"]);
    expect(response.output[2]).toMatchObject({
      name: "get_time",
      server_label: "tackle",
      status: "completed",
      output: expect.stringContaining("UTC"),
    });
  });

  it("tells the model what went wrong in a call that ran on the server, in either form that clients send back", async () => {
    const call = { type: "mcp_call", id: "mcp_1", server_label: "other", name: "look", arguments: "{}" };
    const content = [{ type: "text", text: "No such city." }];
    for (const error of [{ type: "mcp_tool_execution_error", content }, "No such city."]) {
      api.upstream.play(chatTurn({ text: "Sorry." }));
      const input = [
        { role: "user", content: "weather?" },
        { ...call, error },
        { role: "user", content: "And?" },
      ];
      await api.openai.responses.create({ model, input: input as ResponseInput });
      expect(JSON.stringify(api.lastMessages())).toContain("No such city.");
    }
  });

  it("returns the client's calls next to the server's, and can be continued in every supported way", async () => {
    const tools = [...own("get_time"), weather];
    const ways: ((first: Response) => Promise<Response>)[] = [
      (first) =>
        api.openai.responses.create({
          model,
          tools,
          previous_response_id: first.id,
          input: [resultFor(first, "sun")],
        }),
      (first) =>
        api.openai.responses.create({
          model,
          tools,
          input: [spoken("user", "both?"), ...first.output, resultFor(first, "sun")] as ResponseInput,
        }),
      (first) =>
        api.openai.responses.create({
          model,
          tools,
          conversation: first.conversation?.id,
          input: [resultFor(first, "sun")],
        }),
    ];
    for (const goOn of ways) {
      api.play(asksForBoth(), chatTurn({ text: "Sunny at noon." }));
      const first = await api.openai.responses.create({ model, input: "both?", tools });
      expect(first.status).toBe("completed");
      expect(kinds(first)).toEqual(["message", "mcp_call", "function_call"]);
      expect((await goOn(first)).output_text).toBe("Sunny at noon.");
      expect(api.lastMessages().map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
      expect(resultsIn(api.lastMessages())).toEqual([
        ["get_time", expect.stringContaining("UTC")],
        ["weather", "sun"],
      ]);
    }
  });

  it("continues from an earlier response, in its own branch if that response was already continued", async () => {
    api.play(chatTurn({ text: "One." }));
    const one = await api.openai.responses.create({ model, input: "1", instructions: "Only once." });
    api.play(chatTurn({ text: "Two." }));
    const two = await api.openai.responses.create({ model, input: "2", previous_response_id: one.id });
    expect(api.lastRequest().messages).toEqual([
      spoken("user", "1"),
      spoken("assistant", "One."),
      spoken("user", "2"),
    ]);
    expect(two).toMatchObject({ previous_response_id: one.id, conversation: { id: one.conversation?.id } });
    api.play(chatTurn({ text: "Other." }));
    const other = await api.openai.responses.create({ model, input: "2b", previous_response_id: one.id });
    expect(api.lastMessages()).toEqual([
      spoken("user", "1"),
      spoken("assistant", "One."),
      spoken("user", "2b"),
    ]);
    expect(other.conversation?.id).not.toBe(one.conversation?.id);
    api.play(chatTurn({ text: "Three." }));
    await api.openai.responses.create({ model, input: "3", previous_response_id: other.id });
    expect(api.lastMessages().map(({ content }) => content)).toEqual(["1", "One.", "2b", "Other.", "3"]);
  });

  it("is joined by a repeated request with the same idempotency key, even if it continues another response", async () => {
    api.play(chatTurn({ text: "One." }), chatTurn({ text: "Two." }));
    const one = await api.openai.responses.create({ model, input: "1" });
    const again = () =>
      api.openai.responses.create(
        { model, input: "2", previous_response_id: one.id },
        { headers: { "idempotency-key": "two" } },
      );
    expect((await again()).id).toBe((await again()).id);
  });

  it("reports that it was cut off by its length limit", async () => {
    api.play(chatTurn({ text: "Once upon", finishReason: "length" }));
    const response = await api.openai.responses.create({ model, input: "story", max_output_tokens: 2 });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output_text: "Once upon",
    });
  });

  it("cannot be retrieved if it was not stored or was deleted", async () => {
    api.play(chatTurn({ text: "a" }), chatTurn({ text: "b" }), chatTurn({ text: "c" }));
    const secret = await api.openai.responses.create({ model, input: "Hi", store: false });
    const first = await api.openai.responses.create({ model, input: "Hi" });
    const second = await api.openai.responses.create({ model, input: "Hi", previous_response_id: first.id });
    for (const { id } of [second, first]) await api.openai.responses.delete(id);
    for (const { id } of [secret, second, first]) {
      await expect(api.openai.responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
      await expect(
        api.openai.responses.create({ model, input: "?", previous_response_id: id }),
      ).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
    }
  });
});

describe("a response in the background", () => {
  const slow = () => chatTurn({ text: "word ".repeat(2_000), chunkSize: 5, gapMs: 20 });

  it("continues without its client, and can be followed again from where the client stopped", async () => {
    let release = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { frames } = chatTurn({ text: "First part, second part.", chunkSize: 6 });
    api.play({ frames: [...frames.slice(0, 3), { hold }, ...frames.slice(3)] });
    const stream = await api.openai.responses.create({ model, input: "go", background: true, stream: true });
    let id = "";
    let last = -1;
    let text = "";
    for await (const event of stream) {
      last = event.sequence_number;
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") text += event.delta;
      if (text.length >= 12) break;
    }
    expect(await api.openai.responses.retrieve(id)).toMatchObject({
      status: "in_progress",
      output_text: text,
    });
    const rest = await api.openai.responses.retrieve(id, { stream: true, starting_after: last });
    release();
    const events = await read(rest);
    expect(events[0]?.sequence_number).toBe(last + 1);
    for (const event of events) if (event.type === "response.output_text.delta") text += event.delta;
    expect(text).toBe("First part, second part.");
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(await api.openai.responses.retrieve(id)).toMatchObject({
      status: "completed",
      output_text: text,
    });
  });

  it("returns at once, and can be cancelled repeatedly", async () => {
    api.play(slow());
    const count = api.upstream.requests.length;
    const started = await api.openai.responses.create({ model, input: "go", background: true });
    expect(started).toMatchObject({ status: "in_progress", background: true });
    const request = await api.upstream.received(count + 1);
    expect(await api.openai.responses.cancel(started.id)).toMatchObject({ status: "cancelled" });
    expect(await api.openai.responses.cancel(started.id)).toMatchObject({ status: "cancelled" });
    await request.ended;
    expect(request.aborted).toBe(true);
  });

  it("survives a server restart and continues its event numbers", async () => {
    const folder = temporaryFolder();
    const upstream = await startUpstream();
    const forever = new Promise<never>(() => {});
    upstream.play(
      chatTurn({ text: "Look. ", calls: [{ name: "get_time", arguments: { timeZone: "UTC" } }] }),
      { frames: [{ hold: forever }] },
      chatTurn({ text: "Noon." }),
    );
    const settings = modelAt(upstream.url);
    let server = await startOwnServer(folder.path, settings);
    const client = () => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "anything" });
    try {
      const asked = { model: "openai/gpt-4o", input: "time?", tools: own("get_time"), background: true };
      const stream = await client().responses.create({ ...asked, stream: true });
      const seen: ResponseStreamEvent[] = [];
      for await (const event of stream) {
        seen.push(event);
        if (event.type === "response.mcp_call.completed") break;
      }
      await upstream.received(2);
      await server.kill();
      server = await startOwnServer(folder.path, settings);
      const last = seen.at(-1)?.sequence_number ?? 0;
      const id = seen[0]?.type === "response.created" ? seen[0].response.id : "";
      const rest = await read(await client().responses.retrieve(id, { stream: true, starting_after: last }));
      expect(rest[0]?.sequence_number).toBe(last + 1);
      expect(rest.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } });
      expect((await client().responses.retrieve(id)).output_text).toBe("Look. Noon.");
    } finally {
      await server.stop();
      await upstream.close();
      folder.remove();
    }
  });

  it("is retrieved as failed if it fails", async () => {
    api.play(errorTurn(500));
    const { id } = await api.openai.responses.create({ model, input: "go", background: true });
    const events = await read(await api.openai.responses.retrieve(id, { stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error" } },
    });
  });
});

describe("items that a client only names", () => {
  it("stand for the response that they are part of", async () => {
    api.play(asksForBoth());
    const clock = { ...weather, name: "get_time" };
    const asked = { model, tools: [weather, clock] };
    const first = await api.openai.responses.create({ ...asked, input: "both?" });
    const named = first.output.map(({ id }, index) => ({
      // OpenAI's types let clients leave the type out.
      ...(index % 2 === 0 ? { type: "item_reference" as const } : {}),
      id: id ?? "",
    }));
    const results = first.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: `<${item.name}> & more` }]
        : [],
    );
    const said = { role: "user" as const, content: "both?" };
    const more = { role: "user" as const, content: "Quickly." };
    for (const input of [
      [said, ...named, ...results],
      [said, ...named, more, ...results],
    ]) {
      api.play(chatTurn({ text: "Fine." }));
      await api.openai.responses.create({ ...asked, input });
      expect(resultsIn(api.lastMessages())).toEqual([
        ["get_time", "<get_time> & more"],
        ["weather", "<weather> & more"],
      ]);
    }
  });

  it.each(["msg_unknown", "msg_AAAAAAAAAAAAAAAAAAAA_0"])(
    "are an error if they are unknown: %s",
    async (id) => {
      const asked = api.openai.responses.create({ model, input: [{ type: "item_reference", id }] });
      await expect(asked).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining(`Item with id '${id}'`),
      });
    },
  );
});

describe("the Responses route", () => {
  it.each<[string, object, RegExp, string | null]>([
    ["no input", { input: undefined }, /must be provided/, "input"],
    ["an item without a type", { input: [{ text: "Hi" }] }, /Missing/, "input[0].type"],
    [
      "a result without a call",
      { input: [{ type: "function_call_output", call_id: "call_x", output: "a" }] },
      /No tool call found/,
      "input",
    ],
    [
      "a call without a result",
      { input: [{ type: "function_call", call_id: "call_x", name: "weather", arguments: "{}" }] },
      /No tool output found for function call call_x/,
      "input",
    ],
    ["an unknown response", { previous_response_id: "resp_nothing" }, /not found/, "previous_response_id"],
    [
      "a forced tool that is not offered",
      { tools: [{ type: "file_search" }], tool_choice: { type: "file_search" } },
      /'file_search'/,
      "tool_choice.type",
    ],
    ["an unstored response in the background", { background: true, store: false }, /must be stored/, "store"],
  ])("refuses %s like OpenAI", async (_, body, message, param) => {
    const asked = api.openai.responses.create({ model, input: "Hi", ...body } as never);
    await expect(asked).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(asked).rejects.toMatchObject({ param, message: expect.stringMatching(message) });
  });

  it("takes results behind what the person has said since, in any order", async () => {
    api.play(asksForBoth());
    const asked = { model, tools: [weather, { ...weather, name: "get_time" }] };
    const first = await api.openai.responses.create({ ...asked, input: "?" });
    const results = first.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: `of ${item.name}` }]
        : [],
    );
    api.play(chatTurn({ text: "Fine." }));
    const input = [{ role: "user" as const, content: "Quickly." }, ...results.reverse()];
    await api.openai.responses.create({ ...asked, input, previous_response_id: first.id });
    const messages = api.lastMessages();
    expect(resultsIn(messages)).toContainEqual(["get_time", "of get_time"]);
    expect(resultsIn(messages)).toContainEqual(["weather", "of weather"]);
    expect(messages.at(-1)).toEqual(spoken("user", "Quickly."));
  });

  it("refuses to continue if a call of the previous response has no result", async () => {
    api.play(asksForBoth());
    const first = await api.openai.responses.create({
      model,
      input: "?",
      tools: [weather, ...own("get_time")],
    });
    await expect(
      api.openai.responses.create({ model, input: "so?", previous_response_id: first.id }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining("No tool output found") });
  });

  it("reports an unknown model and errors of the vendor, with and without streaming", async () => {
    await expect(api.openai.responses.create({ model: "none", input: "Hi" })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    for (const stream of [true, false]) {
      api.play(errorTurn(500));
      await expect(api.openai.responses.create({ model, input: "Hi", stream })).rejects.toBeInstanceOf(
        OpenAI.InternalServerError,
      );
      api.play(errorTurn(429, { retryAfter: 3 }));
      const busy = await api.openai.responses
        .create({ model, input: "Hi", stream })
        .catch((thrown) => thrown);
      expect(busy).toBeInstanceOf(OpenAI.RateLimitError);
      expect(busy.headers.get("retry-after")).toBe("3");
      api.play(chatTurn({ text: "Fine." }));
      await api.openai.responses.create({ model, input: "Hi" });
    }
  });
});

describe("images in a history", () => {
  it("are stored once outside the database, and are available when the client continues", async () => {
    const data = Buffer.from(`GIF89a${"picture ".repeat(500)}`).toString("base64");
    const image_url = `data:image/gif;base64,${data}`;
    const look = [
      { type: "input_text" as const, text: "What is it?" },
      { type: "input_image" as const, image_url, detail: "auto" as const },
    ];
    const input = [{ role: "user" as const, content: look }];
    api.play(
      chatTurn({ text: "A picture." }),
      chatTurn({ text: "Still one." }),
      chatTurn({ text: "Again." }),
    );
    const first = await api.openai.responses.create({ model, input });
    expect(JSON.stringify(api.lastRequest().messages)).toContain(image_url);
    await api.openai.responses.create({ model, input: "Sure?", previous_response_id: first.id });
    expect(JSON.stringify(api.lastRequest().messages)).toContain(image_url);
    await api.openai.responses.create({ model, input });

    const database = new DatabaseSync(join(api.server.dataDir, "tackle.db"), { readOnly: true });
    const requests = database
      .prepare("SELECT request FROM runs")
      .all()
      .map((row) => String(row.request));
    database.close();
    expect(requests.join()).toContain("asideId");
    expect(requests.join()).not.toContain(data.slice(0, 200));
    const files = readdirSync(join(api.server.dataDir, "files"), { recursive: true, withFileTypes: true });
    const same = files.filter(
      (file) =>
        file.isFile() &&
        statSync(join(file.parentPath, file.name)).size === Buffer.from(data, "base64").length,
    );
    expect(same).toHaveLength(1);
  });
});

describe("OpenAI's Agents SDK", () => {
  const agent = () =>
    new Agent({
      name: "Guide",
      instructions: "Be brief.",
      model,
      tools: [
        tool({
          name: "weather",
          description: "w",
          parameters: z.object({ city: z.string() }),
          execute: async ({ city }) => `sun in ${city}`,
        }),
        tool({
          name: "get_time",
          description: "t",
          parameters: z.object({ timeZone: z.string() }),
          execute: async () => "the client's clock",
        }),
      ],
    });
  beforeAll(() => {
    setTracingDisabled(true);
    setDefaultOpenAIClient(api.openai as never);
  });

  it.each([false, true])(
    "runs its tools, also one with the name of ours, and continues with the history (streaming: %s)",
    async (stream) => {
      api.play(asksForBoth(), chatTurn({ text: "Sunny at noon." }));
      const result = stream ? await run(agent(), "both?", { stream }) : await run(agent(), "both?");
      if ("completed" in result) await result.completed;
      expect(result.finalOutput).toBe("Sunny at noon.");
      expect(resultsIn(api.lastMessages())).toEqual([
        ["get_time", "the client's clock"],
        ["weather", "sun in Rome"],
      ]);
      api.play(chatTurn({ text: "Bye." }));
      const again = await run(agent(), [...result.history, { role: "user", content: "Thanks" }]);
      expect(again.finalOutput).toBe("Bye.");
      expect(api.lastMessages().map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "user",
      ]);
      expect(resultsIn(api.lastMessages())[0]).toEqual(["get_time", "the client's clock"]);
    },
  );

  it("continues from the previous response", async () => {
    api.play(chatTurn({ text: "One." }));
    const first = await run(agent(), "1");
    api.play(chatTurn({ text: "Two." }));
    await run(agent(), "2", { previousResponseId: first.lastResponseId });
    expect(api.lastMessages().map(({ content }) => content)).toEqual(["1", "One.", "2"]);
  });
});
