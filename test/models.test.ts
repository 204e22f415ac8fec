import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChatEvent } from "../src/protocol/events.ts";
import { reduceAll } from "../src/protocol/reduce.ts";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { errorTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";
import { type ScriptedVendor, VENDORS } from "./support/vendors.ts";

type Json = Record<string, unknown>;

const folder = temporaryFolder();
const upstreams = new Map<ScriptedVendor, Upstream>();

/** A user's tool with a dot in its name, which most vendors refuse. */
const TOOL = `export default {
  name: "echo.back",
  description: "Says it again.",
  effect: "none",
  retry: "pure",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: ({ text }) => "echo of " + text,
};`;
const WIRE_NAME = "echo_back";

function dataDir(name: string): string {
  const path = `${folder.path}/${name}`;
  mkdirSync(`${path}/tools`, { recursive: true });
  writeFileSync(`${path}/tools/echo.mjs`, TOOL);
  return path;
}

function settings(): Record<string, string> {
  const pairs = VENDORS.flatMap((vendor): [string, string][] => [
    [`${vendor.setting}_API_KEY`, "test-key"],
    [`${vendor.setting}_BASE_URL`, upstreamOf(vendor).url + vendor.basePath],
  ]);
  return Object.fromEntries(pairs);
}

function upstreamOf(vendor: ScriptedVendor): Upstream {
  const upstream = upstreams.get(vendor);
  if (!upstream) throw new Error(`no upstream for ${vendor.model}`);
  return upstream;
}

function bodiesOf(vendor: ScriptedVendor): Json[] {
  return upstreamOf(vendor)
    .requests.filter(({ method }) => method === "POST")
    .map(({ body }) => body as Json);
}

function newestBody(vendor: ScriptedVendor): Json {
  return bodiesOf(vendor).at(-1) ?? {};
}

function textOf(events: ChatEvent[]): string {
  return reduceAll(events).text;
}

beforeAll(async () => {
  for (const vendor of VENDORS) upstreams.set(vendor, await startUpstream());
});
beforeEach(() => {
  for (const upstream of upstreams.values()) upstream.requests.splice(0);
});
afterAll(async () => {
  for (const upstream of upstreams.values()) await upstream.close();
  folder.remove();
});

describe("a session whose model changes", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer(dataDir("matrix"), settings());
  });
  afterAll(() => server.stop());

  /** Runs one turn: the model reasons and calls the tool for each text, then reasons again and answers. */
  async function turn(vendor: ScriptedVendor, tag: string, texts: string[], sessionId?: string) {
    const calls = texts.map((text) => ({ name: WIRE_NAME, arguments: { text } }));
    upstreamOf(vendor).play(
      vendor.answer({ reasoning: `thought ${tag} one`, calls }, secretOf(vendor, tag, 1)),
      vendor.answer({ reasoning: `thought ${tag} two`, text: `answer ${tag}` }, secretOf(vendor, tag, 2)),
    );
    const events = await chat(server.url, {
      message: `question ${tag}`,
      model: vendor.model,
      tools: ["echo.back", "get_time"],
      reasoningEffort: "low",
      ...(sessionId && { sessionId }),
    });
    expect(textOf(events)).toBe(`answer ${tag}`);
    expect(firstEvent(events, "done").finishReason).toBe("stop");
    const started = events.filter((event) => event.type === "tool_call_start");
    expect(started.map(({ toolName }) => toolName)).toEqual(texts.map(() => "echo.back"));
    return firstEvent(events, "session").sessionId;
  }

  /** Characters that a careless copy would change, within what the vendor's own signatures consist of. */
  function secretOf({ dialect }: ScriptedVendor, tag: string, step: number): string {
    return dialect === "gemini" ? `${tag}${step}/+==` : `${tag}-${step}/+==\u00e9"\\n`;
  }

  function expectKept(vendor: ScriptedVendor, body: Json, tag: string) {
    const found: unknown[] = [];
    JSON.stringify(body, (_key, value) => {
      if (typeof value === "object" && value !== null) found.push(value);
      return value;
    });
    for (const [step, word] of ["one", "two"].entries()) {
      const kept = vendor.kept(`thought ${tag} ${word}`, secretOf(vendor, tag, step + 1));
      expect(found).toContainEqual(expect.objectContaining(kept));
    }
  }

  function expectNothingOf(vendor: ScriptedVendor, body: Json, tag: string) {
    const text = JSON.stringify(body);
    expect(text).not.toContain(JSON.stringify(secretOf(vendor, tag, 1)).slice(1, -1));
    expect(text).not.toContain(JSON.stringify(secretOf(vendor, tag, 2)).slice(1, -1));
    expect(text).not.toContain(`thought ${tag}`);
    expect(text).toContain(`answer ${tag}`);
  }

  function expectCalls(vendor: ScriptedVendor, body: Json, texts: string[]) {
    const { calls, results } = vendor.history(body);
    expect(calls.map(({ name }) => name)).toEqual(texts.map(() => WIRE_NAME));
    for (const { id } of calls) if (id !== undefined) expect(id).toMatch(vendor.ids);
    expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
    const ids = calls.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const echoes = results.map(({ text }) => /<result>(.*)<\/result>/.exec(text)?.[1]);
    expect(echoes).toEqual(texts.map((text) => `echo of ${text}`));
  }

  const pairs = VENDORS.flatMap((from) => VENDORS.map((to) => ({ from, to })));

  it.each(pairs)(
    "keeps calls, results and each vendor's own data from $from.dialect to $to.dialect and back",
    async ({ from, to }) => {
      const same = from === to;
      const sessionId = await turn(from, "A", ["a1", "a2"]);

      await turn(to, "B", ["b1"], sessionId);
      const second = newestBody(to);
      expectCalls(to, second, ["a1", "a2", "b1"]);
      // Within a turn, the model gets its earlier reasoning back.
      expect(JSON.stringify(second)).toContain(
        to.dialect === "openai-chat" ? "thought B one" : JSON.stringify(secretOf(to, "B", 1)).slice(1, -1),
      );
      if (same) expectKept(to, second, "A");
      else expectNothingOf(from, second, "A");

      await turn(from, "C", ["c1"], sessionId);
      const third = newestBody(from);
      expectCalls(from, third, ["a1", "a2", "b1", "c1"]);
      expectKept(from, third, "A");
      if (same) expectKept(from, third, "B");
      else expectNothingOf(to, third, "B");
    },
  );

  it.each(VENDORS)(
    "$dialect: a request starts with the exact bytes of the previous turn's request",
    async (vendor) => {
      const sessionId = await turn(vendor, "A", ["a1", "a2"]);
      await turn(vendor, "B", ["b1"], sessionId);
      await turn(vendor, "C", ["c1"], sessionId);
      const bodies = bodiesOf(vendor).map((body) => serialized(vendor, body));
      expect(bodies).toHaveLength(6);
      for (const [index, body] of bodies.entries()) {
        const before = bodies[index - 1];
        if (before) expect(body.all.startsWith(before.prefix)).toBe(true);
      }
      const offers = bodiesOf(vendor).map((body) => vendor.tools(body));
      expect(offers).toEqual(offers.map(() => [WIRE_NAME, "get_time"]));
    },
  );

  /** Returns a body as text with its cacheable part, which ends with the last message. */
  function serialized(vendor: ScriptedVendor, body: Json): { all: string; prefix: string } {
    // Anthropic's cache marks move to the newest messages and are not part of the cached content.
    const plain: Json =
      vendor.dialect === "anthropic-messages" ? { ...body, messages: withoutMarks(body.messages) } : body;
    const all = JSON.stringify(plain);
    const conversation = JSON.stringify(vendor.conversation(plain));
    return { all, prefix: all.slice(0, all.indexOf(conversation) + conversation.length - 1) };
  }

  function withoutMarks(messages: unknown): unknown {
    return JSON.parse(
      JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value)),
    );
  }

  it.each(VENDORS)("$dialect: the usage of a run is the sum of its steps, with its cost", async (vendor) => {
    const calls = [{ name: WIRE_NAME, arguments: { text: "x" } }];
    const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 40 };
    upstreamOf(vendor).play(
      vendor.answer({ calls, usage }, secretOf(vendor, "U", 1)),
      vendor.answer({ text: "Done", usage: { ...usage, inputTokens: 150 } }, secretOf(vendor, "U", 2)),
    );
    const events = await chat(server.url, { message: "Go", model: vendor.model, tools: ["echo.back"] });
    const total = events.findLast((event) => event.type === "usage");
    expect(total).toMatchObject({ inputTokens: 250, outputTokens: 40, cachedTokens: 80 });
    expect(total?.costUsd).toBeGreaterThan(0);
  });
});

describe("answers that OpenAI may store", () => {
  const openai = VENDORS.find(({ setting }) => setting === "OPENAI") as ScriptedVendor;
  const ask = { model: openai.model, tools: ["echo.back"] };
  const typesOf = (body: Json | undefined) =>
    ((body?.input ?? []) as Json[]).map(({ type, role }) => role ?? type);
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer(dataDir("stored"), { ...settings(), OPENAI_STORE: "1" });
  });
  afterAll(() => server.stop());

  it("are continued by their id, with only what is new", async () => {
    const calls = [{ name: WIRE_NAME, arguments: { text: "x" } }];
    const upstream = upstreamOf(openai);
    upstream.play(responsesTurn({ calls }), responsesTurn({ text: "One" }), responsesTurn({ text: "Two" }));
    const { sessionId } = firstEvent(await chat(server.url, { ...ask, message: "First" }), "session");
    expect(textOf(await chat(server.url, { ...ask, message: "Second", sessionId }))).toBe("Two");
    const bodies = bodiesOf(openai);
    expect(bodies.map((body) => body.store)).toEqual([true, true, true]);
    expect(bodies.map((body) => body.previous_response_id)).toEqual([
      undefined,
      expect.stringMatching(/^resp_/),
      expect.stringMatching(/^resp_/),
    ]);
    expect(bodies[1]?.previous_response_id).not.toBe(bodies[2]?.previous_response_id);
    expect(bodies.map(typesOf)).toEqual([["user"], ["function_call_output"], ["user"]]);
    expect(JSON.stringify(bodies[2])).toContain("Second");
    expect(JSON.stringify(bodies[2])).not.toContain("First");
  });

  it("are sent in full, once, if the vendor no longer has them", async () => {
    const upstream = upstreamOf(openai);
    const gone = errorTurn(400, {
      code: "previous_response_not_found",
      message: "Previous response with id 'resp_x' not found.",
    });
    upstream.play(responsesTurn({ text: "One" }), gone, responsesTurn({ text: "Two" }));
    const { sessionId } = firstEvent(await chat(server.url, { ...ask, message: "First" }), "session");
    const events = await chat(server.url, { ...ask, message: "Second", sessionId });
    expect(textOf(events)).toBe("Two");
    expect(events.some(({ type }) => type === "retry_status")).toBe(false);
    const bodies = bodiesOf(openai);
    expect(bodies.map(typesOf)).toEqual([["user"], ["user"], ["user", "assistant", "user"]]);
    expect(bodies[1]).toHaveProperty("previous_response_id");
    expect(bodies[2]).not.toHaveProperty("previous_response_id");

    upstream.play(gone, gone);
    const refused = await chat(server.url, { ...ask, message: "Third", sessionId });
    expect(firstEvent(refused, "error")).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
    expect(bodiesOf(openai)).toHaveLength(5);
  });
});
