import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { ERROR, EVENTS, eventSchema, ITEMS, RESPONSE_FIELDS } from "./support/open-responses.ts";
import { CASES, look } from "./support/open-responses-cases.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";
import { type Json, listOf, objectOf } from "./support/recorded-requests.ts";
import { readFrames } from "./support/sse.ts";

const model = "gpt-4o";
let api: OpenAiServer;
/** What every case was answered with, complete and streamed. */
const answers: Record<string, { whole: Json; events: Json[]; names: (string | undefined)[]; type: string }> =
  {};

beforeAll(async () => {
  api = await openServer({ TACKLE_CONTINUE: "0" });
  for (const [name, { body, turn }] of Object.entries(CASES)) {
    api.play(turn(), turn());
    const whole = await post(body);
    expect(whole.headers.get("content-type")).toMatch(/^application\/json/);
    const json = objectOf(await whole.json());
    const streamed = await post({ ...body, stream: true });
    const text = await streamed.text();
    const frames = [...text.matchAll(/^(?:event: (.*)\n)?data: (.*)\n\n/gm)].map(([, event, data = ""]) => ({
      event,
      data,
    }));
    expect(frames.pop()).toEqual({ event: undefined, data: "[DONE]" });
    answers[name] = {
      whole: json,
      events: frames.map(({ data }) => objectOf(JSON.parse(data))),
      names: frames.map(({ event }) => event),
      type: streamed.headers.get("content-type") ?? "",
    };
  }
});
afterAll(() => api?.close());

function post(body: Json): Promise<Response> {
  return fetch(`${api.server.url}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer anything" },
    body: JSON.stringify({ model, ...body }),
  });
}

const all = () => Object.entries(answers);
const last = (events: Json[]) => objectOf(events.at(-1)?.response);
/** Every response that was sent, in whatever state. */
const responses = () =>
  all().flatMap(([, { whole, events }]) => [
    whole,
    ...events.flatMap(({ response }) => (response ? [objectOf(response)] : [])),
  ]);
const problems = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues ?? [];

describe("a response has, from its creation on,", () => {
  it.each(Object.entries(RESPONSE_FIELDS))("%s", (name, field) => {
    for (const response of responses()) {
      expect(response).toHaveProperty(name);
      expect(problems(field, response[name])).toEqual([]);
    }
  });
});

describe("an event of the type", () => {
  const sent = Object.keys(EVENTS).filter((type) => !/queued|failed/.test(type));
  it.each(sent)("%s has what it must have", (type) => {
    const events = all().flatMap(([, one]) => one.events.filter((event) => event.type === type));
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expect(problems(eventSchema(type), event)).toEqual([]);
  });
});

describe("a stream", () => {
  it("has the type of an event stream, and only events of the specification", () => {
    for (const [, { events, names, type }] of all()) {
      expect(type).toMatch(/^text\/event-stream/);
      expect(events.filter((event) => !(String(event.type) in EVENTS))).toEqual([]);
      expect(names).toEqual(events.map((event) => event.type));
    }
  });

  it("numbers its events without a gap", () => {
    for (const [, { events }] of all())
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  });

  it("begins with created and in_progress, and ends with the state that was reached", () => {
    for (const [name, { events }] of all()) {
      const types = events.map(({ type }) => String(type));
      expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
      expect(types.at(-1)).toBe(`response.${CASES[name]?.status ?? "completed"}`);
      expect(types.filter((type) => /^response\.\w+$/.test(type))).toHaveLength(3);
      expect(objectOf(events[0]?.response)).toMatchObject({
        status: "in_progress",
        output: [],
        completed_at: null,
      });
    }
  });

  it("opens every item, then its parts, then closes both, and no two texts at a time", () => {
    for (const [, { events }] of all()) {
      const inOrder = events.filter(({ type }) => !/^response\.\w+$/.test(String(type)));
      const steps = inOrder.map(({ type, output_index }) => [
        output_index,
        String(type).split(".").slice(1).join("."),
      ]);
      const byItem = Map.groupBy(steps, ([index]) => index);
      expect([...byItem.keys()]).toEqual([...byItem.keys()].map((_, index) => index));
      for (const [, list] of byItem) {
        const path = list.map(([, step]) => step).join(" ");
        expect(path).toMatch(
          /^output_item\.added (content_part\.added (output_text\.delta )+output_text\.done content_part\.done|reasoning_summary_part\.added (reasoning_summary_text\.delta )+reasoning_summary_text\.done reasoning_summary_part\.done|(function_call_arguments\.delta )+function_call_arguments\.done) output_item\.done$/,
        );
      }
      const order = steps.map(([index]) => Number(index));
      expect(order).toEqual(order.toSorted((left, right) => left - right));
    }
  });

  it("adds up: deltas to texts and arguments, and items to the output", () => {
    for (const [, { events }] of all()) {
      const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
      expect(last(events).output).toEqual(done);
      for (const { type, item_id, ...end } of events.filter(({ type }) =>
        /(text|arguments)\.done$/.test(String(type)),
      )) {
        const delta = String(type).replace(/done$/, "delta");
        const pieces = events.filter((event) => event.type === delta && event.item_id === item_id);
        expect(pieces.map((piece) => piece.delta).join("")).toBe(end.text ?? end.arguments);
      }
    }
  });

  it("adds items in progress, without content, and with the names that are known", () => {
    for (const [, { events }] of all())
      for (const { type, item } of events) {
        if (type !== "response.output_item.added") continue;
        const { status, content = [], summary = [], arguments: args = "" } = objectOf(item);
        expect({ status, content, summary, args }).toEqual({
          ...{ status: "in_progress", content: [], summary: [], args: "" },
        });
      }
  });

  it("tells the same as the complete response", () => {
    const shape = ({ output, status, incomplete_details, error }: Json) => ({
      ...{ status, incomplete_details, error },
      output: listOf(output).map(({ id: _id, call_id: _call, ...item }) => item),
    });
    for (const [, { whole, events }] of all()) expect(shape(last(events))).toEqual(shape(whole));
  });
});

describe("items", () => {
  it("are of the specification's types, with ids of their own", () => {
    for (const response of responses()) {
      const items = listOf(response.output);
      for (const item of items)
        expect(problems(ITEMS[String(item.type) as keyof typeof ITEMS] ?? z.never(), item)).toEqual([]);
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    }
  });

  it("are completed in a complete response, and only the last of an incomplete one is not", () => {
    for (const [name, { whole }] of all()) {
      const states = listOf(whole.output).map(({ status }) => status);
      const end = CASES[name]?.status === "incomplete" ? "incomplete" : "completed";
      expect(states).toEqual(states.map((_, index) => (index === states.length - 1 ? end : "completed")));
    }
  });

  it("say why a response is incomplete", () => {
    expect(answers["an answer that is cut off"]?.whole).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      completed_at: null,
    });
    const filtered = answers["an answer that is filtered"]?.whole;
    expect(filtered?.incomplete_details).toEqual({ reason: "content_filter" });
  });

  it("that a client gets back have all their fields", async () => {
    api.play(chatTurn({ text: "A cat." }));
    const { body } = CASES["the result of a call"] ?? {};
    const { id } = objectOf(await (await post({ ...body })).json());
    const listed = await fetch(`${api.server.url}/v1/responses/${id}/input_items?order=asc`);
    const [, call, output] = listOf(objectOf(await listed.json()).data);
    expect(problems(ITEMS.function_call, call)).toEqual([]);
    expect(problems(ITEMS.function_call_output, output)).toEqual([]);
  });
});

describe("a response repeats", () => {
  it("the settings of its request", () => {
    const { body = {} } = CASES["every setting"] ?? {};
    const { input: _input, ...settings } = body;
    for (const response of [answers["every setting"]?.whole, last(answers["every setting"]?.events ?? [])])
      expect(response).toMatchObject(settings);
  });

  it("tools with what they did not say as null", () => {
    const [tool] = listOf(answers["a call"]?.whole.tools);
    expect(tool).toEqual({ ...look, description: null, strict: null });
    const [strict] = listOf(answers["several calls"]?.whole.tools);
    expect(strict).toMatchObject({ strict: true, description: "Looks." });
  });

  it("defaults where its request says nothing", () => {
    expect(answers["a text"]?.whole).toMatchObject({
      ...{ temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
      ...{ service_tier: "default", truncation: "disabled", tool_choice: "auto", parallel_tool_calls: true },
      ...{ store: true, background: false, metadata: {}, tools: [], text: { format: { type: "text" } } },
      ...{ safety_identifier: null, prompt_cache_key: null, previous_response_id: null, instructions: null },
    });
  });

  it("when it was completed, and what it used", () => {
    for (const [name, { whole }] of all()) {
      const { created_at, completed_at, usage } = whole;
      if (!CASES[name]?.status) expect(Number(completed_at)).toBeGreaterThanOrEqual(Number(created_at));
      expect(objectOf(usage).total_tokens).toBeGreaterThan(0);
    }
  });
});

describe("a response that continues another", () => {
  it("reads its input, its output, and what is new, in this order", async () => {
    api.play(chatTurn({ text: "Noted." }), chatTurn({ text: "Ada." }));
    const { id } = objectOf(await (await post({ input: "I am Ada." })).json());
    const next = objectOf(await (await post({ input: "Who am I?", previous_response_id: id })).json());
    expect(next.previous_response_id).toBe(id);
    expect(api.lastMessages().map(({ content }) => String(content).split("\n")[0])).toEqual([
      ...["I am Ada.", "Noted.", "Who am I?"],
    ]);
  });
});

describe("tools that are not allowed", () => {
  it("are not run, even if the model calls them", async () => {
    api.play(chatTurn({ calls: [{ name: "look", arguments: {} }] }), chatTurn({ text: "I cannot." }));
    const other = { ...look, name: "listen" };
    const allowed = { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "listen" }] };
    const response = await post({ input: "Look.", tools: [look, other], tool_choice: allowed });
    const { output } = objectOf(await response.json());
    expect(listOf(output).filter(({ type, name }) => type === "function_call" && name === "look")).toEqual(
      [],
    );
  });
});

describe("an error", () => {
  const refused: [string, Json, number, string | null][] = [
    ["a model that does not exist", { model: "no-such-model", input: "Hi" }, 404, "model"],
    ["a response without input", {}, 400, "input"],
    ["an input of another type", { input: 7 }, 400, "input"],
    ["a setting out of its bounds", { input: "Hi", temperature: 9 }, 400, "temperature"],
    [
      "a response that does not exist",
      { input: "Hi", previous_response_id: "resp_none" },
      400,
      "previous_response_id",
    ],
    [
      "a forced tool that is not there",
      { input: "Hi", tools: [look], tool_choice: { type: "function", name: "no" } },
      400,
      "tool_choice",
    ],
    ["a reference to nothing", { input: [{ type: "item_reference", id: "msg_none" }] }, 404, "input"],
  ];
  it.each(refused)("for %s has a type, a code, a parameter and a message", async (_, body, status, param) => {
    for (const stream of [false, true]) {
      const response = await post({ ...body, stream });
      expect(response.status).toBe(status);
      expect(response.headers.get("content-type")).toMatch(/^application\/json/);
      const json = await response.json();
      expect(problems(ERROR, json)).toEqual([]);
      expect(json.error).toMatchObject({ type: "invalid_request_error", param });
    }
  });

  it("of the model's vendor keeps its status", async () => {
    for (const stream of [false, true]) {
      api.play(errorTurn(429, { message: "slow down" }));
      const response = await post({ input: "Hi", stream });
      expect(response.status).toBe(429);
      expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(problems(ERROR, await response.json())).toEqual([]);
    }
  });

  it("in a stream ends it with response.failed", async () => {
    const text = "One two three four five six seven.";
    const cut = { ...chatTurn({ text, chunkSize: "word" }), faults: { cutAfterFrames: 4 } };
    api.play(cut, cut, cut, cut);
    const frames = await readFrames(await post({ input: "Hi", stream: true }));
    expect(frames.pop()?.data).toBe("[DONE]");
    const events = frames.map(({ data }) => objectOf(JSON.parse(data)));
    expect(events.at(-1)?.type).toBe("response.failed");
    expect(problems(eventSchema("response.failed"), events.at(-1))).toEqual([]);
    expect(last(events)).toMatchObject({
      status: "failed",
      error: { code: expect.any(String) },
      completed_at: null,
    });
  });
});
