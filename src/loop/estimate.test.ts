import { describe, expect, it } from "vitest";
import type { Message, Part } from "../protocol/messages.ts";
import type { ToolSpec } from "../protocol/model.ts";
import {
  ModelMemories,
  resultCharacters,
  resultTokens,
  tokensAround,
  tokensIn,
  tokensOfImages,
  tokensOfMessage,
  tokensOfOverhead,
  tokensOfPart,
} from "./estimate.ts";

describe("the tokens of a text", () => {
  it.each([
    ["nothing", "", 0],
    ["letters", "abCD", 1],
    ["blanks", " ".repeat(30), 2],
    ["digits and signs", "1,2;3.4:5!", 5],
    ["the last ASCII character", "\x7f".repeat(10), 5],
    ["the first character beyond ASCII", "\x80".repeat(10), 6],
    ["Armenian", "\u058f".repeat(10), 6],
    ["Hebrew", "\u0590".repeat(10), 12],
    ["symbols", "\u2fff".repeat(10), 12],
    ["the first ideographs", "\u3000".repeat(10), 11],
    ["the last ideographs", "\u9fff".repeat(10), 11],
    ["Yi", "\ua000".repeat(10), 12],
    ["what comes before Hangul", "\uabff".repeat(10), 12],
    ["Hangul", "\uac00".repeat(10), 11],
    ["the end of Hangul", "\ud7af".repeat(10), 11],
    ["what comes after Hangul", "\ud7b0".repeat(10), 12],
  ])("depend on the script: %s", (_, text, tokens) => {
    expect(tokensIn(text)).toBe(tokens);
  });

  it("are more where no word is that long", () => {
    expect(tokensIn("a".repeat(40))).toBe(10);
    expect(tokensIn("a".repeat(42))).toBe(26);
    expect(tokensIn("1".repeat(42))).toBe(26);
    expect(tokensIn("+/aA0a".repeat(7))).toBe(26);
    expect(tokensIn(`${"a".repeat(42)} b`)).toBe(26);
    expect(tokensIn(`${"a".repeat(42)} ${"b".repeat(42)}`)).toBe(51);
    expect(tokensIn(`${"a".repeat(30)} ${"b".repeat(30)}`)).toBe(16);
    expect(tokensIn(`${"a".repeat(30)}é${"b".repeat(30)}`)).toBe(16);
  });

  it("are counted exactly up to 4,000 characters, and sampled from both ends and in between beyond", () => {
    const words = `${"a".repeat(60)} `.repeat(100);
    expect(tokensIn(words.slice(0, 4_000))).toBe(2_352);
    expect(tokensIn(words.slice(0, 4_001))).not.toBe(2_352);
    const ends = `${"語".repeat(250)}${" ".repeat(7_250)}${"語".repeat(250)}`;
    expect(tokensIn(ends)).toBe(1_405);
  });
});

describe("the tokens of a part", () => {
  const file = (size: number) => ({ id: "f", name: "a.txt", mimeType: "text/plain", size });
  const result = {
    type: "tool_result",
    toolCallId: "c",
    toolName: "t",
    success: true,
    trust: "trusted",
  } as const;
  const image = { type: "image", mimeType: "image/png" } as const;

  it.each<[string, Part, number]>([
    ["text", { type: "text", text: "abcdefgh" }, 2],
    ["an attached file", { type: "text", text: "", file: file(10) }, 3],
    ["a long attached file", { type: "text", text: "abcd", file: file(400_000) }, 25_001],
    ["reasoning", { type: "reasoning", text: "abcdefgh" }, 2],
    ["a call", { type: "tool_call", id: "c", name: "look", arguments: '{"a":1}' }, 9],
    ["a result", { ...result, output: "abcd" }, 61],
    ["a result with images", { ...result, output: "abcd", images: [image, image] }, 3_061],
    ["an image", image, 1_500],
  ])("are those of its text and what vendors add: %s", (_, part, tokens) => {
    expect(tokensOfPart(part)).toBe(tokens);
  });

  it.each([
    ["text", "text"],
    ["reasoning", "text"],
    ["tool_call", "arguments"],
    ["tool_result", "output"],
  ])("are estimated once if it is long: %s", (type, field) => {
    const reads = (length: number) => {
      let count = 0;
      const shape = { ...result, id: "c", name: "t", arguments: "", output: "", text: "", type };
      const part = Object.defineProperty(shape, field, {
        get: () => {
          count++;
          return "a".repeat(length);
        },
      }) as Part;
      const first = tokensOfPart(part);
      count = 0;
      expect(tokensOfPart(part)).toBe(first);
      return count;
    };
    expect(reads(1_000)).toBe(1);
    expect(reads(999)).toBe(2);
  });
});

it("a message takes its parts, its note and a little more", () => {
  const message: Message = {
    id: "m",
    role: "user",
    parts: [
      { type: "text", text: "abcd" },
      { type: "text", text: "abcdefgh" },
    ],
  };
  expect(tokensOfMessage(message)).toBe(8);
  expect(tokensAround(message)).toBe(5);
  expect(tokensOfMessage({ ...message, note: "abcd" })).toBe(9);
  expect(tokensOfImages(3)).toBe(4_500);
});

it("the prompt and the tools take their texts, and each tool is estimated once", () => {
  let reads = 0;
  const parameters = {
    get type() {
      reads++;
      return "object";
    },
  };
  const spec: ToolSpec = { name: "look", description: "abcdefgh", parameters };
  // {"type":"object"} has 10 letters and 7 signs.
  expect(tokensOfOverhead("abcd", [])).toBe(6);
  expect(tokensOfOverhead("abcd", [spec, spec])).toBe(6 + 2 * (5 + 1 + 2 + 6));
  expect(reads).toBe(1);
});

it("one result may take a fiftieth of the window, and 2,000 tokens of a small one", () => {
  expect([8_000, 100_049, 100_050, 128_000].map(resultTokens)).toEqual([2_000, 2_000, 2_001, 2_560]);
  expect([8_000, 128_000].map(resultCharacters)).toEqual([6_000, 7_680]);
});

describe("what is learned about a model", () => {
  it("is kept for each model and each owner of a key", () => {
    const memories = new ModelMemories();
    memories.of("a").noteUsage(100, 150);
    expect(memories.of("a").factor()).toBe(1.1);
    expect(memories.of("a", "ada").factor()).toBe(1);
    expect(memories.of("b").factor()).toBe(1);
    expect(memories.of("a", "")).toBe(memories.of("a"));
  });

  const factorAfter = (estimated: number, reported: number, times = 1) => {
    const memory = new ModelMemories().of("a");
    for (let time = 0; time < times; time++) memory.noteUsage(estimated, reported);
    return memory.factor();
  };

  it.each([
    [100, 150, 1, 1.1],
    [100, 90, 1, 0.98],
    [100, 1_000, 1, 1.15],
    [1_000, 1, 1, 0.85],
    [100, 1_000, 30, 2],
    [1_000, 1, 30, 0.5],
    [0, 100, 1, 1],
    [100, 0, 1, 1],
    [-1, 100, 1, 1],
  ])("is how an estimate of %i tokens compares with %i that were reported %i times: %d", (...given) => {
    const [estimated, reported, times, factor] = given;
    expect(factorAfter(estimated, reported, times)).toBeCloseTo(factor, 6);
  });

  it("is a window that is smaller than declared, for a day", () => {
    let now = 1_000;
    const memory = new ModelMemories(() => now).of("a");
    expect(memory.window(undefined)).toBe(128_000);
    expect(memory.window(32_000)).toBe(32_000);
    memory.noteWindow(16_000.9);
    expect(memory.window(undefined)).toBe(16_000);
    expect(memory.window(8_000)).toBe(8_000);
    now += 24 * 60 * 60_000;
    expect(memory.window(32_000)).toBe(16_000);
    now++;
    expect(memory.window(32_000)).toBe(32_000);
    memory.noteWindow(10);
    expect(memory.window(32_000)).toBe(1_000);
  });
});
