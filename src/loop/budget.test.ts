import { describe, expect, it } from "vitest";
import type { Usage } from "../protocol/model.ts";
import { exceededBudget, exceededMoney, WorkingTime } from "./budget.ts";
import { memoryLog, scriptedModel, type TurnOptions, turnOver } from "./testing/scripted.ts";

function turn(limits: TurnOptions["limits"], usage?: Usage, change: TurnOptions["change"] = {}) {
  const log = memoryLog(usage ? [{ type: "usage", ...usage }] : []);
  return turnOver(scriptedModel([]).model, { limits, log, change }).turn;
}

const go = "Say “continue” and I will go on.";

describe("a limit of a run", () => {
  const used: Usage = { inputTokens: 600, outputTokens: 400, costUsd: 0.5 };

  it("does not stop a run that is below all limits", () => {
    const limits = { maxTokens: 1_001, maxCostUsd: 0.51, maxIterations: 4, maxRunMs: 60_000 };
    const asked = turn(limits, used);
    expect(exceededBudget(asked, 3)).toBeUndefined();
    expect(exceededBudget(turn({ maxCostUsd: 0.1 }), 0)).toBeUndefined();
  });

  it.each([
    [{ maxTokens: 1_000 }, "length", "TOKEN_LIMIT", "the budget of 1000 tokens for one request"],
    [{ maxCostUsd: 0.5, costOf: "your run" }, "length", "COST_LIMIT", "the limit of what your run may cost"],
    [{ maxIterations: 3 }, "iteration_limit", "ITERATION_LIMIT", "the limit of 3 steps for one request"],
  ])("stops at exactly %j", (limits, finishReason, code, what) => {
    const asked = turn(limits, used);
    expect(exceededBudget(asked, 3)).toEqual({
      status: "done",
      finishReason,
      code,
      sentence: `I stopped at ${what}. ${go}`,
    });
  });

  it("stops a run that takes too long, with the limit in minutes", () => {
    let now = 0;
    const asked = turn({ maxRunMs: 120_000 });
    asked.time = new WorkingTime(() => now);
    const late = {
      status: "done",
      finishReason: "length",
      code: "TIME_LIMIT",
      sentence: `I stopped at the time limit of 2 minutes for one request. ${go}`,
    };
    now = 50_000;
    asked.time.setWaiting(true);
    now += 10_000_000; // A person took their time.
    asked.time.setWaiting(false);
    now += 70_000;
    expect(exceededBudget(asked, 0)).toBeUndefined();
    now += 1;
    expect(exceededBudget(asked, 0)).toEqual(late);
    expect(exceededBudget(asked, 0, "time")).toEqual(late);
  });

  it("stops an answer that is too long", () => {
    const asked = turn({});
    expect(exceededBudget(asked, 0, "output")).toEqual({
      status: "done",
      finishReason: "length",
      code: "OUTPUT_LIMIT",
      sentence: `I stopped at the length limit for one answer. ${go}`,
    });
  });
});

describe("the budget of a person", () => {
  it("gets the cost of the run, and stops the run when it is used up", async () => {
    const noted: number[] = [];
    let sentence: string | undefined;
    const money = {
      note: async (usd: number) => void noted.push(usd),
      usedUp: async () => sentence,
    };
    expect(await exceededMoney(turn({}, undefined, { money }))).toBeUndefined();
    const asked = turn({}, { inputTokens: 1, outputTokens: 1, costUsd: 0.25 }, { money });
    expect(await exceededMoney(asked)).toBeUndefined();
    sentence = "your budget is used up.";
    expect(await exceededMoney(asked)).toEqual({
      status: "done",
      finishReason: "length",
      code: "COST_LIMIT",
      sentence: "I stopped: your budget is used up.",
    });
    expect(noted).toEqual([0, 0.25, 0.25]);
  });

  it("is not checked if there is none", async () => {
    expect(await exceededMoney(turn({}))).toBeUndefined();
  });
});
