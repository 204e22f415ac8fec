import { expect, it } from "vitest";
import { z } from "zod";
import { PLAN_TOOL } from "../protocol/plan.ts";
import { because } from "../protocol/reasons.ts";
import type { Effect, Tool } from "../protocol/tool.ts";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { decide, policyFile, ruledAction } from "./policy.ts";
import { exampleTool, nothing } from "./testing/guarded.ts";

function tool(name: string, effect: Effect = "write", more: Partial<Tool> = {}): Tool {
  return { ...exampleTool(name, { effect, input: z.looseObject({}) }), ...more };
}

function planned(tools: Tool[], policy: object = {}, situation = nothing) {
  const steps = tools.map(({ name }) => ({ tool: name, targets: { to: "bob" }, why: "" }));
  const call = { tool: tool(PLAN_TOOL, "none"), args: { steps }, context: toolContext() };
  const planning = { tools, plans: [], isUsedUp: () => true };
  const verdict = decide(policyFile.parse(policy), call, situation, new Set(), planning);
  return verdict.action === "ask" ? verdict : expect.fail();
}

it("a plan is asked about once, whatever the rules allow", () => {
  const verdict = planned([tool("send")], { rules: [{ action: "allow" }] });
  expect(verdict).toMatchObject({ risk: "medium", because: [because("one_approval")] });
  expect(verdict.plan?.steps).toHaveLength(1);
  expect(verdict).not.toHaveProperty("remember");
});

it("a plan from after text from outside is a danger, and says so", () => {
  const verdict = planned([tool("send")], {}, { ...nothing, outside: ["https://eve.example"] });
  expect(verdict).toMatchObject({ risk: "high", plan: { after: ["https://eve.example"] } });
  expect(verdict.because).toHaveLength(2);
});

it("a plan leaves out what is forbidden, dangerous or always asked about", () => {
  const forbidden = { rules: [{ tool: "send", action: "deny" }] };
  const reasons = planned([tool("send"), tool("find")], forbidden).plan?.steps.map((step) => step.because);
  expect(reasons).toEqual([[because("rules_forbid")], undefined]);
  const risks = (more: Partial<Tool>) => planned([tool("send", "write", more)]).plan?.steps[0]?.because;
  expect(risks({ riskOf: () => ({ risk: "high", reason: because("erases_disk") }) })).toEqual([
    because("erases_disk"),
  ]);
  expect(risks({ riskOf: () => ({ risk: "medium", reason: because("erases_disk") }) })).toBeUndefined();
  expect(risks({ mustAsk: () => because("wants_rights") })).toEqual([because("wants_rights")]);
});

it("what is kept for the person is allowed, unless changes are denied", () => {
  const keep = tool("remember", "write", { lasting: true });
  const action = (policy: object) => ruledAction(policyFile.parse(policy), { tool: keep, args: {} });
  expect(action({})).toBe("allow");
  expect(action({ default: { write: "deny" } })).toBe("deny");
  expect(action({ rules: [{ tool: "remember", action: "ask" }] })).toBe("ask");
});

it("a rule counts for its effect, and for arguments that are there", () => {
  const ruled = (rule: object, args: unknown, effect: Effect = "write") =>
    ruledAction(policyFile.parse({ rules: [{ ...rule, action: "deny" }] }), {
      tool: tool("a", effect),
      args,
    });
  expect(ruled({ effect: "write" }, {})).toBe("deny");
  expect(ruled({ effect: "read" }, {})).toBe("ask");
  expect(ruled({ match: { path: "^x" } }, { path: "x" })).toBe("deny");
  expect(ruled({ match: { path: "^x" } }, { other: "x" })).toBe("ask");
  expect(ruled({ match: { path: "^x" } }, undefined)).toBe("ask");
  expect(ruled({ match: { length: "." } }, "x")).toBe("ask");
});

it("a rule for a path counts for the destination too, unless it names it", () => {
  const action = (match: object, args: object) =>
    ruledAction(policyFile.parse({ rules: [{ match, action: "allow" }] }), { tool: tool("move"), args });
  expect(action({ path: "^a/" }, { path: "a/1", destination: "a/2" })).toBe("allow");
  expect(action({ path: "^a/" }, { path: "a/1", destination: "b/2" })).toBe("ask");
  expect(action({ path: "^a/", destination: "^b/" }, { path: "a/1", destination: "b/2" })).toBe("allow");
  expect(action({ name: "^a" }, { name: "a", destination: "b/2" })).toBe("allow");
});

it("a denied call and a broken rule are explained", () => {
  const call = { tool: tool("send"), args: {}, context: toolContext() };
  const policy = policyFile.parse({ rules: [{ tool: "send", action: "deny" }] });
  expect(decide(policy, call, nothing, new Set())).toEqual({
    action: "deny",
    reason: "The policy does not allow this call of send.",
  });
  const broken = policyFile.safeParse({ rules: [{ match: { path: "(" }, action: "deny" }] });
  expect(broken.error?.issues[0]?.message).toContain('"(" is not a regular expression');
});
