import { describe, expect, it } from "vitest";
import type { Message, Part } from "../protocol/messages.ts";
import { newestCovered, placeToCut, placeToPrune, project, pruningOf, thresholdsOf } from "./context.ts";
import { tokensOfMessage } from "./estimate.ts";
import { answers, asks, call, prose, result, summaryBefore, text } from "./testing/conversation.ts";

const WINDOW = 10_000;
const sizeOf = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
const image: Part = { type: "image", mimeType: "image/png", fileId: "f" };

describe("a conversation without calls", () => {
  it("is sent as it is, in its own list", () => {
    const history = [asks("m1"), answers("m2", text("Yes.")), asks("m3")];
    const sent = project(history, {}, WINDOW);
    expect(sent).toEqual({ messages: history, tokens: sizeOf(history) });
    expect(sent.messages).not.toBe(history);
    expect(project([], {}, WINDOW)).toEqual({ messages: [], tokens: 0 });
  });

  it("is weighed only where it is new", () => {
    let reads = 0;
    const watched: Part = {
      type: "text",
      get text() {
        reads++;
        return "Hello";
      },
    };
    const first: Message = { id: "m1", role: "user", parts: [watched, image, image] };
    const short = [first, answers("m2", text("One.")), asks("m3")];
    project(short, {}, WINDOW);
    reads = 0;
    const pictures: Message = { id: "m4", role: "user", parts: Array<Part>(7).fill(image) };
    const long = project([...short, pictures], {}, WINDOW);
    expect(reads).toBe(0);
    // Of nine images the oldest is only mentioned.
    expect(long.tokens).toBe(sizeOf([...short, pictures]) - 1_500);
    const other = [first, answers("m2", text("Another answer.")), asks("m3"), asks("m5", prose(100))];
    expect(project(other, {}, WINDOW)).toEqual({ messages: other, tokens: sizeOf(other) });
    expect(project([first], {}, WINDOW)).toEqual({ messages: [first], tokens: sizeOf([first]) });
  });

  it.each([
    [8, 0],
    [9, 1],
    [11, 3],
  ])("with %i images sends all but %i", (count, mentioned) => {
    const pictured: Message = { id: "m1", role: "user", parts: Array<Part>(count).fill(image) };
    expect(project([pictured], {}, WINDOW).tokens).toBe(sizeOf([pictured]) - mentioned * 1_500);
    const called = [pictured, answers("m2", call("a"), result("a", "Seen."))];
    expect(project(called, {}, WINDOW).tokens).toBe(sizeOf(called) - mentioned * 1_500);
  });
});

describe("a summary", () => {
  const system: Message = { id: "s", role: "system", parts: [text("Rules.")] };
  const history = [
    system,
    asks("m1"),
    answers("m2", text("One.")),
    asks("m3"),
    answers("m4", call("a"), result("a", "A"), call("b"), result("b", "B"), text("Two.")),
  ];
  const standsFor = (id: string) => ({
    id: `summary_${id}`,
    role: "user",
    parts: [{ type: "text", text: "What happened before." }],
  });

  it("replaces the turns before a message, except what a client put before them", () => {
    const summary = summaryBefore({ messageId: "m3", part: 0 }, "m3");
    const { messages, tokens } = project(history, { summary }, WINDOW);
    expect(messages).toEqual([system, standsFor("m3"), ...history.slice(3)]);
    expect(messages[3]).toBe(history[4]);
    expect(tokens).toBe(sizeOf(messages));
  });

  it("replaces the first steps of the running answer, but not the question", () => {
    const summary = summaryBefore({ messageId: "m4", part: 2 }, "m3");
    const { messages, tokens } = project(history, { summary }, WINDOW);
    const rest = answers("m4", call("b"), result("b", "B"), text("Two."));
    expect(messages).toEqual([system, standsFor("m3"), history[3], rest]);
    expect(tokens).toBe(sizeOf(messages));
  });

  it("also replaces turns in which nothing was called", () => {
    const plain = history.slice(0, 4);
    const summary = summaryBefore({ messageId: "m3", part: 0 }, "m3");
    expect(project(plain, { summary }, WINDOW).messages).toEqual([system, standsFor("m3"), history[3]]);
  });

  it.each([
    ["ends", summaryBefore({ messageId: "gone", part: 0 }, "m3")],
    ["begins", summaryBefore({ messageId: "m3", part: 0 }, "gone")],
  ])("does not apply to a branch without the message where it %s", (_, summary) => {
    const { messages } = project(history, { summary }, WINDOW);
    expect(messages).toEqual(history);
  });
});

describe("results", () => {
  const long = prose(1_000);
  const history = [
    asks("m1"),
    answers("m2", call("a"), result("a", long), call("b"), result("b", long)),
    asks("m3"),
    answers("m4", call("c"), result("c", long), call("d"), result("d", long)),
  ];
  const shownIn = (messages: readonly Message[]) =>
    messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool_result"));

  it("before the place of pruning are one line each, and the rest is untouched", () => {
    const { messages, tokens } = project(history, { pruned: { messageId: "m4", part: 2 } }, WINDOW);
    const isLine = shownIn(messages).map(({ output }) => output.startsWith("[Left out"));
    expect(isLine).toEqual([true, true, true, false]);
    expect(messages[2]).toBe(history[2]);
    expect(messages[3]?.parts[3]).toBe(history[3]?.parts[3]);
    expect(history[1]?.parts[1]).toMatchObject({ output: long });
    // A line is weighed without being read: half a token for each character.
    const lines = shownIn(messages).slice(0, 3);
    const read =
      sizeOf(messages) - lines.reduce((sum, part) => sum + tokensOfMessage(answers("", part)) - 5, 0);
    const expected = lines.reduce((sum, { output }) => sum + 60 + Math.ceil(output.length / 2), read);
    expect(tokens).toBe(expected);
  });

  it("of the place of pruning itself stay", () => {
    const { messages } = project(history, { pruned: { messageId: "m4", part: 1 } }, WINDOW);
    expect(shownIn(messages).map(({ output }) => output === long)).toEqual([false, false, true, true]);
  });

  it("that may not be pruned stay, before the place too", () => {
    const kept = [asks("m1"), answers("m2", call("a", "todo"), result("a", long, { toolName: "todo" }))];
    const { messages } = project(kept, { pruned: { messageId: "m2", part: 2 } }, WINDOW);
    expect(messages[1]).toBe(kept[1]);
  });

  it("before the place of shortening are cut to its tokens, and later ones to what the window allows", () => {
    const huge = prose(5_000);
    const both = [asks("m1"), answers("m2", call("a"), result("a", huge), call("b"), result("b", huge))];
    const shortened = { before: { messageId: "m2", part: 2 }, tokens: 400 };
    const lengths = (view: Parameters<typeof project>[1], window = WINDOW) =>
      shownIn(project(both, view, window).messages).map(({ output }) => output.length);
    const [first = 0, second = 0] = lengths({ shortened });
    expect(first).toBeLessThan(2_500);
    // 3,000 tokens: half as much again as a result may have when it arrives.
    expect(second / huge.length).toBeCloseTo(0.6, 1);
    expect(lengths({})).toEqual([second, second]);
    expect(lengths({ shortened: { ...shortened, tokens: 99_999 } })).toEqual([second, second]);
    expect(lengths({}, 200_000)).toEqual([huge.length, huge.length]);
    const { messages, tokens } = project(both, { shortened }, WINDOW);
    expect(tokens).toBe(sizeOf(messages));
  });
});

describe("the thresholds of a window", () => {
  it.each([
    [100_000, undefined, { prune: 60_000, act: 79_000, hard: 89_000, target: 50_000 }],
    [200_000, 50_000, { prune: 120_000, act: 167_000, hard: 177_000, target: 100_000 }],
    [1_000_000, 1_000, { prune: 600_000, act: 850_000, hard: 996_000, target: 500_000 }],
    [64_000, 8_000, { prune: 38_400, act: 43_000, hard: 53_000, target: 32_000 }],
    [60_000, 8_000, { prune: 36_000, act: 42_000, hard: 49_000, target: 30_000 }],
    [10_000, 8_000, { prune: 6_000, act: 7_000, hard: 7_000, target: 5_000 }],
  ])("of %i tokens with answers of %s", (window, output, expected) => {
    const found = thresholdsOf(window, output);
    for (const name of ["prune", "act", "hard", "target"] as const)
      expect(found[name], name).toBeCloseTo(expected[name], 3);
  });

  it("say how much pruning keeps and must free", () => {
    expect(pruningOf(100_000)).toEqual({ kept: 15_000, least: 10_000 });
    expect(pruningOf(1_000_000)).toEqual({ kept: 40_000, least: 20_000 });
  });
});

describe("the place to prune at", () => {
  // 1,500 tokens of the newest results are kept.
  const long = prose(800);
  const step = (id: string, change = {}) => [call(id), result(id, long, change)];
  const talk = (...parts: Part[]) => [asks("m1"), answers("m2", ...parts), asks("m3")];

  it("is behind the newest result that does not fit any more", () => {
    const history = talk(...step("a"), ...step("b"), ...step("c"), text("Done."));
    expect(placeToPrune(history, {}, WINDOW)).toEqual({ messageId: "m2", part: 4 });
    expect(placeToPrune(talk(...step("a")), {}, WINDOW)).toBeUndefined();
    expect(placeToPrune([], {}, WINDOW)).toBeUndefined();
  });

  it("leaves as much as is to be kept, and not one token less", () => {
    const tokens = tokensOfMessage(answers("", result("a", long))) - 5;
    const history = talk(...step("a"), ...step("b"));
    const windowFor = (kept: number) => kept / 0.15;
    expect(placeToPrune(history, {}, windowFor(2 * tokens + 0.01))).toBeUndefined();
    expect(placeToPrune(history, {}, windowFor(2 * tokens - 0.01))).toEqual({ messageId: "m2", part: 2 });
  });

  it("skips results that may not be pruned", () => {
    const history = talk(...step("a"), ...step("b", { success: false }), ...step("c"));
    expect(placeToPrune(history, {}, WINDOW)).toEqual({ messageId: "m2", part: 2 });
  });

  it("does not count the results of the newest step, which the model has not read", () => {
    const running = [
      asks("m1"),
      answers("m2", ...step("a"), call("b"), call("c"), ...step("b").slice(1), ...step("c").slice(1)),
    ];
    expect(placeToPrune(running, {}, WINDOW)).toBeUndefined();
    const next = [asks("m1"), answers("m2", ...step("a"), ...step("b"), ...step("c"), ...step("d"))];
    expect(placeToPrune(next, {}, WINDOW)).toEqual({ messageId: "m2", part: 4 });
  });

  it("is never before what was pruned or summarized already", () => {
    const history = talk(...step("a"), ...step("b"), ...step("c"), ...step("d"));
    expect(placeToPrune(history, { pruned: { messageId: "m2", part: 6 } }, WINDOW)).toBeUndefined();
    expect(placeToPrune(history, { pruned: { messageId: "m2", part: 4 } }, WINDOW)).toEqual({
      messageId: "m2",
      part: 6,
    });
    const summarized = (part: number) => ({ summary: summaryBefore({ messageId: "m2", part }, "m1") });
    expect(placeToPrune(history, summarized(6), WINDOW)).toBeUndefined();
    expect(placeToPrune(history, summarized(4), WINDOW)).toEqual({ messageId: "m2", part: 6 });
    expect(placeToPrune(history, summarized(5), WINDOW)).toEqual({ messageId: "m2", part: 6 });
  });

  it("also takes results that are shown shortened", () => {
    const history = talk(...step("a"), ...step("b"), ...step("c"), ...step("d"));
    const shortened = { before: { messageId: "m3", part: 1 }, tokens: 100 };
    // Each of them has about 190 tokens now, and the line in its place would have fewer.
    expect(placeToPrune(history, { shortened }, 2_000)).toEqual({ messageId: "m2", part: 6 });
  });
});

describe("the place to cut at", () => {
  const turns = (count: number) =>
    Array.from({ length: count }, (_, at) => [
      asks(`q${at}`, prose(95)),
      answers(`a${at}`, text(prose(95))),
    ]).flat();
  const turn = sizeOf(turns(1));

  it("is before the oldest turn that still fits", () => {
    const history = [...turns(4), asks("q4", prose(95))];
    const asked = tokensOfMessage(history.at(-1) ?? expect.fail());
    const cutAt = (id: string) => ({ before: { messageId: id, part: 0 }, from: id });
    expect(placeToCut(history, {}, WINDOW, asked)).toEqual(cutAt("q4"));
    expect(placeToCut(history, {}, WINDOW, asked + turn - 1)).toEqual(cutAt("q4"));
    expect(placeToCut(history, {}, WINDOW, asked + turn)).toEqual(cutAt("q3"));
    expect(placeToCut(history, {}, WINDOW, asked + 3 * turn)).toEqual(cutAt("q1"));
    // What must stay does, even if it does not fit.
    expect(placeToCut(history, {}, WINDOW, 1)).toEqual(cutAt("q4"));
  });

  it("is nowhere if everything fits, or nobody asked", () => {
    expect(placeToCut(turns(2), {}, WINDOW, 10 * turn)).toBeUndefined();
    expect(placeToCut([asks("q")], {}, WINDOW, 1)).toBeUndefined();
    expect(placeToCut([answers("a", text("Hi."))], {}, WINDOW, 1)).toBeUndefined();
    expect(placeToCut([], {}, WINDOW, 1)).toBeUndefined();
  });

  it("is behind what was summarized already", () => {
    const history = [...turns(4), asks("q4", prose(95))];
    const after = (messageId: string, part = 0) => ({
      summary: summaryBefore({ messageId, part }, messageId),
    });
    expect(placeToCut(history, after("q3"), WINDOW, 10 * turn)).toBeUndefined();
    expect(placeToCut(history, after("q4"), WINDOW, 1)).toBeUndefined();
    expect(placeToCut(history, after("q1"), WINDOW, 2 * turn)).toMatchObject({ from: "q3" });
    // The earlier one ends in the middle of an answer, so the turn after it is the first that can be replaced.
    expect(placeToCut(history, after("a1", 1), WINDOW, 10 * turn)).toMatchObject({ from: "q2" });
  });

  describe("within a running answer", () => {
    const step = (id: string) => [text(prose(50)), call(id), result(id, prose(50))];
    const running = [asks("q"), answers("a", ...step("1"), ...step("2"), ...step("3"))];
    const asked = tokensOfMessage(running[0] ?? expect.fail());
    const size = sizeOf([answers("", ...step("1"))]) - 5;
    const inside = (part: number) => ({ before: { messageId: "a", part }, from: "q" });

    it("is before the earliest step that fits, at the latest before the last", () => {
      expect(placeToCut(running, {}, WINDOW, asked + size)).toEqual(inside(6));
      expect(placeToCut(running, {}, WINDOW, asked + 2 * size)).toEqual(inside(3));
      expect(placeToCut(running, {}, WINDOW, asked + 2 * size - 1)).toEqual(inside(6));
      expect(placeToCut(running, {}, WINDOW, 1)).toEqual(inside(6));
    });

    it("is nowhere if the answer fits", () => {
      expect(placeToCut(running, {}, WINDOW, sizeOf(running))).toBeUndefined();
      expect(placeToCut(running, {}, WINDOW, sizeOf(running) - 1)).toEqual(inside(3));
    });

    it("is before the question if the answer has one step only", () => {
      const one = [...turns(1), asks("q"), answers("a", ...step("1"))];
      expect(placeToCut(one, {}, WINDOW, 1)).toEqual({ before: { messageId: "q", part: 0 }, from: "q" });
      const talks = [...turns(1), asks("q"), answers("a", text(prose(50)), text(prose(50)))];
      expect(placeToCut(talks, {}, WINDOW, 1)).toEqual({ before: { messageId: "q", part: 0 }, from: "q" });
    });

    it("is behind the steps that were summarized already", () => {
      const after = (part: number) => ({ summary: summaryBefore({ messageId: "a", part }, "q") });
      expect(placeToCut(running, after(3), WINDOW, 1)).toEqual(inside(6));
      expect(placeToCut(running, after(6), WINDOW, 1)).toBeUndefined();
    });
  });
});

describe("the message that a view is kept with", () => {
  const at = (messageId: string) => ({ messageId, part: 0 });
  const stored = (message: Message) => ({ ...message, createdAt: "2026-01-01T00:00:00Z" });
  const history = ["m1", "m2", "m3", "m4"].map((id) => stored(asks(id)));

  it("is the newest that the view refers to", () => {
    expect(newestCovered(history, { pruned: at("m2") })).toBe("m2");
    expect(newestCovered(history, { pruned: at("m2"), summary: summaryBefore(at("m3"), "m3") })).toBe("m3");
    const shortened = { before: at("m4"), tokens: 400 };
    expect(newestCovered(history, { pruned: at("m2"), shortened })).toBe("m4");
    expect(newestCovered(history, {})).toBe("m1");
    expect(newestCovered(history, { pruned: at("gone") })).toBe("m1");
    expect(newestCovered([], {})).toBe("");
  });

  it("is the next that is stored, at the latest the answer that is being written", () => {
    const begun = [asks("m1"), asks("m2"), stored(asks("m3")), asks("m4")];
    expect(newestCovered(begun, { pruned: at("m1") })).toBe("m3");
    expect(newestCovered(begun, { pruned: at("m4") })).toBe("m4");
    expect(newestCovered(begun.slice(0, 2), { pruned: at("m1") })).toBe("m2");
  });
});
