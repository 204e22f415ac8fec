import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createGuard } from "../guard/pipeline.ts";
import { policyFile } from "../guard/policy.ts";
import type { ToolResultPart } from "../protocol/messages.ts";
import type { EarlierResult } from "../protocol/tool.ts";
import readResult from "../tools/builtin/read_result.ts";
import { ModelMemories } from "./estimate.ts";
import { keepAndShorten } from "./long-results.ts";
import { runTurn } from "./run.ts";
import { call } from "./testing/conversation.ts";
import { calls, ofType, says, scriptedModel, type TurnOptions, tool, turnOver } from "./testing/scripted.ts";

const text = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`).join("\n");
const input = z.object({ toolCallId: z.string() });
const long = tool("long", { run: () => text, input });

async function run(name: string, options: TurnOptions) {
  const { model } = scriptedModel([
    calls({ id: "call_1", name, arguments: '{"toolCallId":"x"}' }),
    says("Done."),
  ]);
  const guard = createGuard({
    policy: policyFile.parse({}),
    execution: { timeoutMs: 60_000, maxOutputCharacters: 1_000_000 },
  });
  const { turn, events } = turnOver(model, { ...options, change: { guard, ...options.change } });
  const { parts } = await runTurn(turn);
  const result = parts.find((part): part is ToolResultPart => part.type === "tool_result") ?? expect.fail();
  return { result, event: ofType(events, "tool_result")[0] };
}

describe("a long result", () => {
  it("is kept whole, and the model is told how to read on", async () => {
    const kept: string[][] = [];
    const keepResult = async (...result: string[]) => kept.push(result) > 0;
    const { result, event } = await run("long", { tools: [long, readResult], change: { keepResult } });
    expect(kept).toEqual([["call_1", text]]);
    expect(result.output).toMatch(
      /lines omitted; read_result \{toolCallId: call_1, offset: \d+\} has them …\]\n/,
    );
    expect(event).toMatchObject({ output: result.output, omitted: { lines: expect.any(Number) } });
  });

  it("does not promise what could not be kept", async () => {
    const { result } = await run("long", {
      tools: [long, readResult],
      change: { keepResult: async () => false },
    });
    expect(result.output.length).toBeLessThan(31_000);
    expect(result.output).toMatch(/lines omitted …\]\n/);
  });

  it("is shown as its tool says", async () => {
    const headless = tool("long", { run: () => text, input, shown: { characters: 1_000, head: 0 } });
    const { result } = await run("long", { tools: [headless, readResult] });
    expect(result.output).toMatch(/^\[… \d+ bytes/);
    expect(result.output.endsWith("line 20000")).toBe(true);
  });
});

it.each<Partial<EarlierResult>>([
  { trust: "untrusted", effect: "read", origin: "workspace", labels: ["override"] },
  { trust: "untrusted", effect: "network" },
  { trust: "trusted", effect: "write" },
])("a result that is read again is treated as before: %j", async (before) => {
  const earlier: EarlierResult = { text: "a", toolName: "old", trust: "untrusted", ...before };
  const { result } = await run("read_result", {
    tools: [readResult],
    change: {
      contextFor: () => ({
        principal: { id: "local", kind: "owner" },
        sessionId: "ses_1",
        runId: "run_1",
        roots: [],
        now: () => new Date(),
        readResult: async () => earlier,
      }),
    },
  });
  expect(result).toMatchObject({ success: true, ...before });
  expect(result.output).toBe("a\n[Lines 1 to 1 of 1 of the result of old. This is the end.]");
});

describe("how much of a result is shown", () => {
  const lines = (characters: number) => "123456789\n".repeat(characters / 10);
  const shownOf = async (text: string, options: TurnOptions = {}, made?: ReturnType<typeof tool>) => {
    const { turn } = turnOver(scriptedModel([], { contextWindow: 200_000 }).model, options);
    return keepAndShorten(turn, call("call_1"), text, made);
  };
  const readable = { tools: [readResult] };

  it.each([
    ["30,000 characters if the rest can be read", 30_000, readable],
    ["100,000 characters if it cannot", 100_000, {}],
  ])("is %s", async (_, characters, options) => {
    expect(await shownOf(lines(characters), options)).toBeUndefined();
    const cut = await shownOf(lines(characters + 10), options);
    expect(cut?.output.length).toBeLessThan(characters + 200);
    expect(cut?.output.length).toBeGreaterThan(characters - 200);
    expect(cut?.output).toMatch(/^123456789\n/);
    expect(cut?.output).toMatch(/123456789\n$/);
  });

  it("is what the tool says, even if the rest cannot be read", async () => {
    const brief = tool("brief", { shown: { characters: 100, head: 1 } });
    const unread = await shownOf(lines(200), {}, brief);
    expect(unread?.output).toBe(`${lines(100)}[… 100 bytes, 10 lines omitted …]\n`);
    const kept = await shownOf(lines(200), readable, brief);
    expect(kept?.output).toBe(
      `${lines(100)}[… 100 bytes, 10 lines omitted; read_result {toolCallId: call_1, offset: 11} has them …]\n`,
    );
    const one = await shownOf(lines(110), {}, brief);
    expect(one?.output).toBe(`${lines(100)}[… 10 bytes, 1 line omitted …]\n`);
  });

  it("is a small share of the model's window", async () => {
    const memory = new ModelMemories().of("test/scripted");
    const context = { view: {}, memory, changed: false };
    const text = "abc ".repeat(6_250);
    // 4,000 of about 5,000 tokens.
    const cut = await shownOf(text, { ...readable, change: { context } });
    expect((cut?.output.length ?? 0) / text.length).toBeCloseTo(0.8, 1);
    expect(await shownOf(text.slice(0, 19_000), { ...readable, change: { context } })).toBeUndefined();
    expect(await shownOf("", { ...readable, change: { context } })).toBeUndefined();
    expect(await shownOf(text, readable)).toBeUndefined();
  });
});
