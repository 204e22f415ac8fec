import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createGuard } from "../guard/pipeline.ts";
import { policyFile } from "../guard/policy.ts";
import type { ModelEvent } from "../protocol/model.ts";
import type { Tool } from "../protocol/tool.ts";
import proposePlan from "../tools/builtin/propose_plan.ts";
import { runTurn } from "./run.ts";
import { calls, ofType, says, scriptedModel, type TurnOptions, tool, turnOver } from "./testing/scripted.ts";

const pay: Tool = tool("pay", {
  effect: "write",
  retry: "unsafe",
  input: z.object({ to: z.string(), amount: z.number() }),
  run: () => "paid",
});
const BOB = { to: "Bob", amount: 10 };
const STEPS = [{ tool: "pay", targets: BOB, why: "The bill." }];
const proposes = calls({ name: "propose_plan", arguments: JSON.stringify({ steps: STEPS }) });
const pays = (args: object = BOB) => calls({ name: "pay", arguments: JSON.stringify(args) });

/** A turn in which the model proposes a plan and continues; the person decides on the plan. */
async function planned(script: ModelEvent[][], options: TurnOptions = {}) {
  const { model } = scriptedModel([proposes, ...script, says("Done.")]);
  const { turn, events } = turnOver(model, {
    tools: [proposePlan, pay],
    limits: { maxToolCalls: 10 },
    decide: async () => ({ decision: "once" }),
    ...options,
  });
  await runTurn(turn);
  return {
    asked: ofType(events, "tool_approval_required"),
    results: ofType(events, "tool_result"),
  };
}

describe("a plan that the person approved", () => {
  it("is asked about with its steps, and lets each step run once without asking again", async () => {
    const { asked, results } = await planned([pays(), pays()]);
    expect(asked.map(({ toolName }) => toolName)).toEqual(["propose_plan", "pay"]);
    expect(asked[0]).toMatchObject({ plan: { steps: [{ tool: "pay", targets: BOB }] } });
    expect(asked[0]?.preview).toContain("Bob");
    expect(asked[0]?.always).toBeUndefined();
    expect(results.map(({ success }) => success)).toEqual([true, true, true]);
  });

  it("does not cover a call with other targets", async () => {
    const { asked } = await planned([pays({ to: "Eve", amount: 10 })]);
    expect(asked.map(({ toolName }) => toolName)).toEqual(["propose_plan", "pay"]);
  });

  it("is bound to the tools as they were shown", async () => {
    const hashOf = async (version: string) => {
      const { asked } = await planned([], { tools: [proposePlan, { ...pay, version }] });
      return asked[0]?.argumentsHash;
    };
    expect(await hashOf("one")).toBe(await hashOf("one"));
    expect(await hashOf("one")).not.toBe(await hashOf("two"));
  });

  it("holds as the person has edited it", async () => {
    const note = JSON.stringify({ steps: [{ ...STEPS[0], targets: { to: "Ann", amount: 5 } }] });
    let asked = 0;
    const decide = async () => (asked++ === 0 ? { decision: "once" as const, note } : undefined);
    const edited = await planned([pays({ to: "Ann", amount: 5 }), pays()], { decide });
    expect(edited.results.map(({ success }) => success)).toEqual([true, true, false]);
  });

  it("is none if the policy forbids plans by the time the person has edited it", async () => {
    let policy = policyFile.parse({});
    const guard = createGuard({
      get policy() {
        return policy;
      },
      execution: { timeoutMs: 5_000, maxOutputCharacters: 1_000 },
    });
    const note = JSON.stringify({ steps: [{ ...STEPS[0], targets: { to: "Ann", amount: 5 } }] });
    const decide = async () => {
      policy = policyFile.parse({ rules: [{ tool: "propose_plan", action: "deny" }] });
      return { decision: "once" as const, note };
    };
    const { asked, results } = await planned([pays()], { decide, change: { guard } });
    expect(results[0]).toMatchObject({
      success: false,
      output: expect.stringContaining("not allowed any more"),
    });
    expect(asked.map(({ toolName }) => toolName)).toEqual(["propose_plan", "pay"]);
  });
});

describe("a plan that the person did not approve", () => {
  const without = "Go on without a plan: what needs an approval is asked about call by call.";

  it.each([
    [{ decision: "deny" as const }, `The person did not allow this call. ${without}`],
    [undefined, `Nobody decided on this call in time, so it was not run. ${without}`],
    [
      { decision: "once" as const, note: JSON.stringify({ steps: [] }) },
      `The person removed every step of the plan. ${without}`,
    ],
  ])("is no plan, and the model is told to ask call by call: %j", async (decision, output) => {
    const { results } = await planned([], { decide: async () => decision });
    expect(results).toMatchObject([{ success: false, output }]);
  });
});
