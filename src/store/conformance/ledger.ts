import { expect, test } from "vitest";
import { MOST_ERRORS, SAMPLES_DAYS, TOOL_USES_DAYS, type ToolUse } from "../../protocol/ledger.ts";
import type { Usage } from "../../protocol/model.ts";
import type { OpenRun, Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import { doneEvent, endOf, openedRun, type StoreHarness } from "./harness.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const USE: ToolUse = {
  userId: "ada",
  tool: "web_fetch",
  outcome: "success",
  durationMs: 10,
  cached: false,
  costUsd: 0,
  inputTokens: 0,
  outputTokens: 0,
  modelCostUsd: 0,
};

async function finish(store: Store, run: Run, usage: Usage, model = "demo/demo"): Promise<void> {
  const end = endOf(run, 2, [doneEvent(run)]);
  await store.finishRun({ ...end, message: { ...end.message, model, usage } });
}

async function finishedRun(
  store: Store,
  usage: Usage,
  open: Partial<OpenRun> = {},
  model?: string,
): Promise<Run> {
  const run = await openedRun(store, open);
  await finish(store, run, usage, model);
  return run;
}

/** The usage ledger: usage, costs and errors. */
export function ledgerBehavior(harness: () => StoreHarness): void {
  test("a running run counts with its cost so far, a finished one with its whole cost", async () => {
    const { store } = harness();
    const run = await openedRun(store, { userId: "ada", keyId: "key" });
    await store.recordSpending(run.id, 0.25);
    await store.recordSpending(run.id, 0.5);
    expect(await store.spentWithin("ada", HOUR_MS)).toBeCloseTo(0.5);
    expect(await store.spentByKey("key")).toBeCloseTo(0.5);
    await finish(store, run, { inputTokens: 1, outputTokens: 1, costUsd: 0.75 });
    expect(await store.spentWithin("ada", HOUR_MS)).toBeCloseTo(0.75);
    expect(await store.spentByKey("key", HOUR_MS)).toBeCloseTo(0.75);
    await store.recordSpending(run.id, 9);
    expect(await store.spentByKey("key")).toBeCloseTo(0.75);
  });

  test("an API key is counted separately from other keys and from its user's requests without a key", async () => {
    const { store, advance } = harness();
    const usage = { inputTokens: 1, outputTokens: 1, costUsd: 1 };
    await finishedRun(store, usage, { userId: "ada", keyId: "one" });
    await finishedRun(store, usage, { userId: "ada", keyId: "two" });
    await finishedRun(store, usage, { userId: "ada" });
    await store.recordUsage({ id: "call_1", userId: "ada", keyId: "one", tool: "t", model: "m", usage });
    await store.recordUsage({ id: "call_1", userId: "ada", keyId: "one", tool: "t", model: "m", usage });
    expect(await store.spentByKey("one")).toBeCloseTo(2);
    expect(await store.spentByKey("nobody's")).toBe(0);
    expect(await store.spentWithin("ada", HOUR_MS)).toBeCloseTo(4);
    advance(HOUR_MS);
    expect(await store.spentByKey("one", HOUR_MS / 2)).toBe(0);
    expect(await store.spentByKey("one")).toBeCloseTo(2);
  });

  test("usage is reported by quarter of an hour and model, for one user or for all, within the window", async () => {
    const { store, advance } = harness();
    await finishedRun(store, { inputTokens: 100, outputTokens: 10, costUsd: 0.1 }, { userId: "ada" }, "a/a");
    advance(2 * HOUR_MS);
    await finishedRun(store, { inputTokens: 200, outputTokens: 20, costUsd: 0.2 }, { userId: "ada" }, "a/a");
    await finishedRun(store, { inputTokens: 300, outputTokens: 30 }, { userId: "bob" }, "b/b");
    const { now, slices } = await store.readUsage({ userId: "ada", windowMs: 3 * HOUR_MS });
    expect(slices).toMatchObject([
      { model: "a/a", runs: 1, inputTokens: 100, outputTokens: 10 },
      { model: "a/a", runs: 1, inputTokens: 200, outputTokens: 20 },
    ]);
    expect(slices.map(({ costUsd }) => Number(costUsd.toFixed(6)))).toEqual([0.1, 0.2]);
    for (const { at } of slices) expect(at % 900_000).toBe(0);
    expect(now - (slices[1]?.at ?? 0)).toBeLessThan(900_000 + 60_000);
    expect((await store.readUsage({ windowMs: HOUR_MS })).slices.map(({ model }) => model)).toEqual([
      "a/a",
      "b/b",
    ]);
    expect((await store.readUsage({ userId: "eve", windowMs: HOUR_MS })).slices).toEqual([]);
  });

  test("a title costs something, and is no question", async () => {
    const { store } = harness();
    const usage = { inputTokens: 5, outputTokens: 1, costUsd: 0.5 };
    const run = await finishedRun(store, usage, { userId: "ada" }, "a/a");
    await store.recordUsage({ id: `${run.id}:title`, userId: "ada", tool: "title", model: "s/small", usage });
    const { slices } = await store.readUsage({ userId: "ada", windowMs: HOUR_MS });
    expect(slices).toMatchObject([
      { model: "a/a", runs: 1, costUsd: 0.5 },
      { model: "s/small", runs: 0, inputTokens: 5, costUsd: 0.5 },
    ]);
  });

  test("usage of another model by a tool counts for that model, and the sum stays the run's", async () => {
    const { store } = harness();
    const run = await openedRun(store, { userId: "ada" });
    const asked = { model: "z/artifact", inputTokens: 40, outputTokens: 4, modelCostUsd: 0.4 };
    await store.recordToolUses([{ ...USE, ...asked, runId: run.id, tool: "generate_artifact" }]);
    await store.recordToolUses([{ ...USE, runId: run.id, tool: "browser.search", costUsd: 0.1 }]);
    await finish(store, run, { inputTokens: 100, outputTokens: 10, costUsd: 1 }, "a/chat");
    const { slices } = await store.readUsage({ userId: "ada", windowMs: HOUR_MS });
    expect(
      slices.map(({ model, runs, inputTokens, outputTokens, costUsd }) => [
        model,
        runs,
        inputTokens,
        outputTokens,
        Number(costUsd.toFixed(6)),
      ]),
    ).toEqual([
      ["", 0, 0, 0, 0.1],
      ["a/chat", 1, 60, 6, 0.5],
      ["z/artifact", 0, 40, 4, 0.4],
    ]);
  });

  test("tools are reported with their counts, failures, costs and times, cached results separately", async () => {
    const { store } = harness();
    const uses = Array.from({ length: 100 }, (_, index) => ({ ...USE, durationMs: index + 1 }));
    await store.recordToolUses([
      ...uses,
      { ...USE, cached: true, durationMs: 9_999 },
      { ...USE, outcome: "TOOL_TIMEOUT", durationMs: 1 },
      { ...USE, tool: "browser.search", userId: "bob", costUsd: 0.01, modelCostUsd: 0.02 },
    ]);
    const [fetches, searches] = await store.readToolUses({ windowMs: HOUR_MS });
    expect(fetches).toMatchObject({ tool: "web_fetch", calls: 102, failures: 1, cached: 1, p50Ms: 50 });
    expect(fetches?.p95Ms).toBeGreaterThanOrEqual(94);
    expect(fetches?.p95Ms).toBeLessThanOrEqual(96);
    expect(searches).toMatchObject({ tool: "browser.search", calls: 1, p50Ms: 10 });
    expect(searches?.costUsd).toBeCloseTo(0.03);
    expect(await store.readToolUses({ userId: "bob", windowMs: HOUR_MS })).toHaveLength(1);
    expect(await store.readToolUses({ userId: "eve", windowMs: HOUR_MS })).toEqual([]);
  });

  test("tool uses move to an account with their user, are deleted with it, and are removed after their time", async () => {
    const { store, advance } = harness();
    await store.recordToolUses([{ ...USE, userId: "guest" }]);
    await store.adoptUser("guest", "ada");
    expect(await store.readToolUses({ userId: "ada", windowMs: HOUR_MS })).toHaveLength(1);
    await store.deleteUser("ada");
    expect(await store.readToolUses({ windowMs: HOUR_MS })).toEqual([]);
    await store.recordToolUses([USE]);
    advance((TOOL_USES_DAYS + 1) * DAY_MS);
    await store.recordToolUses([{ ...USE, tool: "new" }]);
    const all = await store.readToolUses({ windowMs: 2 * TOOL_USES_DAYS * DAY_MS });
    expect(all.map(({ tool }) => tool)).toEqual(["new"]);
  });

  test("active people, calls and failed calls are counted between the given times", async () => {
    const { store, advance } = harness();
    const now = async () => (await store.readUsage({ windowMs: 1 })).now;
    const before = await now();
    await finishedRun(store, { inputTokens: 1, outputTokens: 1 }, { userId: "ada" });
    await finishedRun(store, { inputTokens: 1, outputTokens: 1 }, { userId: "ada" });
    await store.recordToolUses([USE, { ...USE, outcome: "TOOL_FAILED" }]);
    advance(2 * HOUR_MS);
    await finishedRun(store, { inputTokens: 1, outputTokens: 1 }, { userId: "ada" });
    await finishedRun(store, { inputTokens: 1, outputTokens: 1 }, { userId: "bob" });
    await store.recordToolUses([USE]);
    const starts = [before - HOUR_MS, before - 1, before + HOUR_MS];
    const unnoted = { running: 0, bytes: 0 };
    expect(await store.countActivity(starts)).toEqual([
      { people: 0, calls: 0, failures: 0, ...unnoted },
      { people: 1, calls: 2, failures: 1, ...unnoted },
      { people: 2, calls: 1, failures: 0, ...unnoted },
    ]);
    expect(await store.countActivity([before - 1])).toEqual([
      { people: 2, calls: 3, failures: 1, ...unnoted },
    ]);
    expect(await store.countActivity([])).toEqual([]);
  });

  test("samples note the most active runs of each hour and what is stored, and old ones are deleted", async () => {
    const { store, advance } = harness();
    const before = await store.now();
    const runs = [await openedRun(store), await openedRun(store)];
    await store.recordSample();
    for (const run of runs) await finish(store, run, { inputTokens: 1, outputTokens: 1 });
    await store.recordSample();
    advance(2 * HOUR_MS);
    await openedRun(store);
    await store.recordSample();
    advance(2 * HOUR_MS);
    const starts = [before - 9 * HOUR_MS, before - HOUR_MS, before + HOUR_MS, before + 3 * HOUR_MS];
    const counted = await store.countActivity(starts);
    expect(counted.map(({ running }) => running)).toEqual([0, 2, 1, 0]);
    expect(counted[0]?.bytes).toBe(0);
    // What is stored is known until it is noted again.
    for (const { bytes } of counted.slice(1)) expect(bytes).toBeGreaterThan(0);
    advance((SAMPLES_DAYS + 1) * DAY_MS);
    await store.recordSample();
    expect((await store.countActivity([before - HOUR_MS, before + 3 * HOUR_MS]))[0]).toMatchObject({
      running: 0,
      bytes: 0,
    });
  });

  test("errors are listed newest first, up to a limit", async () => {
    const { store } = harness();
    await store.recordErrors([{ code: "INTERNAL", source: "route:/chat", requestId: "req_1" }]);
    await store.recordErrors([{ code: "TOOL_FAILED", source: "tool:web_fetch" }]);
    expect(await store.listErrors(10)).toEqual([
      { code: "TOOL_FAILED", source: "tool:web_fetch", at: expect.stringMatching(/^\d{4}-/) },
      {
        code: "INTERNAL",
        source: "route:/chat",
        requestId: "req_1",
        at: expect.stringMatching(/^\d{4}-/),
      },
    ]);
    const many = Array.from({ length: MOST_ERRORS }, () => ({ code: "INTERNAL", source: "model:demo/demo" }));
    await store.recordErrors(many);
    await store.recordErrors(many.slice(0, 10));
    await store.recordErrors(many.slice(0, 1));
    const kept = await store.listErrors(2 * MOST_ERRORS);
    expect(kept.length).toBeLessThanOrEqual(MOST_ERRORS + 10);
    expect(kept.some(({ requestId }) => requestId === "req_1")).toBe(false);
  });

  test("active runs are listed for everyone, the oldest first; finished runs are not", async () => {
    const { store, advance } = harness();
    const first = await openedRun(store, { userId: "ada" });
    advance(1_000);
    const second = await openedRun(store, { userId: "bob" });
    await finishedRun(store, { inputTokens: 1, outputTokens: 1 });
    expect((await store.listActiveRuns(10)).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(await store.listActiveRuns(1)).toMatchObject([{ id: first.id, userId: "ada", status: "running" }]);
  });

  test("a breaker that is closed by hand lets the next call through", async () => {
    const { store } = harness();
    for (let count = 0; count < 3; count++)
      await store.reportBreaker("tool:x", { outcome: "failed", caller: "ada", alone: true });
    expect(await store.takeBreaker("tool:x")).toMatchObject({ state: "open" });
    await store.reportBreaker("tool:x", { outcome: "succeeded" });
    expect(await store.takeBreaker("tool:x")).toEqual({ state: "closed", failures: 0 });
    expect(await store.listBreakers()).toEqual([]);
  });
}
