import { afterEach, expect, test } from "vitest";
import { createTackle, type EmbeddedTackle, streamTurn } from "../index.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { ollamaServer, ollamaTurn } from "../sim/testing/ollama-turn.ts";
import { startUpstream } from "../sim/testing/upstream.ts";
import { chatTurn, jsonTurn } from "../sim/turns.ts";
import type { RecordedRequest } from "../sim/upstream.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const MODELS = [
  { name: "qwen3:8b", contextLength: 40_960, capabilities: ["completion", "tools", "thinking"] },
  { name: "gemma:2b", contextLength: 8_192, capabilities: ["completion"] },
  { name: "nomic-embed-text", capabilities: ["embedding"] },
];

async function start(settings: Record<string, string> = {}) {
  const upstream = await startUpstream({
    respond: ollamaServer(MODELS, () => ollamaTurn({ text: "Hello." })),
  });
  closers.unshift(() => upstream.close());
  return { upstream, tackle: await open({ OLLAMA_BASE_URL: upstream.url, ...settings }) };
}

async function open(settings: Record<string, string>): Promise<EmbeddedTackle> {
  const tackle = await createTackle({ dataDir: ":memory:", settings: { TACKLE_LOG: "silent", ...settings } });
  closers.unshift(() => tackle.close());
  return tackle;
}

async function ask({ chat }: EmbeddedTackle, message: string, model: string, sessionId?: string) {
  const events: ChatEvent[] = [];
  for await (const event of streamTurn(chat, { message, model, ...(sessionId && { sessionId }) }))
    events.push(event);
  return events;
}

function warnings(events: ChatEvent[]): string[] {
  return events.flatMap((event) => (event.type === "warning" ? event.code : []));
}

function chats(requests: RecordedRequest[]) {
  return requests
    .filter(({ path }) => path === "/api/chat")
    .map(({ body }) => body as { tools?: object[]; options: { num_ctx: number } });
}

test("the models of an Ollama server are listed with what the server knows of them, but not those that embed", async () => {
  const { tackle } = await start();
  const listed = (await tackle.internals.models.list()).filter(({ id }) => id.startsWith("ollama/"));
  expect(listed).toMatchObject([
    { id: "ollama/qwen3:8b", contextWindow: 32_768, supportsTools: true, supportsImages: false },
    { id: "ollama/gemma:2b", contextWindow: 8_192, supportsTools: false },
  ]);
  expect(listed).toHaveLength(2);
});

test.each([
  [undefined, 32_768, 8_192],
  ["4096", 4_096, 4_096],
  ["100000", 40_960, 8_192],
])(
  "with OLLAMA_NUM_CTX %s, the context is the smaller of it and the model's",
  async (setting, large, small) => {
    const { tackle, upstream } = await start(setting === undefined ? {} : { OLLAMA_NUM_CTX: setting });
    await ask(tackle, "Hi", "ollama/qwen3:8b");
    await ask(tackle, "Hi", "ollama/gemma:2b");
    expect(chats(upstream.requests).map(({ options }) => options.num_ctx)).toEqual([large, small]);
  },
);

test("a model without tools is asked without them, and the person is told once in a session", async () => {
  const { tackle, upstream } = await start();
  const first = await ask(tackle, "Hi", "ollama/gemma:2b");
  expect(warnings(first)).toEqual(["TOOLS_NOT_SUPPORTED"]);
  const session = first.find((event) => event.type === "session");
  expect(warnings(await ask(tackle, "And?", "ollama/gemma:2b", session?.sessionId))).toEqual([]);
  expect(chats(upstream.requests).map(({ tools }) => tools)).toEqual([undefined, undefined]);
  expect(warnings(await ask(tackle, "Hi", "ollama/qwen3:8b"))).toEqual([]);
});

test("a model that turns out to take no tools is asked again without them", async () => {
  const { tackle, upstream } = await start();
  const serve = ollamaServer([{ name: "late:1b", capabilities: ["completion"] }], () =>
    ollamaTurn({ text: "Hello." }),
  );
  // Its lists do not say it.
  const listing = ollamaServer(MODELS, () => ollamaTurn({ text: "Hello." }));
  upstream.respond((request) => (request.path === "/api/chat" ? serve(request) : listing(request)));
  const events = await ask(tackle, "Hi", "ollama/late:1b");
  expect(warnings(events)).toEqual(["TOOLS_NOT_SUPPORTED"]);
  expect(chats(upstream.requests).map(({ tools }) => tools !== undefined)).toEqual([true, false]);
  expect(events.at(-1)).toMatchObject({ type: "done" });
  expect(warnings(await ask(tackle, "Hi", "ollama/late:1b"))).toEqual(["TOOLS_NOT_SUPPORTED"]);
  expect(chats(upstream.requests)).toHaveLength(3);
});

test("a prompt that Ollama cut is reported, and a model that is missing can be pulled", async () => {
  const { tackle, upstream } = await start();
  upstream.respond(ollamaServer(MODELS, () => ollamaTurn({ text: "Hello.", usage: { inputTokens: 2_000 } })));
  expect(warnings(await ask(tackle, "word ".repeat(8_000), "ollama/qwen3:8b"))).toEqual(["CONTEXT_CUT"]);
  const missing = await ask(tackle, "Hi", "ollama/none:7b");
  expect(missing).toContainEqual(
    expect.objectContaining({ type: "error", error: expect.stringContaining("ollama pull none:7b") }),
  );
});

test.each(["", "/v1", "/v1/"])(
  "a server with only the OpenAI route works at its address%s",
  async (suffix) => {
    const upstream = await startUpstream({
      respond: ({ path }) => {
        if (path === "/v1/models") return jsonTurn({ data: [{ id: "local" }] });
        return path === "/v1/chat/completions"
          ? chatTurn({ text: "Hello." })
          : jsonTurn({ error: "no" }, 404);
      },
    });
    closers.unshift(() => upstream.close());
    const tackle = await open({ OLLAMA_BASE_URL: `${upstream.url}${suffix}` });
    expect(tackle.internals.models.defaultId()).toBe("ollama/local");
    const events = await ask(tackle, "Hi", "ollama/local");
    expect(events.at(-1)).toMatchObject({ type: "done" });
  },
);
