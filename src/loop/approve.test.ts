import { describe, expect, it } from "vitest";
import type { AuditFact } from "../protocol/audit.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { StepRecord } from "../protocol/run-records.ts";
import { runTurn } from "./run.ts";
import {
  calls,
  memoryLog,
  ofType,
  says,
  scriptedModel,
  type TurnOptions,
  tool,
  turnOver,
} from "./testing/scripted.ts";

const writes = tool("writes", { effect: "write" });
const CALL = { name: "writes", arguments: '{"value":1}' };

async function run(options: TurnOptions, wanted = [CALL]) {
  const { model } = scriptedModel([calls(...wanted), says("Done.")]);
  const { turn, events } = turnOver(model, { tools: [writes], ...options });
  await runTurn(turn);
  return { events, asked: ofType(events, "tool_approval_required"), results: ofType(events, "tool_result") };
}

const once = async () => ({ decision: "once" as const });

it("a question has everything that the person has to know, and nothing that does not apply", async () => {
  const { asked } = await run({ decide: once });
  expect(asked).toEqual([
    {
      type: "tool_approval_required",
      toolCallId: "call_1",
      toolName: "writes",
      arguments: { value: 1 },
      argumentsHash: expect.any(String),
      reason: expect.any(String),
      because: expect.any(Array),
      risk: "medium",
      expiresAt: "2026-01-01T00:01:00.000Z",
      always: expect.anything(),
    },
  ]);
  const plain = await run({
    decide: once,
    change: {
      guard: {
        ...turnOver(scriptedModel([]).model).turn.guard,
        policy: () => ({ action: "ask", reason: "Why?", risk: "low", outside: true }),
      },
    },
  });
  expect(plain.asked).toEqual([
    {
      type: "tool_approval_required",
      toolCallId: "call_1",
      toolName: "writes",
      arguments: { value: 1 },
      argumentsHash: expect.any(String),
      reason: "Why?",
      risk: "low",
      outside: true,
      expiresAt: "2026-01-01T00:01:00.000Z",
    },
  ]);
});

it("a decision is awaited for what was asked, until the time that was said", async () => {
  const awaited: unknown[] = [];
  const { asked } = await run({
    change: {
      awaitDecision: async (question, deadline) => {
        awaited.push([question, deadline]);
        return undefined;
      },
    },
  });
  expect(awaited).toEqual([
    [{ toolCallId: "call_1", argumentsHash: asked[0]?.argumentsHash }, Date.parse("2026-01-01T00:01:00Z")],
  ]);
});

it("“always” is remembered only if something can be", async () => {
  const remembered: string[] = [];
  const { guard } = turnOver(scriptedModel([]).model).turn;
  const { results } = await run({
    decide: async () => ({ decision: "always" }),
    change: {
      remember: async (what) => void remembered.push(what),
      guard: { ...guard, policy: () => ({ action: "ask", reason: "", risk: "high" }) },
    },
  });
  expect(results).toMatchObject([{ success: true }]);
  expect(remembered).toEqual([]);
});

it("“always” covers only calls that it is about", async () => {
  const other = tool("others", { effect: "write" });
  const { results } = await run(
    {
      tools: [writes, other],
      change: {
        awaitDecision: async (question, _deadline, signal) => {
          if (question.toolCallId === "call_1") return { runId: "run_1", ...question, decision: "always" };
          await new Promise((resolve) => setTimeout(resolve, 20));
          expect(signal.aborted).toBe(false);
          return undefined;
        },
      },
    },
    [CALL, { name: "others", arguments: "{}" }],
  );
  expect(results.map(({ success }) => success).sort()).toEqual([false, true]);
});

describe("what was allowed in other runs of the session", () => {
  /** A turn whose session remembers this once it is asked. */
  const recalling = (before: string[], after: string[]) => {
    const remembered = new Set(before);
    let recalled = 0;
    const recall = async () => {
      recalled++;
      remembered.clear();
      for (const what of after) remembered.add(what);
    };
    return { change: { remembered, recall }, recalled: () => recalled };
  };

  it("is learned before anybody is asked", async () => {
    const { change, recalled } = recalling([], ["writes"]);
    const { asked, results } = await run({ change });
    expect([asked, recalled()]).toEqual([[], 1]);
    expect(results).toMatchObject([{ success: true }]);
  });

  it("may have been taken back", async () => {
    const { change, recalled } = recalling(["writes"], []);
    const { asked } = await run({ change, decide: once });
    expect([asked.length, recalled()]).toEqual([1, 1]);
  });

  it("is not looked for where nothing is asked or remembered", async () => {
    const { change, recalled } = recalling([], []);
    await run({ change, policy: { default: { write: "allow" } } });
    expect(recalled()).toBe(0);
    await run({ change: { remembered: new Set(["writes"]) } });
  });
});

describe("a question that an earlier owner of the run asked", () => {
  const model: StepRecord = {
    key: "model:0",
    idempotencyKey: "k",
    startedSeq: 1,
    state: "finished",
    result: { reason: "tool_calls", parts: [{ type: "tool_call", id: "call_1", ...CALL }] },
  };

  /** The run as the next owner finds it after these events. */
  async function resumed(before: ChatEvent[], options: TurnOptions) {
    const facts: AuditFact[] = [];
    const audit = {
      note: (fact: AuditFact) => void facts.push(fact),
      record: async (fact: AuditFact) => void facts.push(fact),
    };
    const log = memoryLog([...before], [model]);
    const { turn } = turnOver(scriptedModel([says("Done.")]).model, { tools: [writes], log, ...options });
    const { contextFor } = turn;
    await runTurn({ ...turn, contextFor: (call) => ({ ...contextFor(call), audit }) });
    return { events: log.events.slice(before.length), facts: facts.map(({ action }) => action) };
  }
  const start: ChatEvent = {
    type: "tool_call_start",
    toolCallId: "call_1",
    toolName: "writes",
    arguments: { value: 1 },
    textOffset: 0,
  };

  it("keeps its deadline and what was shown", async () => {
    const approved: (string | undefined)[] = [];
    const shows = tool("writes", {
      effect: "write",
      preview: () => "now",
      run: (_, { approvedPreview }) => `${approved.push(approvedPreview)}`,
    });
    const [first] = (await run({ tools: [shows], decide: once })).asked;
    const asked: ChatEvent = {
      ...(first ?? expect.fail()),
      preview: "then",
      expiresAt: "2026-01-01T00:00:30.000Z",
    };
    const deadlines: number[] = [];
    const { events, facts } = await resumed([start, asked], {
      tools: [shows],
      change: {
        awaitDecision: async (question, deadline) => {
          deadlines.push(deadline);
          return { runId: "run_1", ...question, decision: "once" };
        },
      },
    });
    expect(deadlines).toEqual([Date.parse("2026-01-01T00:00:30Z")]);
    expect(approved).toEqual(["now", "then"]);
    expect(ofType(events, "tool_approval_required")).toEqual([]);
    expect(facts).toEqual(["approval.decided"]);
  });

  it("is not decided twice", async () => {
    const [first] = (await run({ decide: once })).asked;
    const decided: ChatEvent = { type: "tool_approval_decided", toolCallId: "call_1", decision: "once" };
    const { events, facts } = await resumed([start, first ?? expect.fail(), decided], { decide: once });
    expect(ofType(events, "tool_approval_decided")).toEqual([]);
    expect(ofType(events, "tool_result")).toMatchObject([{ success: true }]);
    expect(facts).toEqual([]);
  });
});

it("a decision is announced with who made it, and without if nobody did", async () => {
  const of = async (decide: TurnOptions["decide"]) =>
    ofType((await run({ ...(decide ? { decide } : {}) })).events, "tool_approval_decided");
  const announced = { type: "tool_approval_decided", toolCallId: "call_1" };
  expect(await of(async () => ({ decision: "once", by: "ada" }))).toEqual([
    { ...announced, decision: "once", by: "ada" },
  ]);
  expect(await of(async () => undefined)).toEqual([{ ...announced, decision: "deny" }]);
});

it("a run that waits for a person does not use up its time", async () => {
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const { events } = await run({
    limits: { maxRunMs: 1_000 },
    decide: async () => {
      clock += 50_000;
      return { decision: "once" };
    },
    change: { now: () => clock },
  });
  expect(ofType(events, "warning")).toEqual([]);
  expect(ofType(events, "content_delta")).toHaveLength(1);
});
