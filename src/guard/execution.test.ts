import { describe, expect, it } from "vitest";
import type { GuardFact } from "../protocol/statistics.ts";
import type { ToolOutput } from "../protocol/tool.ts";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { boundText, execute } from "./execution.ts";
import { createGuard } from "./pipeline.ts";
import { policyFile } from "./policy.ts";
import { exampleTool } from "./testing/guarded.ts";

const tool = exampleTool("work");
const limits = { timeoutMs: 20, maxOutputCharacters: 10 };
const never = () => new Promise<ToolOutput>(() => {});

describe("layer 4", () => {
  it("ends a call that takes too long, and aborts its signal", async () => {
    let told: AbortSignal | undefined;
    const call = { tool, args: {}, context: toolContext() };
    const running = execute(
      call,
      (signal) => {
        told = signal;
        return never();
      },
      limits,
    );
    await expect(running).rejects.toMatchObject({ code: "TOOL_TIMEOUT", status: 504 });
    expect(told?.aborted).toBe(true);
  });

  it.each([
    [40, "0 s"],
    [180, "0.2 s"],
  ])("says in tenths of a second how long the tool had: %i ms are %s", async (timeoutMs, said) => {
    const call = { tool: exampleTool("slow", { timeoutMs }), args: {}, context: toolContext() };
    await expect(execute(call, never, { ...limits, timeoutMs: 60_000 })).rejects.toMatchObject({
      publicMessage: `slow did not finish within ${said} and was stopped.`,
    });
  });

  it("passes on what a call throws", async () => {
    const thrown = new Error("own");
    const call = { tool, args: {}, context: toolContext() };
    await expect(execute(call, () => Promise.reject(thrown), limits)).rejects.toBe(thrown);
  });

  it("ends a call that is cancelled, even before it began", async () => {
    const abort = new AbortController();
    const call = { tool, args: {}, context: toolContext({ signal: abort.signal }) };
    const running = execute(call, never, { ...limits, timeoutMs: 60_000 });
    abort.abort();
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(execute(call, never, limits)).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("bounds the output", async () => {
    const call = { tool, args: {}, context: toolContext() };
    const guard = createGuard({ policy: policyFile.parse({}), execution: limits });
    const returned = (text: string) =>
      guard.execute(call, async () => ({ output: text, content: [{ type: "text", text }] }));
    // The parts of a result repeat its text, so a text that is cut comes without them.
    expect(await returned("x".repeat(25))).toEqual({
      output: `${"x".repeat(10)}\n[… 15 more characters were cut]`,
    });
    expect(await returned("x".repeat(10))).toEqual({
      output: "x".repeat(10),
      content: [{ type: "text", text: "x".repeat(10) }],
    });
  });

  it("notes how long a call took, and how it ended", async () => {
    const facts: GuardFact[] = [];
    const note = (fact: GuardFact) => void facts.push(fact);
    const guard = createGuard({ policy: policyFile.parse({}), execution: limits, note });
    const call = { tool, args: {}, context: toolContext() };
    const before = performance.now();
    await guard.execute(call, async () => ({ output: "" }));
    await expect(guard.execute(call, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    const tookMs = performance.now() - before;
    expect(facts).toMatchObject([{ outcome: "success" }, { outcome: "TOOL_FAILED" }]);
    for (const fact of facts) {
      const durationMs = fact.type === "call" ? fact.durationMs : Number.NaN;
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeLessThanOrEqual(tookMs);
    }
  });

  it("cuts a text after a whole character, and says how much is missing", () => {
    expect(boundText("abcdef", 6)).toBe("abcdef");
    expect(boundText("abcdef", 4)).toBe("abcd\n[… 2 more characters were cut]");
    expect(boundText("abc😀", 4)).toBe("abc\n[… 1 more characters were cut]");
  });

  it("never splits a character", () => {
    for (let length = 0; length < 8; length++) {
      const cut = boundText("a🙂é🙂b", length);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toContain("\ufffd");
    }
  });
});
