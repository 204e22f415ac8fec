import { describe, expect, it, vi } from "vitest";
import { situationOf } from "../loop/situation.ts";
import { contentDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Run } from "../protocol/run-records.ts";
import type { ChildFacts, RunRequest } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import { doneEvent, endOf, openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { type ChildStarter, calledIn, childRunsOf } from "./child-runs.ts";
import type { StartOptions } from "./open-run.ts";

const ada: Principal = { id: "ada", kind: "account", key: { id: "key_1" } };
const REQUEST: RunRequest = { request: {}, principal: ada, model: "demo/demo", requestId: "req_1" };
const limits = {
  maxTokens: 9,
  maxCostUsd: 1,
  maxToolCalls: 2,
  maxIterations: 3,
  maxRunMs: 4,
  approvalMs: 5,
};
const situation = situationOf([], []);
const task = { task: "Find the fjords.", tools: ["web_fetch"], model: undefined, situation, limits };
const running = new AbortController().signal;

function childOf(run: Pick<Run, "id" | "sessionId">): ChildFacts {
  const { id, sessionId } = run;
  return { parentRunId: id, parentCallId: "c", root: { id, sessionId }, depth: 1, situation, limits: {} };
}

/** The child runs of a run with this request, and what was started and stopped for it. */
async function childRuns(parent: Partial<RunRequest> = {}, store?: Store) {
  const used = store ?? (await temporaryStore());
  const run = await openedRun(used);
  const started: [Principal, TurnRequest, StartOptions][] = [];
  const stopped: [Run, string][] = [];
  const starter: ChildStarter = {
    async start(...given) {
      started.push(given);
      return { runId: "run_child" };
    },
    stop: async (...given) => void stopped.push(given),
  };
  const children = childRunsOf(used, starter, run, { ...REQUEST, ...parent });
  return { store: used, run, children, started, stopped };
}

describe("a child run", () => {
  it("is started with its task alone, for the same person, under a key that finds it again", async () => {
    const { run, children, started } = await childRuns();
    expect(await children.start("call_1", task)).toBe("run_child");
    expect(started).toEqual([
      [
        { ...ada, id: run.userId },
        {
          message: "Find the fjords.",
          tools: ["web_fetch"],
          model: "demo/demo",
          instructions: expect.stringMatching(/^You work on one task for another assistant\./),
        },
        {
          child: {
            parentRunId: run.id,
            parentCallId: "call_1",
            root: { id: run.id, sessionId: run.sessionId },
            depth: 1,
            situation,
            limits,
          },
          idempotencyKey: `delegate:${run.id}:call_1`,
          body: { task: "Find the fjords." },
          told: {},
        },
      ],
    ]);
  });

  it("inherits what its parent was asked with and told", async () => {
    const root = { id: "run_root", sessionId: "ses_root" };
    const { children, started, run } = await childRuns({
      request: { model: "asked/model", attended: false, reasoningEffort: "low" },
      child: { ...childOf({ id: "run_p", sessionId: "s" }), root, depth: 2 },
      project: "prj_1",
      memory: ["mem_1"],
      workspace: { instructions: [], skills: [], projects: [], warnings: [] },
    });
    await children.start("call_1", task);
    await children.start("call_2", { ...task, model: "wanted/model" });
    expect(started[0]?.[1]).toMatchObject({ model: "asked/model", attended: false, reasoningEffort: "low" });
    expect(started[0]?.[2]).toMatchObject({
      child: { root, depth: 3 },
      told: { project: "prj_1", memory: ["mem_1"] },
      workspaceOf: run.id,
    });
    expect(started[1]?.[1].model).toBe("wanted/model");
    const below = await childRuns({ workspaceOf: "run_first" });
    await below.children.start("call_1", task);
    expect(below.started[0]?.[2].workspaceOf).toBe("run_first");
  });

  it("is stopped for its parent, and returns what it said", async () => {
    const { store, run, children, stopped } = await childRuns();
    await children.stop("run_child");
    expect(stopped).toEqual([[run, "run_child"]]);
    const child = await openedRun(store);
    expect(await children.partsOf("none")).toEqual([]);
    await store.finishRun(endOf(child, 2, [contentDelta("Found."), doneEvent(child)]));
    expect(await children.partsOf(child.id)).toEqual([{ type: "text", text: "Found." }]);
  });
});

describe("following a child", () => {
  const append = (store: Store, run: Run, firstSeq: number, events: ChatEvent[]) =>
    store.commit(
      [
        {
          runId: run.id,
          epoch: run.epoch,
          firstSeq,
          events: events.map((event) => JSON.stringify(event)),
          steps: [],
        },
      ],
      { durable: false },
    );

  it("delivers every event once, also those that come later, and ends with the last", async () => {
    const { store, children } = await childRuns();
    const child = await openedRun(store);
    const many = Array.from({ length: 501 }, (_, at): ChatEvent => contentDelta(`${at}`));
    await append(store, child, 2, many);
    const seen: ChatEvent[] = [];
    const following = children.follow(child.id, running, (event) => seen.push(event));
    await vi.waitFor(() => expect(seen).toHaveLength(502));
    await append(store, child, 503, [doneEvent(child), contentDelta("never shown")]);
    await following;
    expect(seen.map(({ type }) => type).slice(-2)).toEqual(["content_delta", "done"]);
    expect(seen.slice(1, -1)).toEqual(many);
  });

  it("can be left, and stops watching", async () => {
    const real = await temporaryStore();
    let watches = 0;
    const store: Store = {
      ...real,
      watch(...given) {
        watches++;
        const stop = real.watch(...given);
        return () => {
          watches--;
          stop();
        };
      },
    };
    const { children } = await childRuns({}, store);
    const child = await openedRun(real);
    const leave = new AbortController();
    const seen: string[] = [];
    const following = children.follow(child.id, leave.signal, ({ type }) => seen.push(type));
    await vi.waitFor(() => expect(seen).toEqual(["session"]));
    expect(watches).toBe(1);
    leave.abort();
    await following;
    expect(watches).toBe(0);
    await children.follow(child.id, AbortSignal.abort(), ({ type }) => seen.push(type));
    expect(seen).toEqual(["session"]);
  });

  it("fails where the child was deleted", async () => {
    const { children } = await childRuns();
    await expect(children.follow("run_none", running, () => {})).rejects.toMatchObject({
      code: "TOOL_FAILED",
      publicMessage: "The child run was deleted.",
    });
  });

  it("reads again every two seconds, because a wake-up can be lost", async () => {
    vi.useFakeTimers();
    try {
      let reads = 0;
      const run = { id: "run_1", sessionId: "s" } as Run;
      const store = {
        watch: () => () => {},
        readEvents: async () => {
          reads++;
          return reads < 3 ? [] : [{ seq: 1, json: JSON.stringify(doneEvent({ messageId: "m" })) }];
        },
        getRun: async () => run,
      } as Partial<Store> as Store;
      const starter = {} as ChildStarter;
      const following = childRunsOf(store, starter, run, REQUEST).follow("run_1", running, () => {});
      await vi.advanceTimersByTimeAsync(1_999);
      expect(reads).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(reads).toBe(2);
      await vi.advanceTimersByTimeAsync(2_000);
      await following;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a call that a decision is about", () => {
  it("is the run's own, or that of a child, however deep, which the run shows", async () => {
    const store = await temporaryStore();
    const opened = (runId: string, parent?: Pick<Run, "id" | "sessionId">) =>
      openedRun(store, { runId, request: { ...REQUEST, ...(parent ? { child: childOf(parent) } : {}) } });
    const root = await opened("run_root");
    const child = await opened("run_child", root);
    await opened("run_grandchild", child);
    await opened("run_other");
    expect(await calledIn(store, "run_root", "call_1")).toEqual({ runId: "run_root", toolCallId: "call_1" });
    expect(await calledIn(store, "run_root", "run_child:call_1")).toEqual({
      runId: "run_child",
      toolCallId: "call_1",
    });
    expect(await calledIn(store, "run_root", "run_grandchild:call_2")).toEqual({
      runId: "run_grandchild",
      toolCallId: "call_2",
    });
    const none = { code: "NOT_FOUND", publicMessage: "There is no such call in this run." };
    for (const id of ["run_other:call_1", "run_none:call_1"])
      await expect(calledIn(store, "run_root", id)).rejects.toMatchObject(none);
    await expect(calledIn(store, "run_child", "run_root:call_1")).rejects.toMatchObject(none);
  });
});
