import { describe, expect, it } from "vitest";
import { tokensOfPart } from "./estimate.ts";
import {
  isPrunable,
  oneLine,
  prunedResult,
  shortenedResult,
  targetOf,
  tokensOfPruned,
} from "./shown-results.ts";
import { call, prose, result, text } from "./testing/conversation.ts";

const LONG = "x".repeat(600);

describe("a result", () => {
  it.each([
    ["is long enough", result("a", LONG), true],
    ["is short", result("a", "x".repeat(599)), false],
    ["failed", result("a", LONG, { success: false }), false],
    ["comes from the client", result("a", LONG, { fromClient: true }), false],
    ["is a plan", result("a", LONG, { toolName: "propose_plan" }), false],
    ["is an answer of the person", result("a", LONG, { toolName: "ask_user" }), false],
    ["is a text", text(LONG), false],
  ])("that %s: may be pruned is %s", (_, part, expected) => {
    expect(isPrunable(part)).toBe(expected);
  });

  it("is replaced by a line that says what it was and how to read it, without its images", () => {
    const part = result("b", LONG, { images: [{ type: "image", mimeType: "image/png" }] });
    const calls = [
      call("a", "look", '{"path":"other"}'),
      text("b"),
      call("b", "look", '{"path":"notes.txt"}'),
    ];
    const line =
      "[Left out to make room: the result of look (notes.txt), 600 characters; read_result {toolCallId: b} has it.]";
    expect(prunedResult(part, calls)).toEqual({ ...part, output: line, images: undefined });
    expect(prunedResult(part, [call("b")]).output).toContain("the result of look, 600 characters;");
    expect(prunedResult(part, []).output).toContain("the result of look, 600 characters;");
    expect(tokensOfPruned(result("a", "x".repeat(41)))).toBe(81);
  });
});

describe("a result that is too long", () => {
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`).join("\n");
  const whole = result("a", lines);
  const size = tokensOfPart(whole);
  const note =
    /\[… (\d+) bytes, (\d+) lines left out to make room; read_result \{toolCallId: a\} has them …\]/;

  it("loses its middle, and says how to read it", () => {
    const { output } = shortenedResult(whole, Math.floor(size / 4));
    expect(output).toMatch(note);
    expect(output).toMatch(/^line 0\n/);
    expect(output).toMatch(/\nline 499$/);
    expect(output.length).toBeGreaterThan(lines.length / 5);
    expect(output.length).toBeLessThan(lines.length / 3);
    // More of its beginning than of its end.
    expect(output.search(note)).toBeGreaterThan(output.length / 2);
  });

  it("keeps more of its end if a command wrote it", () => {
    for (const toolName of ["execute_command", "command_output"]) {
      const { output } = shortenedResult({ ...whole, toolName }, Math.floor(size / 4));
      expect(output.search(note)).toBeLessThan(output.length / 3);
    }
  });

  it("is the same text each time", () => {
    const once = shortenedResult(whole, 400);
    expect(shortenedResult(whole, 400)).toBe(once);
    expect(shortenedResult(whole, 401)).not.toBe(once);
    expect(shortenedResult(whole, 400)).toEqual(once);
  });

  it.each([
    ["fits exactly", whole, size],
    ["failed", { ...whole, success: false }, 100],
    ["comes from the client", { ...whole, fromClient: true }, 100],
  ])("stays whole if it %s", (_, part, tokens) => {
    expect(shortenedResult(part, tokens)).toBe(part);
  });

  it("is cut if it takes one token more", () => {
    expect(shortenedResult(whole, size - 1)).not.toBe(whole);
  });
});

describe("what a call was about", () => {
  it.each([
    ['{"query":"cats","path":"a.txt"}', "a.txt"],
    ['{"count":3,"command":"ls -l"}', "ls -l"],
    ['{"path":"","url":"https://a.example"}', "https://a.example"],
    ['{"path":7,"query":"cats"}', "cats"],
    ['{"title":"T"}', "T"],
    ['{"task":"T"}', "T"],
    ['{"prompt":"P"}', "P"],
    ['{"n":1,"empty":"","other":"x\\ny"}', "x y"],
    ['{"n":1}', ""],
    ["{}", ""],
    ["broken", ""],
  ])("%s: %j", (args, target) => {
    expect(targetOf(call("a", "look", args))).toBe(target);
  });

  it("is not repeated at length", () => {
    for (const name of ["path", "other"]) {
      const target = targetOf(call("a", "look", JSON.stringify({ [name]: "y".repeat(500) })));
      expect(target).toBe(`${"y".repeat(119)}…`);
    }
  });
});

it("a line has no breaks, and ends with an ellipsis where it goes on", () => {
  expect(oneLine("  one\n\n two\tthree ", 20)).toBe("one two three");
  expect(oneLine("12345", 5)).toBe("12345");
  expect(oneLine("123456", 5)).toBe("1234…");
  // Blanks at its beginning are read too, but not without end.
  expect(oneLine(`${" ".repeat(7)}123456`, 5)).toBe("123");
  expect(oneLine("123🙂5678", 5).isWellFormed()).toBe(true);
  expect(oneLine(prose(1_000), 5)).toBe("abc …");
});
