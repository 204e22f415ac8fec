import { describe, expect, it } from "vitest";
import { bitOf } from "./concepts.ts";
import { createProximityMatcher } from "./proximity.ts";
import { type Hit, WINDOW } from "./score.ts";

/** One word or sign: its concepts by name, or the sign that ends a sentence. */
type Piece = string[] | string;
const LENGTH = 10;

/** Matches words of ten characters each, with these concepts, and returns what was found and where. */
function found(pieces: Piece[], { step = 1, from = 0, text = "" } = {}): string[] {
  const hits: Hit[] = [];
  const matcher = createProximityMatcher(text.padEnd(from + pieces.length * LENGTH, "x"), hits);
  let at = from;
  for (const piece of pieces) {
    if (typeof piece === "string") {
      matcher.separator(piece.charCodeAt(0), piece.charCodeAt(1));
      continue;
    }
    const mask = piece.reduce((bits, concept) => bits | (1 << bitOf(concept)), 0);
    matcher.word(mask, at, at + LENGTH, step);
    at += LENGTH;
  }
  return hits.map(({ label, at: where, weight }) => `${label} ${where} ${weight}`);
}

const gap = (words: number): Piece[] => Array.from({ length: words }, () => []);

describe("concepts close to each other", () => {
  it("match in their order, up to as many words apart as the rule allows, from where they begin", () => {
    expect(found([["not"], ...gap(4), ["rule"]])).toEqual(["no_rules 0 0.2"]);
    expect(found([["not"], ...gap(5), ["rule"]])).toEqual([]);
    expect(found([["rule"], ["not"]])).toEqual([]);
    expect(found([[], [], ["not"], ["rule"]])).toEqual(["no_rules 20 0.2"]);
    expect(found([["not", "rule"]])).toEqual(["no_rules 0 0.2"]);
  });

  it("match in any order where the rule has none", () => {
    expect(found([["warn"], ["stay"], ["role"]])).toEqual(["stay_in_role 10 0.3"]);
    expect(found([["role"], ["stay"]])).toEqual(["stay_in_role 0 0.3"]);
    expect(found([["role"], ["human"], ["stay"]])).toEqual(["persona 0 0.15", "stay_in_role 0 0.3"]);
  });

  it("count the newest place of each concept", () => {
    expect(found([["not"], ...gap(5), ["not"], ["rule"]])).toEqual(["no_rules 60 0.2"]);
  });

  it("are twice as close in a script without spaces", () => {
    expect(found([["not"], ...gap(9), ["rule"]], { step: 0.5 })).toEqual(["no_rules 0 0.2"]);
    expect(found([["not"], ...gap(10), ["rule"]], { step: 0.5 })).toEqual([]);
  });

  it("match once in half a window", () => {
    const again = (words: number) => found([["not"], ["rule"], ...gap(words), ["not"], ["rule"]]);
    const half = WINDOW / 2 / LENGTH;
    expect(again(half - 3)).toHaveLength(1);
    expect(again(half - 2)).toHaveLength(2);
  });

  it("weigh less in a question about something else", () => {
    const text = "how do i xxxxxxxxxxxxxxxxxxx?";
    expect(found([["not"], ["rule"]], { from: 9, text })).toEqual(["no_rules 9 0.1"]);
  });
});

describe("sentences", () => {
  it.each([". ", "! ", "? ", ".\n", '."', ".", "。x"])("end with %j", (sign) => {
    expect(found([["not"], sign, ["rule"]])).toEqual([]);
  });

  it.each([".5", ".a", ", ", "; ", "。", ".#"])(
    "do not end with %j, unless that is an end in itself",
    (sign) => {
      expect(found([["not"], sign, ["rule"]])).toHaveLength(sign === "。" ? 0 : 1);
    },
  );

  it("separate concepts of rules that allow fewer than twelve words, and no others", () => {
    expect(found([["until"], ". ", ["if"]])).toEqual(["stay_in_role 0 0.2"]);
    expect(found([["human"], ". ", ["ai"]])).toEqual(["addressed 10 0"]);
    expect(found([["human"], ["ai"]])).toEqual(["persona 0 0.15", "addressed 10 0"]);
  });
});

describe("a name that is often the subject of a verb", () => {
  /** A text in which each of these words is followed by a verb. */
  function subjects(words: string[], { filler = "", end = "" } = {}): string[] {
    const hits: Hit[] = [];
    const text = words.map((word) => `${word} is${end} ${filler}`).join("");
    const matcher = createProximityMatcher(text, hits);
    let at = 0;
    for (const word of words) {
      matcher.word(0, at, at + word.length, 1);
      const verb = at + word.length + 1;
      matcher.word(1 << bitOf("does"), verb, verb + 2, 1);
      if (end) matcher.separator(end.charCodeAt(0), 32);
      at = verb + 3 + end.length + filler.length;
    }
    return hits.map(({ label, at: where, weight }) => `${label} ${where} ${weight}`);
  }

  it("is a persona the third time, once", () => {
    expect(subjects(["dan", "dan"])).toEqual([]);
    expect(subjects(["dan", "dan", "dan", "dan"])).toEqual(["persona 14 0.25"]);
    expect(subjects(["dan", "dan", "tom", "dan"])).toEqual(["persona 21 0.25"]);
  });

  it("is none if it is a pronoun or a number, or spread over several windows", () => {
    expect(subjects(["it", "it", "it"])).toEqual([]);
    expect(subjects(["42", "42", "42"])).toEqual([]);
    expect(subjects(["4x", "4x", "4x"])).toEqual(["persona 12 0.25"]);
    const filler = "x".repeat(WINDOW / 2);
    expect(subjects(["dan", "dan", "dan"], { filler })).toEqual([]);
    expect(subjects(["dan", "dan", "dan"], { filler: "x".repeat(400) })).toEqual(["persona 814 0.25"]);
  });

  it("stands in the same sentence as the verb", () => {
    const hits: Hit[] = [];
    const matcher = createProximityMatcher("dan. is dan. is dan. is", hits);
    for (const at of [0, 8, 16]) {
      matcher.word(0, at, at + 3, 1);
      matcher.separator(".".charCodeAt(0), 32);
      matcher.word(1 << bitOf("does"), at + 5, at + 7, 1);
    }
    expect(hits).toEqual([]);
    expect(subjects(["dan", "dan", "dan"], { end: "." })).toEqual(["persona 16 0.25"]);
  });
});
