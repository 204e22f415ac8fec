import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import type { ToolOutput } from "../protocol/tool.ts";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { boundText, execute } from "./execution.ts";
import { createGuard } from "./pipeline.ts";
import { policyFile } from "./policy.ts";

const tool = defineTool({
  name: "work",
  description: "Works.",
  effect: "none",
  retry: "pure",
  input: z.object({}),
  run: () => "",
});
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
    const { output } = await guard.execute(call, async () => ({ output: "x".repeat(25) }));
    expect(output).toBe(`${"x".repeat(10)}\n[… 15 more characters were cut]`);
  });

  it("never splits a character", () => {
    for (let length = 0; length < 8; length++) {
      const cut = boundText("a🙂é🙂b", length);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toContain("\ufffd");
    }
  });
});
