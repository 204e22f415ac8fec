import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, GuardLayer } from "../protocol/guard.ts";
import type { Principal } from "../protocol/principal.ts";
import type { GuardFact } from "../protocol/statistics.ts";
import type { Tool, ToolEvent, ToolOutput } from "../protocol/tool.ts";
import { createGuard } from "./pipeline.ts";
import { policyFile } from "./policy.ts";
import { createResultCache } from "./result-cache.ts";
import { contextOf, exampleTool, handClock } from "./testing/guarded.ts";

const ada: Principal = { id: "ada", kind: "account" };
const bob: Principal = { id: "bob", kind: "account" };

const searched: ToolEvent = {
  type: "web_search",
  toolCallId: "call_1",
  data: { query: "x", provider: "tavily", sources: [], searchTimeMs: 1 },
};

/** A guard with a manual clock, and the calls that reached the tool. */
function guarded(limits: GuardLayer[] = []) {
  const clock = handClock();
  const facts: GuardFact[] = [];
  const guard = createGuard({
    policy: policyFile.parse({}),
    execution: { timeoutMs: 1_000, maxOutputCharacters: 1_000 },
    limits,
    note: (fact) => facts.push(fact),
    now: clock.now,
  });
  async function call(tool: Tool, principal = ada, args: unknown = {}) {
    const shown: ToolEvent[] = [];
    const context = contextOf(principal, { show: (event) => shown.push(event) });
    const output = await guard.execute({ tool, args, context }, (signal, show = context.show) =>
      tool.run(args, { ...context, signal, show }),
    );
    return { ...output, shown };
  }
  return { clock, facts, call };
}

/** A tool that counts how often it ran. */
function countingTool(change: Parameters<typeof exampleTool>[1] = {}) {
  const tool = exampleTool("count", {
    effect: "network",
    cacheSeconds: 60,
    run: (_, context): ToolOutput => {
      ran += 1;
      context.show(searched);
      return { output: `run ${ran}`, data: { ran }, costUsd: 0.01, retryCount: 2 };
    },
    ...change,
  });
  let ran = 0;
  return { tool, ran: () => ran };
}

describe("a tool with cached results", () => {
  it("returns the cached result to the same caller, with its events and at no cost", async () => {
    const { call, facts } = guarded();
    const { tool, ran } = countingTool();
    const first = await call(tool);
    expect(first).toMatchObject({ output: "run 1", costUsd: 0.01, retryCount: 2 });
    expect(first.cached).toBeUndefined();
    const again = await call(tool);
    expect(again).toEqual({ output: "run 1", data: { ran: 1 }, cached: true, shown: [searched] });
    expect(ran()).toBe(1);
    expect(facts).toMatchObject([
      { cached: false, costUsd: 0.01 },
      { cached: true, outcome: "success" },
    ]);
    expect(facts[1]).not.toHaveProperty("costUsd");
  });

  it("runs for other arguments, for another caller, and when the time is over", async () => {
    const { call, clock } = guarded();
    const { tool } = countingTool();
    expect((await call(tool, ada, { host: "a" })).output).toBe("run 1");
    expect((await call(tool, ada, { host: "b" })).output).toBe("run 2");
    expect((await call(tool, bob, { host: "a" })).output).toBe("run 3");
    clock.advance(59_999);
    expect((await call(tool, ada, { host: "a" })).output).toBe("run 1");
    clock.advance(1);
    expect((await call(tool, ada, { host: "a" })).output).toBe("run 4");
  });

  it("shares results between callers if they depend only on the arguments", async () => {
    const { call } = guarded();
    const { tool } = countingTool({ effect: "none" });
    await call(tool, ada);
    expect(await call(tool, bob)).toMatchObject({ output: "run 1", cached: true });
  });

  it("runs again after a result that came with a warning", async () => {
    const { call } = guarded();
    let ran = 0;
    const { tool } = countingTool({
      run: (_, context): ToolOutput => {
        if (++ran === 1) context.show({ type: "warning", code: "PARTLY", message: "Not all was found." });
        return { output: `run ${ran}` };
      },
    });
    const outputs = [await call(tool), await call(tool), await call(tool)].map(({ output }) => output);
    expect(outputs).toEqual(["run 1", "run 2", "run 2"]);
  });

  it("never caches a change or a failure", async () => {
    const { call } = guarded();
    const changing = countingTool({ effect: "write" });
    await call(changing.tool);
    expect((await call(changing.tool)).output).toBe("run 2");
    let calls = 0;
    const flaky = exampleTool("flaky", {
      effect: "network",
      cacheSeconds: 60,
      run: () => {
        calls += 1;
        if (calls === 1) throw new Failure("UPSTREAM_ERROR", "Down.");
        return "up";
      },
    });
    await expect(call(flaky)).rejects.toThrow("Down.");
    expect(await call(flaky)).toMatchObject({ output: "up" });
  });

  it("counts for limits, but not as a success of its upstream", async () => {
    const ended: unknown[] = [];
    let counted = 0;
    const layer: GuardLayer = {
      name: "counting",
      check() {
        counted += 1;
        return { allow: true, ended: async (failure, cached) => void ended.push([failure, cached]) };
      },
    };
    const { call } = guarded([layer]);
    const { tool } = countingTool();
    await call(tool);
    await call(tool);
    expect(counted).toBe(2);
    expect(ended).toEqual([
      [undefined, false],
      [undefined, true],
    ]);
  });
});

it("a tool without a cache setting runs each time", async () => {
  const { call } = guarded();
  const { tool } = countingTool({ cacheSeconds: undefined });
  await call(tool);
  expect((await call(tool)).output).toBe("run 2");
});

describe("a cached result", () => {
  const callOf = (host: string): GuardedCall => ({
    tool: exampleTool("big", { cacheSeconds: 60 }),
    args: { host },
    context: contextOf(ada),
  });

  it("stays within bounds: the oldest are removed, and large results are not cached", () => {
    const cache = createResultCache();
    for (let index = 0; index < 1_001; index++)
      cache.set(callOf(`${index}`), { output: { output: "small" }, shown: [] });
    expect(cache.get(callOf("0"))).toBeUndefined();
    expect(cache.get(callOf("1000"))).toBeDefined();
    for (let index = 0; index < 40; index++)
      cache.set(callOf(`large ${index}`), { output: { output: "x".repeat(900_000) }, shown: [] });
    expect(cache.get(callOf("large 0"))).toBeUndefined();
    expect(cache.get(callOf("large 39"))).toBeDefined();
    cache.set(callOf("huge"), { output: { output: "x".repeat(2_000_000) }, shown: [] });
    expect(cache.get(callOf("huge"))).toBeUndefined();
  });

  it("has at most a million characters as JSON", () => {
    const cache = createResultCache();
    const result = (length: number) => ({ output: { output: "x".repeat(length) }, shown: [] });
    const around = JSON.stringify(result(0)).length;
    cache.set(callOf("just fits"), result(1_000_000 - around));
    cache.set(callOf("too large"), result(1_000_001 - around));
    expect(cache.get(callOf("just fits"))).toBeDefined();
    expect(cache.get(callOf("too large"))).toBeUndefined();
  });

  it("is a copy: changing a result does not change the cache", () => {
    const cache = createResultCache();
    cache.set(callOf("a"), { output: { output: "x", data: { list: [1] } }, shown: [] });
    const { data } = cache.get(callOf("a"))?.output ?? {};
    (data as { list: number[] }).list.push(2);
    expect(cache.get(callOf("a"))?.output.data).toEqual({ list: [1] });
  });
});
