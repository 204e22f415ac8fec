import { describe, expect, it } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { Model, ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { findProblems, type Vendor } from "../../sim/testing/rules/find-problems.ts";
import { readProviders } from "../read-providers.ts";
import { withContinuation } from "./continuation.ts";
import { DIALECTS } from "./dialects.ts";
import { createModel } from "./exchange.ts";
import { learnedBy } from "./learned.ts";
import { testContext } from "./testing/replay.ts";

const HALF = "The quick brown fox jumps over the lazy dog and then sle";
const question = textMessage("m1", "user", "Tell me.");

/** The app that all models here belong to. */
const asker = {};

function streamed(events: ModelEvent[][] = []) {
  const requests: ModelRequest[] = [];
  const stream: Model["stream"] = async (request, emit) => {
    requests.push(request);
    for (const event of events[requests.length - 1] ?? []) emit(event);
  };
  return { stream, requests };
}

async function ask(
  request: Partial<ModelRequest>,
  quirks: object = {},
  events: ModelEvent[][] = [],
  id = "a/b",
) {
  const { stream, requests } = streamed(events);
  const received: ModelEvent[] = [];
  const context = testContext({ quirks: { ...quirks }, modelId: id });
  const model = withContinuation(stream, context, learnedBy(asker, id, ""));
  await model(
    { messages: [question], tools: [], ...request },
    (event) => received.push(event),
    AbortSignal.any([]),
  );
  return {
    requests,
    received,
    texts: requests.map(({ messages }) => messages.map(({ role, parts }) => [role, parts[0]])),
  };
}

describe("the rest of an answer", () => {
  it("is asked for in words after what was said, which are not stored", async () => {
    const messages = [question];
    const { requests } = await ask({ messages, continues: HALF });
    expect(messages).toHaveLength(1);
    expect(requests[0]).not.toHaveProperty("continues");
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(requests[0]?.messages[1]).toMatchObject({ model: "a/b", parts: [{ text: HALF }] });
    const asked = JSON.stringify(requests[0]?.messages[2]);
    expect(asked).toContain("<last_words>jumps over the lazy dog and then sle</last_words>");
  });

  it("is left to a model that goes on writing, unless a blank would be lost or JSON is asked for", async () => {
    const prefill = { prefill: true };
    const roles = async (request: Partial<ModelRequest>) =>
      (await ask(request, prefill, [], "a/prefills")).requests[0]?.messages.map(({ role }) => role);
    expect(await roles({ continues: HALF })).toEqual(["user", "assistant"]);
    expect(await roles({ continues: `${HALF} ` })).toEqual(["user", "assistant", "user"]);
    const json = await ask({ continues: '{"a"', responseFormat: { type: "json" } }, prefill);
    expect(json.requests[0]?.messages).toHaveLength(3);
    expect(json.requests[0]).not.toHaveProperty("responseFormat");
  });

  it.each([
    "This model does not support assistant message prefill. The conversation must end with a user message.",
    "Requests ending with a model turn are not supported",
  ])("is asked for in words where that is refused: %s", async (message) => {
    const { Failure } = await import("../../protocol/failure.ts");
    const failure = new Failure("UPSTREAM_ERROR", "No.", {
      retryable: false,
      details: { upstreamStatus: 400 },
      cause: { message },
    });
    const id = `a/${message.length}`;
    const first = await ask({ continues: HALF }, { prefill: true }, [[{ type: "failure", failure }]], id);
    expect(first.requests.map(({ messages }) => messages.length)).toEqual([2, 3]);
    expect(first.received).toEqual([]);
    const second = await ask({ continues: HALF }, { prefill: true }, [], id);
    expect(second.requests.map(({ messages }) => messages.length)).toEqual([3]);
  });

  it.each([
    ["a code block", "Look:\n\n```js\nconst a", "code block"],
    ["a table", "| a | b |\n|---|---|\n| 1 ", "table"],
  ])("says that it is inside %s", async (_, continues, word) => {
    const { requests } = await ask({ continues });
    expect(JSON.stringify(requests[0]?.messages[2])).toContain(word);
  });

  it("names enough words to find the place again", async () => {
    const { requests } = await ask({ continues: `${"again and again ".repeat(30)}ag` });
    const [, words = ""] =
      /<last_words>(.*)<\/last_words>/.exec(JSON.stringify(requests[0]?.messages[2])) ?? [];
    expect(words.length).toBeGreaterThan(150);
  });
});

const providers = (await readProviders()).filter(({ id }) => id !== "demo");
const models = providers.flatMap((provider) => provider.models.map((modelInfo) => ({ provider, modelInfo })));

it("follows the rules of every vendor and model, after a question and after results", async () => {
  const called = {
    ...textMessage("m2", "assistant", "Let me look."),
    parts: [
      { type: "text" as const, text: "Let me look." },
      { type: "tool_call" as const, id: "call_1", name: "look", arguments: "{}" },
      {
        type: "tool_result" as const,
        toolCallId: "call_1",
        toolName: "look",
        success: true,
        output: "seen",
        trust: "trusted" as const,
      },
    ],
  };
  const tools = [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }];
  for (const { provider, modelInfo } of models) {
    const id = typeof provider.dialect === "string" ? provider.dialect : provider.dialect(modelInfo.name);
    const dialect = DIALECTS[id];
    if (!dialect || id === "openai-images" || modelInfo.outputsImages) continue;
    for (const messages of [[question], [question, called]])
      for (const reasoningEffort of [undefined, "high"] as const) {
        const bodies: { path: string; text: string }[] = [];
        const model = createModel({
          provider,
          modelInfo,
          dialect,
          key: "key",
          transport: {
            send: async ({ url, body }) => {
              bodies.push({ path: new URL(url).pathname, text: String(body) });
              throw new Error("That is all.");
            },
            close: async () => {},
          },
        });
        const request = { messages, tools, continues: HALF, ...(reasoningEffort && { reasoningEffort }) };
        await model.stream(request, () => {}, AbortSignal.any([]));
        const vendor = (provider.id === "openai-compatible" ? "compatible" : provider.id) as Vendor;
        for (const { path, text } of bodies) {
          const headers = provider.headers?.("key") ?? {};
          const problems = findProblems(vendor, {
            path,
            text,
            body: JSON.parse(text) as object,
            headers: { ...headers, "anthropic-version": "2023-06-01" },
          }).filter(({ rule }) => rule !== "retired-model" && rule !== "tools-unsupported");
          expect(problems, `${provider.id}/${modelInfo.name} ${reasoningEffort}`).toEqual([]);
          expect(text).toContain("lazy dog and then sle");
        }
        expect(bodies.length).toBeGreaterThan(0);
      }
  }
});
