import { expect, test } from "vitest";
import type { McpTaskState } from "../../protocol/mcp-tasks.ts";
import type { StoreHarness } from "./harness.ts";

/** Calls of other programs that continue without a connection. */
export function mcpTaskBehavior(harness: () => StoreHarness): void {
  const state: McpTaskState = {
    tool: "slow",
    arguments: { text: "a\u0000😀" },
    status: "working",
    capabilities: {},
  };
  const mine = { owner: "one", leaseMs: 60_000 };
  const lapsed = { owner: "one", leaseMs: -1 };
  const day = 86_400_000;

  test("a task is kept whole, also after a restart", async () => {
    const { store, reopen } = harness();
    await store.addMcpTask({ id: "task_1", userId: "ada", state }, mine, day);
    const done: McpTaskState = { ...state, status: "completed", result: { content: [] } };
    expect(await store.saveMcpTask("task_1", done, mine)).toBe(true);
    expect(await (await reopen()).getMcpTask("task_1")).toEqual({
      id: "task_1",
      userId: "ada",
      state: done,
      answers: {},
      cancelled: false,
      abandoned: false,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
  });

  test("only a task that nobody works on can be taken over, and by one alone", async () => {
    const { store } = harness();
    const other = { owner: "two", leaseMs: 60_000 };
    await store.addMcpTask({ id: "task_1", userId: "ada", state }, mine, day);
    expect(await store.claimMcpTask("task_1", other)).toBe(false);
    await store.saveMcpTask("task_1", state, lapsed);
    expect((await store.getMcpTask("task_1"))?.abandoned).toBe(true);
    expect(await store.claimMcpTask("task_1", other)).toBe(true);
    expect(await store.claimMcpTask("task_1", mine)).toBe(false);
    expect(await store.saveMcpTask("task_1", { ...state, status: "failed" }, mine)).toBe(false);
    expect((await store.getMcpTask("task_1"))?.state.status).toBe("working");
  });

  test("answers add up, and the wish to stop stays", async () => {
    const { store } = harness();
    await store.addMcpTask({ id: "task_1", userId: "ada", state }, mine, day);
    await store.tellMcpTask("task_1", { answers: { a: { action: "accept" } } });
    await store.tellMcpTask("task_1", { cancel: true });
    await store.tellMcpTask("task_1", { answers: { b: { action: "decline" } } });
    await store.tellMcpTask("unknown", { cancel: true });
    expect(await store.getMcpTask("task_1")).toMatchObject({
      answers: { a: { action: "accept" }, b: { action: "decline" } },
      cancelled: true,
    });
  });

  test("old tasks of the same person go", async () => {
    const { store } = harness();
    for (const userId of ["ada", "bob"])
      await store.addMcpTask({ id: `of ${userId}`, userId, state }, mine, day);
    await store.addMcpTask({ id: "newer", userId: "ada", state }, mine, -1);
    expect(await store.getMcpTask("of ada")).toBeUndefined();
    expect(await store.getMcpTask("of bob")).toBeDefined();
    expect(await store.getMcpTask("newer")).toBeDefined();
  });
}
