import { afterEach, describe, expect, expectTypeOf, it } from "vitest";
import {
  createTackle,
  defineTool,
  type EmbeddedTackle,
  isCallOf,
  type TackleOptions,
  z,
} from "../src/index.ts";
import { calls, says, scriptedModel } from "../src/loop/testing/scripted.ts";

const opened: EmbeddedTackle[] = [];
async function start(options: TackleOptions = {}): Promise<EmbeddedTackle> {
  const tackle = await createTackle(options);
  opened.push(tackle);
  return tackle;
}
afterEach(async () => {
  for (const tackle of opened.splice(0)) await tackle.close();
});

const weather = defineTool({
  name: "weather",
  description: "The weather in a city.",
  effect: "read",
  retry: "pure",
  input: z.object({ city: z.string() }),
  run: ({ city }) => `Rain in ${city}.`,
});
const asksWeather = calls({ name: "weather", arguments: '{"city":"Oslo"}' });

describe("generate", () => {
  it("works without any option, with the demo model", async () => {
    const { text, finishReason, usage } = await (await start()).generate({ prompt: "What is 6 * 7?" });
    expect(text).toContain("42");
    expect(finishReason).toBe("stop");
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it("returns the text, the calls with their results, and goes on in the same session", async () => {
    const { model, requests } = scriptedModel([asksWeather, says("Take an umbrella."), says("Still rain.")]);
    const { generate } = await start({ model, tools: [weather], system: "You are a forecaster." });
    const first = await generate({ prompt: "Do I need an umbrella in Oslo?" });
    expect(first).toMatchObject({
      text: "Take an umbrella.",
      steps: 2,
      toolCalls: [
        { toolName: "weather", arguments: { city: "Oslo" }, success: true, output: "Rain in Oslo." },
      ],
    });
    for (const call of first.toolCalls)
      if (isCallOf(weather, call)) expectTypeOf(call.arguments).toEqualTypeOf<{ city: string }>();
    await generate({ prompt: "And now?", sessionId: first.sessionId, system: "Answer briefly." });
    expect(requests.map(({ system }) => system)).toEqual([
      "You are a forecaster.",
      "You are a forecaster.",
      "Answer briefly.",
    ]);
    expect(requests.at(-1)?.messages).toHaveLength(3);
  });

  it("offers only the tools that the program wants", async () => {
    const { model, requests } = scriptedModel([says("Hi.")]);
    const namesWith = async (tools: TackleOptions["tools"]) => {
      await (await start({ model, tools })).generate({ prompt: "Hi" });
      return requests.at(-1)?.tools.map(({ name }) => name);
    };
    expect(await namesWith({ builtin: false, own: [weather] })).toEqual(["weather"]);
    expect(await namesWith({ builtin: ["get_time"] })).toEqual(["get_time"]);
    expect(await namesWith([weather])).toContain("get_time");
    await expect(start({ tools: { builtin: ["get_tim"] } })).rejects.toThrow(/no built-in tool "get_tim"/);
    const plain = { name: "plain", description: "A tool.", effect: "read", run: () => "done" };
    await expect(start({ tools: [plain as never] })).rejects.toThrow(
      'The tool "plain" is not valid. Make it with defineTool().',
    );
  });

  it("returns a value that matches a schema", async () => {
    const { model, requests } = scriptedModel([asksWeather, says('{"rain":true,"city":"Oslo"}')]);
    const { generate } = await start({ model, tools: { builtin: false, own: [weather] } });
    const schema = z.object({ rain: z.boolean(), city: z.string() });
    const { object } = await generate({ prompt: "Oslo?", schema });
    expectTypeOf(object).toEqualTypeOf<{ rain: boolean; city: string } | undefined>();
    expect(object).toEqual({ rain: true, city: "Oslo" });
    expect(requests[0]?.responseFormat).toMatchObject({
      type: "json",
      schema: { required: ["rain", "city"] },
    });
  });

  it("asks for what a schema takes, and returns what it makes of it", async () => {
    const { model, requests } = scriptedModel([says('{"day":"2026-11-19","tags":["a"]}')]);
    const { generate } = await start({ model });
    const tags = z.array(z.string()).transform(({ length }) => length);
    const schema = z.object({
      day: z.string().transform((day) => new Date(day)),
      tags,
      place: z.string().default("here"),
    });
    const { object } = await generate({ prompt: "When?", schema });
    expect(object).toEqual({ day: new Date("2026-11-19"), tags: 1, place: "here" });
    expect(requests[0]?.responseFormat).toMatchObject({
      schema: {
        properties: { day: { type: "string" }, tags: { type: "array" } },
        required: ["day", "tags"],
        additionalProperties: false,
      },
    });
  });

  it("fails if the program's own handling of an event fails, now or later", async () => {
    const { model } = scriptedModel([says("Hi."), says("Hi.")]);
    const { generate } = await start({ model });
    const fail = () => {
      throw new Error("the disk is full");
    };
    await expect(generate({ prompt: "Hi", onEvent: fail })).rejects.toThrow("the disk is full");
    const failsLater = async () => fail();
    await expect(generate({ prompt: "Hi", onEvent: failsLater })).rejects.toThrow("the disk is full");
  });

  it("stops at the limits of the call", async () => {
    const { model } = scriptedModel([asksWeather, asksWeather, asksWeather, says("Done.")]);
    const { generate } = await start({ model, tools: [weather] });
    expect(await generate({ prompt: "Go", maxSteps: 2 })).toMatchObject({
      finishReason: "iteration_limit",
      steps: 2,
    });
    expect((await generate({ prompt: "Go", maxToolCalls: 0 })).toolCalls).toMatchObject([{ success: false }]);
  });

  it("tells the model that nobody is there, unless the program answers", async () => {
    const asks = calls({ name: "ask_user", arguments: '{"question":"Which?","options":["red","blue"]}' });
    const { model } = scriptedModel([asks, says("a"), asks, says("b"), asks, says("c")]);
    const { generate } = await start({ model });
    const outputOf = async (options: object) =>
      (await generate({ prompt: "Ask", ...options })).toolCalls[0]?.output;
    expect(await outputOf({})).toContain("Nobody is there to answer");
    expect(await outputOf({ approve: () => "deny" })).toContain("Nobody is there to answer");
    expect(await outputOf({ answer: () => "blue" })).toBe("The person chose: blue");
  });

  it("denies what needs an approval, unless the program decides", async () => {
    const order = defineTool({
      name: "order",
      description: "Orders a thing.",
      effect: "write",
      retry: "unsafe",
      input: z.object({ thing: z.string() }),
      run: ({ thing }) => `Ordered ${thing}.`,
    });
    const { model } = scriptedModel([
      calls({ name: "order", arguments: '{"thing":"tea"}' }),
      says("Done."),
      calls({ name: "order", arguments: '{"thing":"tea"}' }),
      says("Done."),
    ]);
    const { generate } = await start({ model, tools: [order] });
    const denied = await generate({ prompt: "Order tea" });
    expect(denied.toolCalls).toMatchObject([
      { success: false, output: expect.stringContaining("Nobody can approve") },
    ]);
    const approved = await generate({ prompt: "Order tea", approve: () => "once" });
    expect(approved.toolCalls).toMatchObject([{ success: true, output: "Ordered tea." }]);
  });

  it("throws what went wrong", async () => {
    const { generate } = await start();
    await expect(generate({ prompt: 5 as never })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(generate({ prompt: "Hi", model: "no/such" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await expect(generate({ prompt: "Hi", signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "CANCELLED",
    });
    await expect(generate({})).rejects.toThrow("give either prompt or messages");
  });
});

it("unknown options are refused by name", async () => {
  const options: object = { modle: "demo/demo" };
  await expect(createTackle(options)).rejects.toThrow('there is no option "modle". Did you mean "model"?');
  const { chat, generate } = await start();
  const call: { prompt: string } = JSON.parse('{ "prompt": "Hi", "maxStep": 1 }');
  await expect(generate(call)).rejects.toThrow('Did you mean "maxSteps"?');
  const send: object = { timeout: 5 };
  await expect(chat.send({ message: "Hi" }, send)).rejects.toThrow('there is no option "timeout"');
  const others: object = { aftr: 1 };
  const next = (events: AsyncIterable<unknown>) => events[Symbol.asyncIterator]().next();
  await expect(next(chat.follow("run_1", others))).rejects.toThrow('Did you mean "after"?');
  expect(() => chat.feed(others)).toThrow('Did you mean "after"?');
});

it("a follower is told when it has caught up", async () => {
  const { model } = scriptedModel([asksWeather, says("Take an umbrella.")]);
  const slow = Promise.withResolvers<string>();
  const waits = defineTool({ ...definition, run: () => slow.promise });
  const { chat } = await start({ model, tools: [waits] });
  const { runId } = await chat.send({ message: "Oslo?" });
  const seen: string[] = [];
  const onLive = () => {
    seen.push("live");
    slow.resolve("Rain.");
  };
  for await (const { event } of chat.follow(runId, { onLive })) seen.push(event.type);
  expect(seen.filter((type) => type === "live")).toHaveLength(1);
  expect(seen.indexOf("live")).toBeGreaterThan(0);
  expect(seen.at(-1)).toBe("done");
  const again: string[] = [];
  for await (const { event } of chat.follow(runId, { onLive: () => again.push("live") }))
    again.push(event.type);
  expect(again).not.toContain("live");
});

const definition = {
  name: "weather",
  description: "The weather in a city.",
  effect: "read",
  retry: "pure",
  input: z.object({ city: z.string() }),
} as const;
