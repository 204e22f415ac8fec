import { describe, expect, it } from "vitest";
import type { ContextChange } from "../protocol/context.ts";
import { Failure } from "../protocol/failure.ts";
import type { Message } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import type { StepRecord } from "../protocol/run-records.ts";
import type { Answer } from "./ask.ts";
import { answers, asks, summaryBefore, text } from "./testing/conversation.ts";
import {
  type KeeperOptions,
  keeping,
  PROMPT,
  reads,
  sized,
  sizeOf,
  talk,
  usage,
  WINDOW,
} from "./testing/keeper.ts";
import { memoryLog, ofType } from "./testing/scripted.ts";

describe("what the vendor reports", () => {
  const answered = (tokens: number, contextTokens: number, model = "test/scripted"): Message => {
    const reported: Usage = { inputTokens: 0, outputTokens: 0, contextTokens };
    return Object.assign(sized("a1", "assistant", tokens), { model, usage: reported });
  };
  const history = (...given: Parameters<typeof answered>) => [
    sized("q1", "user", 5_000),
    answered(...given),
    sized("q2", "user", 500),
  ];

  it("replaces the estimate of everything up to the last answer", async () => {
    const exact = keeping();
    await exact.keeper.fit(history(1_000, 13_500));
    expect(exact.compactions()).toEqual([]);
    const over = keeping();
    await over.keeper.fit(history(1_000, 13_501));
    expect(over.compactions()).toMatchObject([{ tokensBefore: 14_001 }]);
  });

  it("is not believed where it is less than half of the estimate", async () => {
    const { keeper, compactions } = keeping();
    await keeper.fit([sized("q1", "user", 25_000), answered(3_100, 10), sized("q2", "user", 100)]);
    expect(compactions()).toMatchObject([{ tokensBefore: (PROMPT + 28_200) / 2 }]);
  });

  it.each([
    ["another model counted it", history(1_000, 13_501, "test/other"), {}],
    ["what is sent has changed since", history(1_000, 13_501), { changed: true }],
    ["nobody counted it", talk(14_008), {}],
    [
      "the model reported nothing",
      talk(14_008).map((message) => ({ ...message, model: "test/scripted" })),
      {},
    ],
  ])("says nothing if %s", async (_, messages, options) => {
    const { keeper, compactions } = keeping(options);
    await keeper.fit(messages);
    const estimated = PROMPT + sizeOf(messages);
    expect(compactions().map(({ tokensBefore }) => tokensBefore)).toEqual(
      estimated > 14_000 ? [estimated] : [],
    );
  });

  it("about one request corrects the estimate of the next", async () => {
    const { keeper, compactions, memory } = keeping();
    const first = [sized("q1", "user", 4_992)];
    await keeper.fit(first);
    keeper.noteUsage({ inputTokens: 10_000, outputTokens: 115 });
    // The vendor counts twice as much as the estimate of 5,000, of which one step is learned.
    expect(memory.factor()).toBeCloseTo(1.15);
    // 10,115 and 1.15 for each of the 900 that are new, without the 100 of the answer.
    await keeper.fit([...first, sized("a1", "assistant", 500), sized("q2", "user", 500)]);
    expect(compactions()).toEqual([]);
    await keeper.fit([...first, sized("a1", "assistant", 3_000), sized("q2", "user", 500)]);
    const tokensBefore = 10_115 + 3_400 * 1.15;
    const text = keeper.view.summary?.text ?? expect.fail();
    const freed = 7_992 - sizeOf([asks("", text)]);
    expect(compactions()).toMatchObject([
      { tokensBefore: Math.round(tokensBefore), tokensAfter: Math.round(tokensBefore - freed * 1.15) },
    ]);
  });

  it("also counts for the instructions where a message is too long", async () => {
    const told = async (tokens: number) => {
      const { keeper, events, memory } = keeping({ change: { system: "abc ".repeat(10_000) } });
      await keeper.fit([sized("q1", "user", 100)]);
      keeper.noteUsage({ inputTokens: 20_000, outputTokens: 0 });
      expect(memory.factor()).toBeCloseTo(1.15);
      await keeper.fit([sized("q2", "user", tokens)]);
      return ofType(events, "warning").map(({ code }) => code);
    };
    // 8,008 and as many as the message has, each 1.15 times, in a window of 20,000.
    expect(await told(9_300)).toEqual([]);
    expect(await told(9_400)).toEqual(["MESSAGE_TOO_LONG"]);
  });

  it("is nothing if it is no number", async () => {
    const { keeper, memory, compactions } = keeping();
    await keeper.fit([sized("q1", "user", 5_000)]);
    keeper.noteUsage({ inputTokens: 0, outputTokens: 20_000 });
    expect(memory.factor()).toBe(1);
    await keeper.fit([sized("q1", "user", 5_000)]);
    expect(compactions()).toEqual([]);
  });
});

describe("a request that the vendor refused as too long", () => {
  const refused = (details?: Record<string, unknown>): Answer => ({
    outcome: "failed",
    failure: new Failure("CONTEXT_TOO_LARGE", "Too long.", details ? { details } : {}),
    usage: { inputTokens: 0, outputTokens: 0 },
  });
  const history = talk(13_000);

  async function recovered(
    answer: Answer,
    tries = 0,
    options: KeeperOptions = {},
    messages: Message[] = history,
  ) {
    const made = keeping(options);
    await made.keeper.fit(messages);
    const again = await made.keeper.recover(answer, messages, tries);
    return { ...made, again };
  }

  it("is made again with less, if the vendor names its limit and the size", async () => {
    const { again, keeper, memory, compactions } = await recovered(
      refused({ contextWindow: 12_000, requestedTokens: 13_000 }),
    );
    expect(again).toBe(true);
    expect(keeper.window).toBe(12_000);
    expect(memory.window(undefined)).toBe(12_000);
    expect(compactions()).toMatchObject([{ messages: 2, tokensBefore: 13_000, reason: "overflow" }]);
  });

  it("is made again with less, if the vendor names nothing", async () => {
    const { again, keeper, memory, compactions } = await recovered(refused());
    expect(again).toBe(true);
    expect(keeper.window).toBe(11_700);
    expect(memory.window(WINDOW)).toBe(WINDOW);
    expect(compactions()).toMatchObject([{ tokensBefore: 13_000, reason: "overflow" }]);
  });

  it("is compared with what was estimated, if the vendor names only the size", async () => {
    const { again, keeper, memory, compactions } = await recovered(refused({ requestedTokens: 19_500 }));
    expect(again).toBe(true);
    expect(keeper.window).toBe(WINDOW);
    expect(memory.factor()).toBeCloseTo(1.1);
    expect(compactions()).toMatchObject([{ tokensBefore: 19_500 }]);
  });

  it("counts as one that fills the window, if the vendor names only its limit", async () => {
    const { keeper, compactions } = await recovered(refused({ contextWindow: WINDOW }));
    expect(keeper.window).toBe(WINDOW);
    expect(compactions()).toMatchObject([{ tokensBefore: WINDOW }]);
    const larger = await recovered(refused({ contextWindow: 99_000 }));
    expect([larger.keeper.window, larger.memory.window(undefined)]).toEqual([WINDOW, 128_000]);
    const odd = await recovered(refused({ contextWindow: "12000", requestedTokens: "13000" }));
    expect(odd.keeper.window).toBe(11_700);
  });

  it("is not made again otherwise", async () => {
    const finished: Answer = { outcome: "finished", reason: "stop", parts: [], usage };
    expect((await recovered(finished)).again).toBe(false);
    const busy: Answer = { outcome: "failed", failure: new Failure("UPSTREAM_ERROR", "Busy."), usage };
    expect((await recovered(busy)).again).toBe(false);
    expect((await recovered(refused(), 1)).again).toBe(true);
    expect((await recovered(refused(), 2)).again).toBe(false);
    expect((await recovered(refused(), 0, { signal: AbortSignal.abort() })).again).toBe(false);
    expect((await recovered(refused(), 0, {}, [sized("q", "user", 5_000)])).again).toBe(false);
  });

  it("is summarized even without a model, because it must become shorter", async () => {
    const ask = () => Promise.reject(new Failure("UPSTREAM_ERROR", "Busy."));
    const { again, keeper } = await recovered(refused({ requestedTokens: 13_000 }), 0, { ask });
    expect(again).toBe(true);
    expect(keeper.view.summary).toMatchObject({ notes: "" });
  });

  it("loses old results even if they are few", async () => {
    const few = [asks("q1"), reads("a1", 1_500, 1_000, 1_500), asks("q2")];
    const { keeper, again, asked } = await recovered(refused({ requestedTokens: 6_000 }), 0, {}, few);
    expect(again).toBe(true);
    expect(keeper.view).toEqual({ pruned: { messageId: "a1", part: 2 } });
    expect(asked()).toBe(0);
  });

  it("needs a summary if more than half of the window is left, and at the second time a third", async () => {
    const half = [sized("q1", "user", 4_000), sized("a1", "assistant", 4_000), sized("q2", "user", 1_000)];
    const at = (requestedTokens: number, tries: number) =>
      recovered(refused({ contextWindow: WINDOW, requestedTokens }), tries, {}, half);
    expect((await at(10_000, 0)).again).toBe(false);
    expect((await at(10_001, 0)).again).toBe(true);
    expect((await at(6_666, 1)).again).toBe(false);
    expect((await at(6_667, 1)).again).toBe(true);
  });
});

describe("a full window", () => {
  const answer = (inputTokens: number, outputTokens: number, rawReason?: string, last?: Usage) => ({
    outcome: "finished" as const,
    reason: "length" as const,
    rawReason,
    parts: [],
    usage: { inputTokens, outputTokens },
    ...(last ? { last } : {}),
  });

  it("is one of which 95 percent are used", () => {
    const { keeper } = keeping();
    expect(keeper.isFull(answer(18_000, 999))).toBe(false);
    expect(keeper.isFull(answer(18_000, 1_000))).toBe(true);
    expect(keeper.isFull(answer(18_000, 1_000, undefined, { inputTokens: 9_000, outputTokens: 500 }))).toBe(
      false,
    );
  });

  it("is smaller than declared if the vendor says that it is full", () => {
    const exceeded = "model_context_window_exceeded";
    const { keeper } = keeping();
    expect(keeper.isFull(answer(5_000, 200, exceeded))).toBe(true);
    expect(keeper.window).toBe(5_200);
    const empty = keeping().keeper;
    expect(empty.isFull(answer(0, 0, exceeded))).toBe(false);
    expect(empty.window).toBe(WINDOW);
    const larger = keeping().keeper;
    expect(larger.isFull(answer(30_000, 0, exceeded))).toBe(true);
    expect(larger.window).toBe(WINDOW);
  });

  it("is made room in for the rest of an answer, if there is anything to leave out", async () => {
    const { keeper, compactions } = keeping();
    const history = talk(13_000);
    await keeper.fit(history);
    expect(await keeper.makeRoomForRest(history)).toBe(true);
    expect(compactions()).toMatchObject([{ tokensBefore: WINDOW, reason: "overflow" }]);
    const nothing = keeping().keeper;
    expect(await nothing.makeRoomForRest([sized("q", "user", 10_000)])).toBe(false);
  });
});

describe("the next owner of a run", () => {
  const changeWith = (part: number): ContextChange => ({
    view: { pruned: { messageId: "a1", part } },
    compaction: { messages: 1, tokensBefore: 2, tokensAfter: 1, reason: "window" },
    messageId: "a1",
  });
  const step = (number: number, state: StepRecord["state"], result?: ContextChange): StepRecord => ({
    key: `compact:${number}`,
    idempotencyKey: "k",
    startedSeq: 1,
    state,
    ...(result ? { result } : {}),
  });

  it("goes on with what was left out last, and counts on", async () => {
    const steps = [step(0, "finished", changeWith(2)), step(1, "finished", changeWith(4))];
    const { keeper, changes } = keeping({ log: memoryLog([], steps) });
    expect(keeper.view).toEqual({ pruned: { messageId: "a1", part: 4 } });
    expect(keeper.change).toEqual(changeWith(4));
    await keeper.fit(talk(14_001));
    expect(changes.map(({ key, state }) => `${key} ${state}`)).toEqual([
      "compact:2 started",
      "compact:2 finished",
    ]);
    expect(keeper.view).toMatchObject({ pruned: { part: 4 }, summary: { from: "q2" } });
  });

  it("makes again what was only begun", async () => {
    const { keeper, changes } = keeping({ log: memoryLog([], [step(0, "started")]) });
    expect([keeper.view, keeper.change]).toEqual([{}, undefined]);
    await keeper.fit(talk(14_001));
    expect(changes.map(({ key, state }) => `${key} ${state}`)).toEqual(["compact:0 finished"]);
  });

  it("takes over a summary that the session has", async () => {
    const summary = summaryBefore({ messageId: "q2", part: 0 }, "q2");
    const { keeper } = keeping({ view: { summary } });
    const sent = await keeper.fit([...talk(14_001), answers("a2", text("Yes."))]);
    expect(sent.map(({ id }) => id)).toEqual(["summary_q2", "q2", "a2"]);
    expect(keeper.change).toBeUndefined();
  });
});
