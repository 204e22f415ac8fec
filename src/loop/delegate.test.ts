import { describe, expect, it } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import type { ChatEvent, EventOf } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { Part } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import type { DelegatedTask } from "../protocol/tool.ts";
import { WorkingTime } from "./budget.ts";
import { delegateTo } from "./delegate.ts";
import { situationOf } from "./situation.ts";
import { call, result } from "./testing/conversation.ts";
import { memoryLog, scriptedModel, type TurnOptions, tool, turnOver } from "./testing/scripted.ts";
import type { ChildRuns } from "./turn.ts";

const TASK = "Count the pages.";
const start = (toolCallId: string, toolName = "delegate"): ChatEvent => ({
  type: "tool_call_start",
  toolCallId,
  toolName,
  arguments: { at: toolCallId },
  textOffset: 0,
});
const done = (finishReason: EventOf<"done">["finishReason"] = "stop"): ChatEvent => ({
  type: "done",
  finishReason,
  messageId: "m",
  iterations: 1,
  toolCalls: 0,
});
const asksFor = (toolCallId: string, change: Partial<EventOf<"tool_approval_required">> = {}): ChatEvent => ({
  type: "tool_approval_required",
  toolCallId,
  toolName: "pay",
  arguments: { at: "a" },
  argumentsHash: "hash",
  reason: "It pays.",
  risk: "high",
  expiresAt: "2026-01-01T00:01:00Z",
  ...change,
});
const question = (toolCallId: string, asked = "Which?"): ChatEvent => ({
  type: "question_required",
  toolCallId,
  question: asked,
  expiresAt: "2026-01-01T00:01:00Z",
});
const decided = (toolCallId: string): ChatEvent => ({
  type: "tool_approval_decided",
  toolCallId,
  decision: "once",
  by: "ada",
});
const executing = (toolCallId: string): ChatEvent => ({
  type: "tool_executing",
  toolCallId,
  toolName: "pay",
});
const resulted = (toolCallId: string): EventOf<"tool_result"> => ({
  type: "tool_result",
  toolCallId,
  toolName: "pay",
  success: true,
  latencyMs: 1,
  retryCount: 0,
  cached: false,
  output: "paid",
});

interface Options extends TurnOptions {
  /** What the parent's journal has already. */
  before?: ChatEvent[];
  asked?: Partial<DelegatedTask>;
  parts?: Part[];
  follow?: ChildRuns["follow"];
}

/** Delegates to a child that has these events. */
async function delegated(childEvents: ChatEvent[], options: Options = {}) {
  const log = memoryLog([start("call_1"), ...(options.before ?? [])]);
  const before = log.events.length;
  const started: unknown[][] = [];
  const stopped: string[] = [];
  const waits: boolean[] = [];
  const limit: string[] = [];
  const counted: (Usage | undefined)[] = [];
  const children: ChildRuns = {
    async start(...given) {
      started.push(given);
      return "run_2";
    },
    async follow(runId, signal, onEvent) {
      for (const event of childEvents) onEvent(event);
      await options.follow?.(runId, signal, onEvent);
    },
    stop: async (runId) => void stopped.push(runId),
    partsOf: async () => options.parts ?? [],
  };
  const { turn } = turnOver(scriptedModel([]).model, {
    ...options,
    log,
    change: { children: () => children, ...options.change },
  });
  const delegating = {
    call: call("call_1", "delegate"),
    situation: situationOf([], [], []),
    setWaiting: (waiting: boolean) => void waits.push(waiting),
    timeLimit: { pause: () => void limit.push("pause"), resume: () => void limit.push("resume") },
    count: (usage: Usage | undefined) => void counted.push(usage),
  };
  const task = { task: TASK, signal: new AbortController().signal, ...options.asked };
  const output = await delegateTo(turn, delegating, task).catch((failure: Failure) => failure);
  return { output, started, stopped, waits, limit, counted, shown: log.events.slice(before) };
}

const finished = [contentDelta("Seven."), done()];

describe("a child run", () => {
  const tools = [
    tool("look", { aliases: ["watch"] }),
    tool("todo"),
    tool("skill"),
    tool("propose_plan"),
    tool("pay"),
  ];

  it("is started with its task, its tools and an equal share of what is left", async () => {
    const { started, limit } = await delegated(finished, {
      tools,
      before: [
        start("call_2"),
        start("call_3"),
        resulted("call_3"),
        start("call_4", "look"),
        { type: "usage", inputTokens: 600, outputTokens: 401, costUsd: 0.5 },
      ],
      limits: { maxTokens: 10_000, maxCostUsd: 1.5, maxToolCalls: 9, maxIterations: 7, approvalMs: 99 },
      asked: { model: "test/small" },
    });
    expect(started).toEqual([
      [
        "call_1",
        {
          task: TASK,
          model: "test/small",
          tools: ["look", "pay"],
          situation: {
            outside: [],
            workspace: [],
            privateReads: [],
            suspicious: [],
            personTexts: [],
            links: [],
          },
          limits: {
            maxTokens: 4_499,
            maxCostUsd: 0.5,
            maxToolCalls: 2,
            maxIterations: 7,
            maxRunMs: 60_000,
            approvalMs: 99,
          },
        },
      ],
    ]);
    expect(limit).toEqual(["pause"]);
  });

  it("gets the least of what is used up", async () => {
    let now = 0;
    const time = new WorkingTime(() => now);
    now = 999_999;
    const { started } = await delegated(finished, {
      before: [{ type: "usage", inputTokens: 600, outputTokens: 500, costUsd: 2 }, resulted("call_1")],
      limits: { maxTokens: 1_000, maxCostUsd: 1, maxToolCalls: 0 },
      change: { time },
    });
    expect(started[0]?.[1]).toMatchObject({
      limits: { maxTokens: 1, maxCostUsd: 0, maxToolCalls: 0, maxRunMs: 1 },
    });
  });

  it("gets the tools that were asked for, by any of their names, and never more than its parent has", async () => {
    const toolsFor = async (...wanted: string[]) => {
      const { started, output } = await delegated(finished, { tools, asked: { tools: wanted } });
      return started[0]?.[1] ?? output;
    };
    expect(await toolsFor("watch", "pay")).toMatchObject({ tools: ["look", "pay"] });
    expect(await toolsFor()).toMatchObject({ tools: [] });
    const message = (name: string, names: string) => ({
      code: "TOOL_INVALID_ARGUMENTS",
      publicMessage: `A child run cannot have the tool "${name}". It can have: ${names}.`,
    });
    expect(await toolsFor("look", "todo")).toMatchObject(message("todo", "look, pay"));
    expect(await toolsFor("x".repeat(200))).toMatchObject(message("x".repeat(100), "look, pay"));
    const none = await delegated(finished, { asked: { tools: ["look"] } });
    expect(none.output).toMatchObject(message("look", "none"));
  });

  it("is shown once as what works on the call, and its usage counts", async () => {
    const used: ChatEvent = { type: "usage", inputTokens: 5, outputTokens: 6 };
    const first = await delegated([used, ...finished]);
    const shown = { type: "child_run", toolCallId: "call_1", runId: "run_2", task: TASK } as const;
    expect(first.shown).toEqual([shown]);
    expect(first.counted).toEqual([{ inputTokens: 5, outputTokens: 6 }]);
    expect((await delegated(finished, { before: [shown] })).shown).toEqual([]);
    expect((await delegated(finished, { before: [{ ...shown, runId: "run_9" }] })).shown).toEqual([shown]);
  });

  it("cannot be started where there are none", async () => {
    const { output } = await delegated([], { change: { children: undefined } });
    expect(output).toMatchObject({
      code: "TOOL_DENIED",
      publicMessage: "Delegating is not possible here.",
    });
  });

  it("is stopped with its parent, or if following it fails", async () => {
    const stop = new AbortController();
    const cancelled = await delegated(finished, {
      asked: { signal: stop.signal },
      follow: async () => stop.abort(),
    });
    expect(cancelled.output).toMatchObject({
      code: "CANCELLED",
      publicMessage: "It was stopped before it finished.",
    });
    expect([cancelled.stopped, cancelled.counted]).toEqual([["run_2"], []]);
    const lost = new Failure("INTERNAL", "Lost.");
    const failed = await delegated(finished, { follow: () => Promise.reject(lost) });
    expect([failed.output, failed.stopped]).toEqual([lost, ["run_2"]]);
    expect((await delegated(finished)).stopped).toEqual([]);
  });
});

describe("what a child does", () => {
  const progress = (message: string) => ({ type: "tool_progress", toolCallId: "call_1", message });
  const child = { type: "child_run", toolCallId: "call_1", runId: "run_2", task: TASK };
  const from = { runId: "run_2", task: TASK };
  const own = {
    ...asksFor("run_2:a"),
    reason: `It pays. Asked by a child run that works on “${TASK}”.`,
    from,
  };
  const called = { ...start("run_2:a", "pay"), arguments: { at: "a" } };

  it("is shown as progress, without repetition", async () => {
    const { shown } = await delegated([
      start("a", "look"),
      start("b", "look"),
      start("c", "pay"),
      ...finished,
    ]);
    expect(shown).toEqual([child, progress("look …"), progress("pay …")]);
  });

  it("is asked about in its parent, which waits, and goes on there", async () => {
    const { shown, waits } = await delegated([
      start("a", "pay"),
      asksFor("a"),
      decided("a"),
      executing("a"),
      resulted("a"),
      ...finished,
    ]);
    expect(shown).toEqual([
      child,
      progress("pay …"),
      called,
      own,
      { ...decided("a"), toolCallId: "run_2:a" },
      { ...executing("a"), toolCallId: "run_2:a" },
      { ...resulted("a"), toolCallId: "run_2:a" },
    ]);
    expect(waits).toEqual([true, false]);
  });

  it("is not shown as a call if nobody is asked about it", async () => {
    const { shown, waits } = await delegated([
      start("a", "look"),
      executing("a"),
      resulted("a"),
      asksFor("gone"),
      ...finished,
    ]);
    expect(shown).toEqual([child, progress("look …")]);
    expect(waits).toEqual([]);
  });

  it("waits as long as one of its questions does, and no longer than it runs", async () => {
    const { waits } = await delegated([
      start("a", "pay"),
      start("b", "pay"),
      asksFor("a"),
      asksFor("b"),
      decided("a"),
      ...finished,
    ]);
    expect(waits).toEqual([true, false]);
  });

  it("asks its questions in the parent", async () => {
    const answered: ChatEvent = { type: "question_answered", toolCallId: "a", answer: "This." };
    const { shown, waits } = await delegated([
      start("a", "pay"),
      executing("a"),
      question("a"),
      answered,
      question("a", "And then?"),
      ...finished,
    ]);
    expect(shown.slice(2)).toEqual([
      called,
      { ...question("run_2:a"), from },
      { ...answered, toolCallId: "run_2:a" },
      { ...question("run_2:a", "And then?"), from },
    ]);
    expect(waits).toEqual([true, false, true, false]);
  });

  it("says who asks if a grandchild does, once", async () => {
    const asker = { runId: "run_3", task: "Look deeper." };
    const { shown } = await delegated([
      start("run_3:a", "pay"),
      asksFor("run_3:a", { from: asker }),
      ...finished,
    ]);
    expect(shown.at(-1)).toEqual(asksFor("run_3:a", { from: asker }));
    const long = await delegated([start("a", "pay"), question("a"), ...finished], {
      asked: { task: "x".repeat(300) },
    });
    expect(long.shown.at(-1)).toMatchObject({ from: { runId: "run_2", task: "x".repeat(200) } });
  });

  it("is not shown again by the next owner of the parent", async () => {
    const events = [
      start("a", "pay"),
      asksFor("a"),
      decided("a"),
      executing("a"),
      resulted("a"),
      ...finished,
    ];
    const { shown } = await delegated(events);
    for (let seen = 1; seen <= shown.length; seen++) {
      const again = await delegated(events, { before: shown.slice(0, seen) });
      expect(again.shown, `after ${seen} events`).toEqual(shown.slice(seen));
    }
    const answered: ChatEvent = { type: "question_answered", toolCallId: "a", answer: "This." };
    const asking = [
      start("a", "pay"),
      executing("a"),
      question("a"),
      answered,
      question("a"),
      { ...answered, answer: "That." },
      resulted("a"),
      ...finished,
    ];
    const questions = await delegated(asking);
    for (let seen = 1; seen <= questions.shown.length; seen++) {
      // The call and its question are written together.
      if (questions.shown[seen - 1]?.type === "tool_call_start") continue;
      const again = await delegated(asking, { before: questions.shown.slice(0, seen) });
      expect(again.shown, `after ${seen} events`).toEqual(questions.shown.slice(seen));
    }
  });

  it("is asked about again if the question has changed", async () => {
    const { shown } = await delegated([start("a", "pay"), asksFor("a"), ...finished]);
    const again = await delegated(
      [start("a", "pay"), asksFor("a", { argumentsHash: "other" }), ...finished],
      { before: shown },
    );
    expect(again.shown).toEqual([{ ...own, argumentsHash: "other" }]);
    expect(again.waits).toEqual([true, false]);
    const over = await delegated([start("a", "pay"), asksFor("a"), ...finished], {
      before: [...shown, { ...resulted("a"), toolCallId: "run_2:a" }],
    });
    expect([over.shown, over.waits]).toEqual([[], []]);
  });
});

describe("what a child found", () => {
  const outputOf = async (events: ChatEvent[], parts: Part[] = []) =>
    (await delegated(events, { parts })).output;
  const tells = (...texts: string[]) => texts.flatMap((said) => [contentDelta(said), start(said, "look")]);
  const error: ChatEvent = {
    type: "error",
    error: "The model is busy.",
    code: "UPSTREAM_ERROR",
    requestId: "r",
    retryable: true,
  };
  const warning: ChatEvent = { type: "warning", code: "TIME_LIMIT", message: "It took too long." };
  const cut = (found: string, why: string) => ({
    output: `${found}\n\n[The child run did not finish: ${why} This is what it had found.]`,
  });

  it("is what it said last", async () => {
    expect(await outputOf([...tells("Looking."), contentDelta(" Seven. "), done()])).toEqual({
      output: "Seven.",
    });
    expect(await outputOf([done()])).toEqual({ output: "" });
  });

  it("is everything that it said, and why it ended, if it did not finish", async () => {
    const said = tells("One.", "Two.");
    expect(await outputOf([...said, error])).toEqual(cut("One.\n\nTwo.", "The model is busy."));
    expect(await outputOf([...said, warning, done("length")])).toEqual(
      cut("One.\n\nTwo.", "It took too long."),
    );
    expect(await outputOf([...said, done("length")])).toEqual(cut("One.\n\nTwo.", "it ended with length"));
    expect(await outputOf([...said, warning, done("stop")])).toEqual({ output: "Two." });
  });

  it("is a failure if there is nothing but a reason", async () => {
    expect(await outputOf([contentDelta("  "), error])).toMatchObject({
      code: "TOOL_FAILED",
      publicMessage: "The child run found nothing: The model is busy.",
    });
  });

  it("is cut where it is very long", async () => {
    const fits = "y".repeat(24_000);
    expect(await outputOf([contentDelta(fits), done()])).toEqual({ output: fits });
    expect(await outputOf([contentDelta(`${fits}z`), done()])).toEqual({
      output: `${fits}\n[The rest is left out.]`,
    });
  });

  it("is as trustworthy as what it has read", async () => {
    const outside = { trust: "untrusted", toolName: "fetch" } as const;
    const folder = { trust: "untrusted", origin: "workspace", toolName: "read" } as const;
    const of = (...parts: Part[]) => outputOf(finished, parts);
    expect(await of(result("a", "x", outside))).toEqual({
      output: "Seven.",
      trust: "untrusted",
      sources: ["fetch (read by a child run)"],
    });
    expect(await of(result("a", "x", folder))).toEqual({
      output: "Seven.",
      trust: "untrusted",
      origin: "workspace",
      sources: ["read (read by a child run)"],
    });
    expect(
      await of(
        result("a", "x", { ...outside, effect: "read", labels: ["odd"] }),
        result("b", "y", { ...folder, labels: ["odd", "bad"] }),
      ),
    ).toEqual({
      output: "Seven.",
      trust: "untrusted",
      effect: "read",
      sources: ["fetch (read by a child run)", "read (read by a child run)"],
      labels: ["odd", "bad"],
    });
    const deep = { ...outside, sources: ["a.example (read by a child run)"], links: ["https://a.example/"] };
    expect(await of(result("a", "x", deep))).toEqual({
      output: "Seven.",
      trust: "untrusted",
      sources: ["a.example (read by a child run)"],
      links: ["https://a.example/"],
    });
    expect(await of(result("a", "x"))).toEqual({ output: "Seven." });
  });
});
