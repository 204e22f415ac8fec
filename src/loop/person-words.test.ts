import { describe, expect, it } from "vitest";
import type { Quote } from "../protocol/context.ts";
import type { Message, Part } from "../protocol/messages.ts";
import { atOnce } from "../protocol/slices.ts";
import { tokensIn } from "./estimate.ts";
import { fitQuotes, quotesFrom } from "./person-words.ts";
import { answers, asks } from "./testing/conversation.ts";

const quoted = (...messages: Message[]) => atOnce(quotesFrom(messages));
const textsIn = (said: string) => quoted(asks("m", said)).map(({ text }) => text);

describe("the person's words", () => {
  it("are quoted sentence by sentence", () => {
    expect(textsIn("One. Two! Three?  Four… five\n\n  six \n1.5 is a number")).toEqual([
      "One.",
      "Two!",
      "Three?",
      "Four…",
      "five",
      "six",
      "1.5 is a number",
    ]);
    expect(textsIn("一。二！三？四")).toEqual(["一。", "二！", "三？", "四"]);
    expect(textsIn(" \n ")).toEqual([]);
  });

  it.each([
    ["Never touch main.", 3],
    ["Das darf nicht sein.", 3],
    ["请勿删除。", 3],
    ["The code is 7.", 2],
    ["Call it “home”.", 2],
    ["See src/a", 2],
    ["We use NASA data", 2],
    ["Write to me@example", 2],
    ["Open readme.md", 2],
    ["I like tea.", 1],
  ])("rank as rules, facts or the rest: %s is %i", (said, rank) => {
    expect(quoted(asks("m", said))).toEqual([{ text: said, rank }]);
  });

  it("are kept from both ends where a sentence is very long, and judged by its beginning", () => {
    const fits = `${"a".repeat(599)}.`;
    expect(quoted(asks("m", fits))).toEqual([{ text: fits, rank: 1 }]);
    const long = `${"a ".repeat(310)}never ${"b".repeat(300)}`;
    const [quote] = quoted(asks("m", long));
    expect(quote).toEqual({ text: `${"a ".repeat(150)} […] ${"b".repeat(300)}`, rank: 1 });
  });

  it("are what they sent as messages and into runs, without files and imported texts", () => {
    const file = { id: "f", name: "a.txt", mimeType: "text/plain", size: 9 };
    const parts: Part[] = [
      { type: "text", text: "mine" },
      { type: "text", text: "theirs", origin: "import" },
      { type: "text", text: "attached", file },
      { type: "image", mimeType: "image/png" },
    ];
    const sentIn: Part[] = [
      { type: "text", text: "said by the model" },
      { type: "text", text: "sent in", messageId: "m9" },
    ];
    const found = quoted({ id: "m1", role: "user", parts }, answers("m2", ...sentIn));
    expect(found.map(({ text }) => text)).toEqual(["mine", "sent in"]);
  });

  it("are collected in pieces of work that are not long", () => {
    const pieces = (messages: Message[]) => {
      const steps = quotesFrom(messages);
      let count = 0;
      while (!steps.next().done) count++;
      return count;
    };
    expect(pieces([asks("m1"), asks("m2")])).toBe(2);
    expect(pieces([asks("m1", "One. ".repeat(49))])).toBe(1);
    expect(pieces([asks("m1", "One. ".repeat(100))])).toBe(3);
  });
});

describe("quotes that have to fit", () => {
  const quote = (text: string, rank: number): Quote => ({ text, rank });
  const cost = (text: string) => tokensIn(text) + 2;
  const words = (kept: Quote[]) => kept.map(({ text }) => text);

  it("are all kept if there is room, each once and at its newest place", () => {
    const quotes = [quote("a", 1), quote("b", 3), quote("a", 1), quote("c", 2)];
    expect(fitQuotes(quotes, 10_000)).toEqual([quotes[1], quotes[2], quotes[3]]);
  });

  it("are rules before facts before the rest, and newer before older", () => {
    const said = ["first words", "old rule", "old fact", "old talk", "new fact", "new talk"];
    const ranks = [1, 3, 2, 1, 2, 1];
    const quotes = said.map((text, at) => quote(text, ranks[at] ?? 0));
    const each = cost("old fact");
    expect(new Set(said.slice(2).map(cost))).toEqual(new Set([each]));
    const withRoomFor = (others: number) => words(fitQuotes(quotes, (others * each) / 0.05));
    expect(withRoomFor(4)).toEqual(said);
    expect(withRoomFor(3)).toEqual(["first words", "old rule", "old fact", "new fact", "new talk"]);
    expect(withRoomFor(2)).toEqual(["first words", "old rule", "old fact", "new fact"]);
    expect(withRoomFor(1)).toEqual(["first words", "old rule", "new fact"]);
    expect(withRoomFor(0.99)).toEqual(["first words", "old rule"]);
  });

  it("of rules have four times the room, which the first words share", () => {
    const quotes = [quote("rule one", 1), quote("rule two", 3), quote("rule six", 3)];
    const each = cost("rule one");
    const withRoomFor = (rules: number) => words(fitQuotes(quotes, (rules * each) / 0.2));
    expect(withRoomFor(3)).toEqual(["rule one", "rule two", "rule six"]);
    expect(withRoomFor(2)).toEqual(["rule two", "rule six"]);
    expect(withRoomFor(1)).toEqual(["rule six"]);
  });

  it("make room for a shorter one that still fits", () => {
    const quotes = [quote("x", 3), quote("short", 1), quote("a much longer sentence than the other one", 1)];
    expect(words(fitQuotes(quotes, cost("short") / 0.05))).toEqual(["x", "short"]);
  });
});
