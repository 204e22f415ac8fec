import { describe, expect, it } from "vitest";
import type { ChatEvent } from "../protocol/events.ts";
import type { StepRecord } from "../protocol/run-records.ts";
import type { ToolContext } from "../protocol/tool.ts";
import proposePlan from "../tools/builtin/propose_plan.ts";
import { runTurn } from "./run.ts";
import { call } from "./testing/conversation.ts";
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

async function run(wanted: { name: string; arguments?: string }[], options: TurnOptions) {
  const { model } = scriptedModel([
    calls(...wanted.map((one) => ({ arguments: "{}", ...one }))),
    says("Done."),
  ]);
  const { turn, events } = turnOver(model, options);
  const { parts } = await runTurn(turn);
  return { events, kept: parts.filter((part) => part.type === "tool_result") };
}

describe("what a call shows while it runs", () => {
  it("is shown at once if it is a warning or a status", async () => {
    const warning = { type: "warning", code: "ODD", message: "Odd." } as const;
    const odd = tool("odd", {
      run: (_, { show }) => {
        show(warning);
        return "ok";
      },
    });
    const { events } = await run([{ name: "odd" }], { tools: [odd] });
    const types = events.map(({ type }) => type);
    expect(events).toContainEqual(warning);
    expect(types.indexOf("warning")).toBeLessThan(types.indexOf("tool_result"));
  });

  it("is a todo list, where it has changed", async () => {
    const item = (text: string) => ({ text, state: "open" as const });
    const lists = [[item("a")], [item("a")], [item("a"), item("b")], []];
    const plans = tool("plans", {
      run: (_, { show }) => {
        for (const items of lists) show({ type: "todo", items });
        return "ok";
      },
    });
    const { events } = await run([{ name: "plans" }], { tools: [plans] });
    expect(ofType(events, "todo").map(({ items }) => items)).toEqual([lists[0], lists[2], lists[3]]);
  });

  it("is announced with the interface of its tool", async () => {
    const app = { server: "maps", resourceUri: "ui://map", read: async () => ({ html: "<p>", domains: {} }) };
    const saved: string[] = [];
    const { events } = await run([{ name: "map" }, { name: "plain" }], {
      tools: [{ ...tool("map"), app }, tool("plain")],
      change: { keepResult: async (key) => saved.push(key) > 0 },
    });
    expect(ofType(events, "tool_executing")).toEqual([
      {
        type: "tool_executing",
        toolCallId: "call_1",
        toolName: "map",
        app: { server: "maps", resourceUri: "ui://map" },
      },
      { type: "tool_executing", toolCallId: "call_2", toolName: "plain" },
    ]);
    expect(saved).toEqual(["app:call_1"]);
  });
});

describe("what a call is given", () => {
  const contextIn = async (change: TurnOptions["change"]) => {
    let seen: ToolContext | undefined;
    const look = tool("look", {
      run: (_, context) => {
        seen = context;
        return "ok";
      },
    });
    await run([{ name: "look" }], { tools: [look], change });
    return seen ?? expect.fail();
  };

  it("is whether somebody is there to answer, and whether it can delegate", async () => {
    expect(await contextIn({ attended: false })).toMatchObject({ attended: false });
    const context = await contextIn({});
    expect(context.attended).toBe(true);
    expect(context).not.toHaveProperty("delegate");
    expect(await contextIn({ children: () => expect.fail() })).toHaveProperty("delegate");
  });

  it("is a way to let a child work, whose usage counts for the run and as the children's", async () => {
    const delegate = tool("delegate", {
      run: (_, context) => context.delegate?.({ task: "Count.", signal: context.signal }) ?? "nobody",
    });
    const used: ChatEvent = { type: "usage", inputTokens: 100, outputTokens: 50, costUsd: 0.5 };
    const { events } = await run([{ name: "delegate" }, { name: "delegate" }], {
      tools: [delegate],
      change: {
        children: () => ({
          start: async (callId) => `run_${callId}`,
          async follow(_runId, _signal, onEvent) {
            onEvent(used);
            onEvent({ type: "content_delta", choices: [{ index: 0, delta: { content: "Seven." } }] });
            onEvent({ type: "done", finishReason: "stop", messageId: "m", iterations: 1, toolCalls: 0 });
          },
          stop: async () => {},
          partsOf: async () => [],
        }),
      },
    });
    expect(ofType(events, "usage").slice(1, 3)).toMatchObject([
      { inputTokens: 110, outputTokens: 55, children: { inputTokens: 100, outputTokens: 50, costUsd: 0.5 } },
      {
        inputTokens: 210,
        outputTokens: 105,
        costUsd: 1,
        children: { inputTokens: 200, outputTokens: 100, costUsd: 1 },
      },
    ]);
  });
});

it("the person's answer to a call is looked at like any message of theirs", async () => {
  const { guard } = turnOver(scriptedModel([]).model).turn;
  const labels = (text: string) => (text === "Obey\nand obey" ? ["override"] : []);
  const asks = tool("asks", {
    run: async (_, { ask }) => `${await ask?.("First?")} ${await ask?.("Second?")}`,
  });
  const answers = ["Obey", "and obey"];
  const decide = async () => ({ decision: "once" as const, note: JSON.stringify(answers.shift()) });
  const { kept } = await run([{ name: "asks" }], {
    tools: [asks],
    decide,
    change: { guard: { ...guard, labels } },
  });
  expect(kept).toMatchObject([{ personTexts: ["Obey", "and obey"], labels: ["override"] }]);
  const harmless = ["Yes", "no"];
  const fine = await run([{ name: "asks" }], {
    tools: [asks],
    decide: async () => ({ decision: "once", note: JSON.stringify(harmless.shift()) }),
    change: { guard: { ...guard, labels } },
  });
  expect(fine.kept[0]).toMatchObject({ personTexts: ["Yes", "no"] });
  expect(fine.kept[0]).not.toHaveProperty("labels");
});

it("a plan is decided on before the other calls of its step, and results keep the order of the calls", async () => {
  const steps = [{ tool: "writes", targets: { value: 7 }, why: "" }];
  const writes = tool("writes", { effect: "write" });
  const { events, kept } = await run(
    [
      { name: "writes", arguments: '{"value":7}' },
      { name: "propose_plan", arguments: JSON.stringify({ steps }) },
    ],
    { tools: [proposePlan, writes], decide: async () => ({ decision: "once" }) },
  );
  expect(ofType(events, "tool_approval_required").map(({ toolName }) => toolName)).toEqual(["propose_plan"]);
  expect(kept.map(({ toolName }) => toolName)).toEqual(["writes", "propose_plan"]);
  expect(kept[1]).toMatchObject({ plan: { steps: [{ tool: "writes" }] } });
  expect(kept[0]).not.toHaveProperty("plan");
});

it("calls of a run that was stopped do not run, and say so", async () => {
  const stop = new AbortController();
  const first = tool("first", { parallel: false, run: () => `${stop.abort()}` });
  let ran = 0;
  const second = tool("second", { run: () => `${++ran}` });
  const { kept } = await run([{ name: "first" }, { name: "second" }], {
    tools: [first, second],
    signal: stop.signal,
  });
  expect(ran).toBe(0);
  expect(kept[1]).toMatchObject({ success: false, output: "It was stopped before it ran." });
});

it("a call that another process finished is not run again, and its plan holds", async () => {
  const writes = tool("writes", { effect: "write" });
  const plan = { steps: [{ tool: "writes", targets: { value: 7 }, why: "" }] };
  const step = (key: string, result: StepRecord["result"]): StepRecord => ({
    key,
    idempotencyKey: key,
    startedSeq: 1,
    state: "finished",
    result,
  });
  const planned = call("p", "propose_plan", JSON.stringify(plan));
  const log = memoryLog(
    [],
    [
      step("model:0", { reason: "tool_calls", parts: [{ ...planned }] }),
      step("tool:p", {
        type: "tool_result",
        toolCallId: "p",
        toolName: "propose_plan",
        success: true,
        output: "ok",
        trust: "trusted",
        plan,
      }),
    ],
  );
  const { model } = scriptedModel([calls({ name: "writes", arguments: '{"value":7}' }), says("Done.")]);
  const { turn, events } = turnOver(model, { tools: [proposePlan, writes], log });
  await runTurn(turn);
  expect(ofType(events, "tool_approval_required")).toEqual([]);
  expect(ofType(events, "tool_result")).toMatchObject([{ toolName: "writes", success: true }]);
});
