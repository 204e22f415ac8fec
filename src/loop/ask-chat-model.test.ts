import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import type { Model, ModelEvent, ModelInfo, ModelRequest } from "../protocol/model.ts";
import { chatModelAsker } from "./ask-chat-model.ts";
import { ModelMemories } from "./estimate.ts";
import { answers, asks, call, text } from "./testing/conversation.ts";
import { type TurnOptions, tool, turnOver } from "./testing/scripted.ts";
import type { TurnContext } from "./turn.ts";

const messages = [asks("m1"), answers("m2", text("One.")), asks("m3")];
const finished = (...parts: Extract<ModelEvent, { type: "finish" }>["parts"]): ModelEvent[] => [
  { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } },
  { type: "usage", usage: { inputTokens: 100, outputTokens: 10 } },
  { type: "finish", reason: "stop", parts },
];

function setUp(script: ModelEvent[], info: Partial<ModelInfo> = {}, change: TurnOptions["change"] = {}) {
  const requests: ModelRequest[] = [];
  let settled = 0;
  const signals: AbortSignal[] = [];
  const model: Model = {
    id: "test/chat",
    info: { name: "chat", ...info },
    async stream(request, emit, signal) {
      requests.push(request);
      signals.push(signal);
      request.attempts?.whenOver(async () => void settled++);
      for (const event of script) emit(event);
    },
  };
  const context: TurnContext = {
    view: {},
    memory: new ModelMemories().of("test/chat"),
    changed: false,
    summarizer: { isChatModel: true, ask: () => Promise.reject(new Error("not in place")) },
  };
  const { turn } = turnOver(model, { tools: [tool("look")], change: { context, ...change } });
  return { turn, context, requests, signals, settled: () => settled };
}

const ROOM = { tokens: 1_000, window: 10_000 };

describe("the model of a conversation", () => {
  it("is asked for a summary right after its last answer, with the same tools", async () => {
    const { turn, requests, signals } = setUp(finished({ type: "text", text: "Notes." }));
    const ask = chatModelAsker(turn, messages, ROOM) ?? expect.fail();
    const { signal } = new AbortController();
    expect(await ask("Summarize.", signal)).toEqual({
      text: "Notes.",
      usage: { inputTokens: 100, outputTokens: 10 },
      model: "test/chat",
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      system: "Be helpful.",
      messages: [...messages.slice(0, 2), { id: "summarize", role: "user", parts: [text("Summarize.")] }],
      toolChoice: "auto",
      maxOutputTokens: 1_500,
      stop: [],
      cacheKey: "ses_1",
      attempts: { purpose: "compact", caller: "local" },
    });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["look"]);
    expect(signals).toEqual([signal]);
  });

  it.each<[string, TurnOptions["change"], string]>([
    ["has to call a tool", { toolChoice: "required" }, "auto"],
    ["may not call tools", { toolChoice: "none" }, "none"],
  ])(
    "that %s in the turn is asked with the choice that its vendor has in the cache",
    async (_, change, choice) => {
      const { turn, requests } = setUp(finished(), {}, change);
      await chatModelAsker(turn, messages, ROOM)?.("Summarize.", turn.signal);
      expect(requests[0]?.toolChoice).toBe(choice);
    },
  );

  it.each<[string, Partial<ModelInfo>, number | undefined, number | undefined]>([
    ["as long as a summary", {}, undefined, 1_500],
    ["longer if answers may be", {}, 2_000, 2_000],
    ["not shorter than a summary", {}, 100, 1_500],
    ["as long as it is by itself if the model reasons", { reasoning: "effort" }, undefined, undefined],
    ["as long as answers of a model that reasons", { reasoning: "effort" }, 2_000, 2_000],
  ])("may write an answer that is %s", async (_, info, maxOutputTokens, expected) => {
    const settings = maxOutputTokens === undefined ? {} : { maxOutputTokens };
    const { turn, requests } = setUp(finished(), info, { settings });
    await chatModelAsker(turn, messages, ROOM)?.("Summarize.", turn.signal);
    expect(requests[0]?.maxOutputTokens).toBe(expected);
  });

  it("has written no summary if it calls a tool, and may think about one", async () => {
    const said = { type: "text", text: "Notes." } as const;
    const textOf = async (...parts: Parameters<typeof finished>) => {
      const { turn } = setUp(finished(...parts));
      return (await chatModelAsker(turn, messages, ROOM)?.("Summarize.", turn.signal))?.text;
    };
    expect(await textOf({ type: "reasoning", text: "Hm." }, said)).toBe("Notes.");
    expect(await textOf(said, call("a"))).toBe("");
  });

  it("that fails says why, and the attempt is over", async () => {
    const failure = new Failure("UPSTREAM_ERROR", "Busy.");
    const failing = setUp([{ type: "failure", failure }]);
    await expect(
      chatModelAsker(failing.turn, messages, ROOM)?.("Summarize.", failing.turn.signal),
    ).rejects.toBe(failure);
    expect(failing.settled()).toBe(1);
    const silent = setUp([{ type: "text_delta", text: "Not" }]);
    await expect(
      chatModelAsker(silent.turn, messages, ROOM)?.("Summarize.", silent.turn.signal),
    ).rejects.toMatchObject({
      code: "UPSTREAM_ERROR",
      publicMessage: "The model's answer ended early.",
    });
    const whole = setUp(finished());
    await chatModelAsker(whole.turn, messages, ROOM)?.("Summarize.", whole.turn.signal);
    expect(whole.settled()).toBe(1);
  });
});

describe("a summary is not asked for in place", () => {
  const isAsked = (change: TurnOptions["change"], info: Partial<ModelInfo> = {}) =>
    chatModelAsker(setUp([], info, change).turn, messages, ROOM) !== undefined;
  const { context } = setUp([]);

  it("if another model writes summaries, or none does", () => {
    const ask = context.summarizer?.ask ?? expect.fail();
    expect(isAsked({ context: { ...context, summarizer: { ask, isChatModel: false } } })).toBe(false);
    const { summarizer: _, ...without } = context;
    expect(isAsked({ context: without })).toBe(false);
    expect(isAsked({ context: undefined })).toBe(false);
    expect(isAsked({})).toBe(true);
  });

  it("if the model makes images, or has to answer in JSON", () => {
    expect(isAsked({}, { outputsImages: true })).toBe(false);
    expect(isAsked({ settings: { responseFormat: { type: "json" } } })).toBe(false);
    expect(isAsked({ settings: { temperature: 1 } })).toBe(true);
  });

  it("if the model has not answered yet", () => {
    const { turn } = setUp([]);
    expect(chatModelAsker(turn, [asks("m1")], ROOM)).toBeUndefined();
    expect(chatModelAsker(turn, [], ROOM)).toBeUndefined();
  });

  it("if there is no room for the instruction and the summary", () => {
    const { turn } = setUp([]);
    // 9,800 of 10,000 tokens, less 600 for the instruction and 1,500 for the summary.
    expect(chatModelAsker(turn, messages, { tokens: 7_700, window: 10_000 })).toBeDefined();
    expect(chatModelAsker(turn, messages, { tokens: 7_701, window: 10_000 })).toBeUndefined();
  });
});
