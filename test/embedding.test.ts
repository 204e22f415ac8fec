import { existsSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ChatEvent,
  createTackle,
  defineProvider,
  defineTool,
  type EmbeddedTackle,
  type Model,
  streamTurn,
  type TackleOptions,
  toFetchHandler,
  z,
} from "../src/index.ts";

const opened: EmbeddedTackle[] = [];
async function start(options: Partial<TackleOptions> = {}): Promise<EmbeddedTackle> {
  const settings = { TACKLE_DEMO_TOKENS_PER_SECOND: "0", ...options.settings };
  const tackle = await createTackle({ dataDir: ":memory:", model: "demo/demo", ...options, settings });
  opened.push(tackle);
  return tackle;
}
afterEach(async () => {
  for (const tackle of opened.splice(0)) await tackle.close();
});

const echo = (name: string, answer: string) =>
  defineTool({
    name,
    description: "Says something.",
    effect: "read",
    retry: "pure",
    input: z.object({ text: z.string() }),
    run: ({ text }) => `${answer} ${text}`,
  });

async function eventsOf(tackle: EmbeddedTackle, message: string, signal?: AbortSignal): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of streamTurn(tackle.chat, { message }, { signal })) events.push(event);
  return events;
}

describe("embedded", () => {
  it("runs two independent instances side by side", async () => {
    const [one, two] = await Promise.all([
      start({ tools: [echo("say_one", "one")] }),
      start({ tools: [echo("say_two", "two")] }),
    ]);
    const [first, second] = await Promise.all([
      eventsOf(one, 'Use say_one with "hello"'),
      eventsOf(two, 'Use say_two with "hello"'),
    ]);
    const outputs = (events: ChatEvent[]) =>
      events.flatMap((event) => (event.type === "tool_result" ? [event.output] : []));
    expect(outputs(first)).toEqual([expect.stringContaining("one hello")]);
    expect(outputs(second)).toEqual([expect.stringContaining("two hello")]);
    expect((await one.chat.tools()).map(({ name }) => name)).not.toContain("say_two");
    expect(await one.chat.listSessions()).toHaveLength(1);
    await two.close();
    expect((await eventsOf(one, "Hello")).at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
  });

  it("removes its temporary folder when it closes, and ignores the environment", async () => {
    process.env.TACKLE_MAX_ITERATIONS = "not a number";
    try {
      const tackle = await start();
      const { dataDir } = tackle.internals.config;
      expect(existsSync(dataDir)).toBe(true);
      await tackle.close();
      expect(existsSync(dataDir)).toBe(false);
      await expect(tackle.generate({ prompt: "Hi" })).rejects.toThrow("Tackle is closed");
    } finally {
      delete process.env.TACKLE_MAX_ITERATIONS;
    }
  });

  it("stops the run when its signal is aborted before or during it", async () => {
    const tackle = await start({ settings: { TACKLE_DEMO_TOKENS_PER_SECOND: "20" } });
    const stop = new AbortController();
    let last: ChatEvent | undefined;
    for await (const event of streamTurn(
      tackle.chat,
      { message: "Tell me a story" },
      { signal: stop.signal },
    )) {
      if (event.type === "content_delta") stop.abort();
      last = event;
    }
    expect(last).toMatchObject({ type: "done", finishReason: "cancelled" });
    await expect(eventsOf(tackle, "Hello", AbortSignal.abort())).rejects.toThrow();
    expect(tackle.internals.activeRuns()).toBe(0);
  });

  it("accepts a custom model", async () => {
    const model: Model = {
      id: "mine/parrot",
      info: { name: "parrot" },
      async stream(_request, emit) {
        emit({ type: "text_delta", text: "Polly" });
        emit({ type: "finish", reason: "stop", parts: [{ type: "text", text: "Polly" }] });
      },
    };
    const tackle = await start({ model });
    const events = await eventsOf(tackle, "Hello");
    expect(events[0]).toMatchObject({ type: "session", model: "mine/parrot" });
    expect(JSON.stringify(events)).toContain("Polly");
    expect(await tackle.chat.models()).toContainEqual(
      expect.objectContaining({ id: "mine/parrot", default: true }),
    );
  });

  it("accepts vendors, and a policy as an object", async () => {
    const vendor = defineProvider({
      id: "acme",
      label: "Acme",
      baseUrl: "http://127.0.0.1:9/v1",
      baseUrlSetting: "ACME_BASE_URL",
      keySetting: "ACME_API_KEY",
      dialect: "openai-chat",
      models: [{ name: "anvil" }],
      unknownModel: {},
      quirks: {},
    });
    const tackle = await start({
      providers: [vendor],
      settings: { ACME_API_KEY: "k" },
      tools: [echo("say", "said")],
      policy: { rules: [{ tool: "say", action: "deny" }] },
    });
    expect(tackle.internals.models.resolve("acme/anvil").id).toBe("acme/anvil");
    const results = (await eventsOf(tackle, 'Use say with "hello"')).filter(
      ({ type }) => type === "tool_result",
    );
    expect(results).toEqual([expect.objectContaining({ success: false })]);
  });

  it("refuses invalid options and duplicate tool names with a clear message", async () => {
    await expect(
      start({ policy: { rules: [{ tool: "say", match: { text: "(" }, action: "deny" }] } }),
    ).rejects.toThrow(/regular expression/);
    await expect(start({ tools: [echo("get_time", "now")] })).rejects.toThrow(/already has that name/);
    await expect(start({ tools: [{ ...echo("fine", "now"), name: "not fine" }] })).rejects.toThrow(
      'The tool "not fine" is not valid. name: must be a letter',
    );
    await expect(start({ model: "nobody/nothing" })).rejects.toThrow(/nobody\/nothing/);
  });
});

describe("an app that is closed in the middle of an answer", () => {
  it("says so to everybody who waits for it", async () => {
    const tackle = await start({ settings: { TACKLE_DEMO_TOKENS_PER_SECOND: "1" } });
    const asked = tackle.generate({ prompt: "Tell me a story" }).catch((thrown: unknown) => thrown);
    const news: string[] = [];
    const told = (async () => {
      for await (const { event } of tackle.chat.feed()) news.push(event.type);
    })();
    const events = streamTurn(tackle.chat, { message: "Tell me a story" });
    expect((await events.next()).value?.type).toBe("session");
    const followed = (async () => {
      for await (const event of events) expect(event.type).not.toBe("done");
    })().catch((thrown: unknown) => thrown);
    await tackle.close();
    for (const outcome of [await asked, await followed])
      expect(outcome).toMatchObject({
        code: "INTERRUPTED",
        publicMessage: expect.stringContaining("closed"),
      });
    await told;
    expect(news).toContain("ready");
  });
});

describe("the fetch handler", () => {
  it("serves every route, and ends its streams when the app closes", async () => {
    const tackle = await start({ settings: { TACKLE_DEMO_TOKENS_PER_SECOND: "5" } });
    const handle = toFetchHandler(tackle);
    const tools = await handle(new Request("http://localhost/tools"));
    expect(tools.status).toBe(200);
    expect((await handle(new Request("http://evil.example/tools"))).status).toBe(403);
    expect((await handle(new Request("http://localhost/nothing"))).status).toBe(404);
    const called = await handle(
      new Request("http://localhost/tools/get_time", { method: "POST", body: '{"timeZone":"Asia/Tokyo"}' }),
    );
    expect(await called.json()).toMatchObject({
      success: true,
      output: expect.stringContaining("Asia/Tokyo"),
    });
    expect((await handle(new Request("http://localhost/tools/get_time", { method: "POST" }))).status).toBe(
      200,
    );
    const body = JSON.stringify({ message: "Tell me a story" });
    const answer = await handle(new Request("http://localhost/chat", { method: "POST", body }));
    const reader = answer.body?.getReader();
    const begun = new TextDecoder().decode((await reader?.read())?.value);
    expect(begun).toContain('"type":"session"');
    reader?.releaseLock();
    const rest = answer.text().catch(() => "broken off");
    await tackle.close();
    expect(await rest).not.toContain("[DONE]");
  });
});
