import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import type { Message, Part } from "../protocol/messages.ts";
import { tokensOfMessage } from "./estimate.ts";
import type { Summarize } from "./summary.ts";
import { answers, asks, call, prose, result } from "./testing/conversation.ts";
import { keeping, NOTES, PROMPT, reads, sized, sizeOf, talk, usage, WINDOW } from "./testing/keeper.ts";
import { ofType } from "./testing/scripted.ts";

const failing: Summarize = () => Promise.reject(new Failure("UPSTREAM_ERROR", "Busy."));

describe("a conversation that fits", () => {
  it("is sent whole up to the threshold", async () => {
    const { keeper, events, changes } = keeping();
    const history = talk(14_000);
    expect(await keeper.fit(history)).toEqual(history);
    expect([events, changes, keeper.change]).toEqual([[], [], undefined]);
    expect(keeper.window).toBe(WINDOW);
  });

  it("counts tools only if the model can use them", async () => {
    const long = { name: "long", description: prose(1_000), parameters: { type: "object" } };
    const change = { clientTools: [long] };
    const offered = keeping({ change });
    await offered.keeper.fit(talk(13_500));
    expect(offered.compactions()).toHaveLength(1);
    const without = keeping({ change, info: { supportsTools: false } });
    await without.keeper.fit(talk(13_500));
    expect(without.compactions()).toEqual([]);
  });

  it("leaves room for a long answer", async () => {
    const info = { contextWindow: 100_000, maxOutputTokens: 8_000 };
    const history = [
      sized("q1", "user", 30_000 - 5_000),
      sized("a1", "assistant", 25_000),
      sized("q2", "user", 25_000),
    ];
    const long = keeping({ info: { ...info, contextWindow: 90_000 } });
    // 90,000 − 8,000 for the answer − 13,000.
    await long.keeper.fit(history);
    expect(long.compactions()).toHaveLength(1);
    const short = keeping({
      info: { ...info, contextWindow: 90_000 },
      change: { settings: { maxOutputTokens: 100 } },
    });
    await short.keeper.fit(history);
    expect(short.compactions()).toEqual([]);
  });
});

describe("a conversation that is too long", () => {
  it("is sent as a summary and the newest messages, and everybody is told", async () => {
    const { keeper, events, changes, compactions, asked } = keeping();
    const history = talk(14_001);
    const sent = await keeper.fit(history);
    expect(sent.map(({ id }) => id)).toEqual(["summary_q2", "q2"]);
    const [summary] = sent;
    const tokensAfter = 14_001 - 10_000 + tokensOfMessage(summary ?? expect.fail());
    const compaction = { messages: 2, tokensBefore: 14_001, tokensAfter, reason: "window" };
    expect(compactions()).toEqual([compaction]);
    expect(keeper.view.summary).toMatchObject({
      notes: NOTES,
      from: "q2",
      before: { messageId: "q2", part: 0 },
    });
    expect(keeper.change).toEqual({ view: keeper.view, compaction, messageId: "q2" });
    expect(events).toEqual([
      { type: "reasoning_status", content: "Summarizing older messages", source: "context" },
      { type: "usage", ...usage },
      { type: "context_compacted", ...compaction },
    ]);
    expect(changes).toEqual([
      { key: "compact:0", state: "started", at: 2 },
      { key: "compact:0", state: "finished", at: 2 },
    ]);
    expect(asked()).toBe(1);
    // What was left out stays out.
    expect(await keeper.fit(history)).toEqual(sent);
    expect(compactions()).toHaveLength(1);
  });

  it("is summarized again when it has grown by as much", async () => {
    const { keeper, compactions } = keeping();
    await keeper.fit(talk(14_001));
    const [first] = compactions();
    const grown = [...talk(14_001), sized("a2", "assistant", 6_000), sized("q3", "user", 5_000)];
    const sent = await keeper.fit(grown);
    expect(sent.map(({ id }) => id)).toEqual(["summary_q3", "q3"]);
    expect(compactions()[1]).toMatchObject({ messages: 2, tokensBefore: (first?.tokensAfter ?? 0) + 11_000 });
  });

  it("keeps fewer words where tools take much of the window, so that not every other turn needs a summary", async () => {
    const large = { name: "large", description: prose(8_000), parameters: { type: "object" } };
    const { keeper, asked } = keeping({ change: { clientTools: [large] } });
    const history: Message[] = [];
    for (let turn = 1; turn <= 40; turn++) {
      history.push(sized(`q${turn}`, "user", 250));
      keeper.noteUsage({ inputTokens: sizeOf(await keeper.fit(history)) + 8_000, outputTokens: 250 });
      history.push(sized(`a${turn}`, "assistant", 250));
    }
    expect(asked()).toBeLessThan(5);
    expect((await keeper.fit(history)).at(-1)?.id).toBe("a40");
  });

  it("is summarized in place by its own model", async () => {
    const { keeper, requests, asked } = keeping({ isChatModel: true });
    const history = talk(14_001);
    await keeper.fit(history);
    expect(asked()).toBe(0);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.messages.map(({ id }) => id)).toEqual(["q1", "a1", "summarize"]);
    expect(keeper.view.summary?.notes).toBe(NOTES);
  });

  it("loses old results first, and needs no summary if that suffices", async () => {
    const { keeper, compactions, asked } = keeping();
    const answer = reads("a1", 2_500, 2_500, 2_500, 2_500, 2_500, 2_500);
    const history = [asks("q1"), Object.assign(answer, { createdAt: "2026-01-01T00:00:00Z" }), asks("q2")];
    const sent = await keeper.fit(history);
    // Of 15,000 tokens, the newest 3,000 are kept, so the last two results stay.
    expect(keeper.view).toEqual({ pruned: { messageId: "a1", part: 10 } });
    expect(asked()).toBe(0);
    const before = PROMPT + sizeOf(history);
    const [made] = compactions();
    expect(made).toMatchObject({ messages: 1, tokensBefore: before, reason: "window" });
    expect(made?.tokensAfter).toBeLessThan(4_000);
    expect(sent[1]?.parts[9]).toMatchObject({ output: expect.stringMatching(/^\[Left out/) });
    expect(sent[1]?.parts[11]).toBe(history[1]?.parts[11]);
    expect(keeper.change?.messageId).toBe("a1");
  });

  it("counts only what is left out anew, not what was before", async () => {
    const view = { pruned: { messageId: "a1", part: 4 } };
    const { keeper, compactions } = keeping({ view });
    const long = [2_500, 2_500, 2_500, 2_500, 2_500, 2_500];
    await keeper.fit([asks("q1"), reads("a1", 2_500, 2_500), asks("q2"), reads("a2", ...long), asks("q3")]);
    expect(keeper.view).toEqual({ pruned: { messageId: "a2", part: 10 } });
    expect(compactions()).toMatchObject([{ messages: 1 }]);
  });

  it("is summarized after the pruning of results that does not suffice", async () => {
    const { keeper, compactions, asked } = keeping();
    const history = [
      sized("q0", "user", 4_000),
      sized("a0", "assistant", 4_000),
      asks("q1"),
      reads("a1", 2_500, 2_500, 2_500),
      asks("q2"),
    ];
    await keeper.fit(history);
    expect(asked()).toBe(1);
    expect(keeper.view.pruned).toEqual({ messageId: "a1", part: 4 });
    expect(keeper.view.summary).toBeDefined();
    expect(compactions()).toHaveLength(1);
  });

  it("keeps its results if pruning would free little", async () => {
    const { keeper } = keeping();
    const history = [
      sized("q0", "user", 10_000),
      asks("q1"),
      reads("a1", 1_500, 1_000, 1_500),
      sized("q2", "user", 100),
    ];
    await keeper.fit(history);
    expect(keeper.view.pruned).toBeUndefined();
    expect(keeper.view.summary).toBeDefined();
  });
});

describe("a vendor's cache that is cold", () => {
  const history = (createdAt?: string): Message[] => [
    asks("q1"),
    { ...reads("a1", 2_500, 2_500, 2_500, 2_500, 2_500), ...(createdAt ? { createdAt } : {}) },
    asks("q2"),
  ];

  it.each([
    ["after five minutes", "2025-12-31T23:54:59.999Z", true],
    ["but not before", "2025-12-31T23:55:00.000Z", false],
    ["nor at an unknown time", undefined, false],
  ])("lets old results go early: %s", async (_, createdAt, isPruned) => {
    const { keeper, compactions, asked } = keeping();
    await keeper.fit(history(createdAt));
    expect(compactions()).toHaveLength(isPruned ? 1 : 0);
    expect(keeper.view.pruned !== undefined).toBe(isPruned);
    expect(asked()).toBe(0);
  });

  it("is warm after the first request", async () => {
    const { keeper, compactions } = keeping();
    await keeper.fit([asks("q0")]);
    await keeper.fit(history("2025-12-31T00:00:00Z"));
    expect(compactions()).toEqual([]);
  });

  it("is no reason to prune what is not much, or to summarize", async () => {
    const { keeper, compactions, asked } = keeping();
    const old = { createdAt: "2025-12-31T00:00:00Z" };
    await keeper.fit([
      sized("q1", "user", 5_000),
      { ...sized("a1", "assistant", 6_987), ...old },
      asks("q2", ""),
    ]);
    await keeping().keeper.fit(history());
    expect([compactions(), asked()]).toEqual([[], 0]);
    const exact = keeping();
    await exact.keeper.fit(talk(14_000).map((message) => ({ ...message, ...old })));
    expect([exact.compactions(), exact.asked()]).toEqual([[], 0]);
    const talking = keeping();
    await talking.keeper.fit([
      sized("q1", "user", 6_000),
      { ...sized("a1", "assistant", 7_000), ...old },
      asks("q2"),
    ]);
    expect([talking.compactions(), talking.asked()]).toEqual([[], 0]);
  });
});

describe("a summary that fails", () => {
  it("leaves the conversation as it is while there is room, and is given up after three times", async () => {
    const { keeper, compactions, events, asked } = keeping({ ask: failing });
    const history = talk(15_000);
    for (let step = 0; step < 5; step++) {
      expect(await keeper.fit(history)).toEqual(history);
      keeper.noteUsage({ inputTokens: 15_000, outputTokens: 0 });
    }
    expect(asked()).toBe(3);
    expect(compactions()).toEqual([]);
    expect(ofType(events, "usage")).toEqual([]);
  });

  it("is not asked for again where there is no room any more", async () => {
    const { keeper, asked } = keeping({ ask: failing });
    for (let step = 0; step < 3; step++) {
      await keeper.fit(talk(15_000));
      keeper.noteUsage({ inputTokens: 15_000, outputTokens: 0 });
    }
    expect((await keeper.fit(talk(17_000))).map(({ id }) => id)).toEqual(["summary_q2", "q2"]);
    expect(asked()).toBe(3);
  });

  it("is tried twice before a step has been finished", async () => {
    const { keeper, asked } = keeping({ ask: failing });
    for (let step = 0; step < 4; step++) await keeper.fit(talk(15_000));
    expect(asked()).toBe(2);
  });

  it("is replaced by what can be collected if there is no room otherwise", async () => {
    const { keeper, compactions } = keeping({ ask: failing });
    const sent = await keeper.fit(talk(16_901));
    expect(sent.map(({ id }) => id)).toEqual(["summary_q2", "q2"]);
    expect(keeper.view.summary).toMatchObject({ notes: "" });
    expect(compactions()).toMatchObject([{ messages: 2 }]);
    const fits = keeping({ ask: failing });
    expect(await fits.keeper.fit(talk(16_900))).toHaveLength(3);
  });

  it("is not asked for where nobody writes summaries: what can be collected stands for the rest", async () => {
    const { keeper, requests } = keeping({ ask: false });
    expect((await keeper.fit(talk(14_001))).map(({ id }) => id)).toEqual(["summary_q2", "q2"]);
    expect(requests).toEqual([]);
  });

  it("is thrown away if it saves less than a fifth, unless nothing else fits", async () => {
    const small = (tokens: number) => [
      sized("q1", "user", 1_000),
      sized("a1", "assistant", 1_000),
      sized("q2", "user", tokens - PROMPT - 2_000),
    ];
    const { keeper, asked } = keeping();
    expect(await keeper.fit(small(15_000))).toHaveLength(3);
    expect(asked()).toBe(1);
    expect(await keeping().keeper.fit(small(16_901))).toHaveLength(2);
  });

  it("is thrown away if it takes as much as what it would replace", async () => {
    const [summary] = await keeping().keeper.fit(talk(16_901));
    const size = summary ? tokensOfMessage(summary) : 0;
    const replacing = (tokens: number) => [
      sized("q1", "user", 20),
      sized("a1", "assistant", tokens - 20),
      sized("q2", "user", 17_000),
    ];
    expect(await keeping().keeper.fit(replacing(size))).toHaveLength(3);
    expect(await keeping().keeper.fit(replacing(size + 1))).toHaveLength(2);
  });

  it("is thrown away if the person has stopped the run meanwhile", async () => {
    const stop = new AbortController();
    const ask: Summarize = async () => {
      stop.abort();
      return { text: NOTES, usage };
    };
    const { keeper, events } = keeping({ ask, signal: stop.signal });
    expect(await keeper.fit(talk(14_001))).toHaveLength(3);
    expect(ofType(events, "usage")).toHaveLength(1);
  });
});

describe("results that the model has not read", () => {
  const wide = (question: number) => {
    const ids = [1, 2, 3, 4, 5, 6].map((number) => `c${number}`);
    const parts: Part[] = [...ids.map((id) => call(id)), ...ids.map((id) => result(id, prose(2_900)))];
    return [sized("q", "user", question), answers("a", ...parts)];
  };

  it.each([
    [200, 1_000],
    [12_000, 400],
    [14_500, 100],
  ])(
    "are cut as far as necessary where nothing else helps: beside %i tokens to %i each",
    async (question, tokens) => {
      const { keeper, compactions, asked } = keeping();
      const history = wide(question);
      const sent = await keeper.fit(history);
      expect(keeper.view).toEqual({ shortened: { before: { messageId: "a", part: 12 }, tokens } });
      expect(asked()).toBe(0);
      expect(compactions()).toMatchObject([{ messages: 1, reason: "window" }]);
      expect(sent[1]?.parts[11]).toMatchObject({ output: expect.stringContaining("left out to make room") });
    },
  );

  it("are cut no less than before", async () => {
    const shortened = { before: { messageId: "q", part: 0 }, tokens: 400 };
    const { keeper } = keeping({ view: { shortened } });
    await keeper.fit(wide(200));
    expect(keeper.view).toEqual({ shortened: { before: { messageId: "a", part: 12 }, tokens: 400 } });
  });

  it("stay whole if they fit", async () => {
    const { keeper } = keeping();
    const history = [sized("q", "user", 3_000), reads("a", 2_900)];
    expect(await keeper.fit(history)).toEqual(history);
  });
});

describe("what cannot be sent with less", () => {
  it("is sent all the same: a long question", async () => {
    const { keeper, events, asked } = keeping();
    const history = [
      sized("q1", "user", 1_000),
      sized("a1", "assistant", 1_000),
      sized("q2", "user", 19_993),
    ];
    expect(await keeper.fit(history)).toEqual(history);
    const message =
      "The message alone takes about 19993 of the 20000 tokens that test/scripted reads. Shorten it, send it in parts, or choose a model with more room.";
    expect(events).toEqual([{ type: "warning", code: "MESSAGE_TOO_LONG", message }]);
    expect(asked()).toBe(0);
    await keeper.fit(history);
    expect(events).toHaveLength(1);
    const fits = keeping();
    await fits.keeper.fit([...history.slice(0, 2), sized("q2", "user", 19_992)]);
    expect(ofType(fits.events, "warning")).toEqual([]);
  });

  it("is reported: many tools", async () => {
    const system = (tokens: number) => ({ system: "abc ".repeat(Math.round(tokens * 1.25)) });
    const { keeper, events } = keeping({ change: system(10_100) });
    await keeper.fit([sized("q1", "user", 2_000), sized("a1", "assistant", 2_000), asks("q2")]);
    const [warning] = ofType(events, "warning");
    expect(warning).toMatchObject({ code: "CONTEXT_OVERHEAD" });
    expect(warning?.message).toMatch(
      /^The instructions and tools alone take about 10\d{3} of the 20000 tokens that test\/scripted reads\. Offer fewer tools, or choose a model with more room\.$/,
    );
    const fewer = keeping({ change: system(9_900) });
    await fewer.keeper.fit([sized("q1", "user", 500), sized("a1", "assistant", 5_000), asks("q2")]);
    expect(ofType(fewer.events, "warning")).toEqual([]);
    expect(fewer.compactions()).toHaveLength(1);
  });
});
