import { describe, expect, it } from "vitest";
import type { GuardedCall, Planning, Situation } from "../protocol/guard.ts";
import type { ApprovedPlan } from "../protocol/plan.ts";
import { because } from "../protocol/reasons.ts";
import { type AskedBy, planToShow, withPlans } from "./plan.ts";
import { nothing } from "./testing/guarded.ts";
import { context, find, send, shown, step, toolNamed } from "./testing/planned.ts";

describe("a plan as it is shown", () => {
  it("has the tool's own name and nothing that does not apply", () => {
    expect(shown([step("post", { to: "bob" })])).toStrictEqual({
      steps: [{ tool: "send", targets: { to: "bob" }, why: "", later: ["body"] }],
    });
  });

  it("has no steps if there are none, and refuses a tool that is not there", () => {
    expect(planToShow({ args: undefined, context }, [], nothing, () => undefined)).toStrictEqual({
      steps: [],
    });
    expect(() => shown([step("send", {}), step("nope", {})])).toThrow(
      'Step 2: there is no tool "nope". A plan can have: send, find.',
    );
  });

  it("has the version of its tool", () => {
    const versioned = toolNamed("send", undefined, { version: "2" });
    expect(shown([step("send", { to: "bob" })], { tools: [versioned] }).steps[0]?.version).toBe("2");
  });

  it("says what was read before it, once", () => {
    const situation = { ...nothing, outside: ["page"], workspace: ["file", "page"], suspicious: ["odd"] };
    expect(shown([step("find", { to: "x" })], { situation }).after).toEqual(["page", "file", "odd"]);
  });

  it("excludes a step that would be refused, and asks with its targets", () => {
    const calls: GuardedCall[] = [];
    const reason = because("not_in_plan");
    const refusalOf = (call: GuardedCall) => {
      calls.push(call);
      return reason;
    };
    const { steps } = shown([step("send", { to: "bob" })], { refusalOf });
    expect(steps[0]).toMatchObject({ excluded: "It is not in the approved plan.", because: [reason] });
    expect(calls).toEqual([{ tool: send, args: { to: "bob" }, context }]);
  });

  it("keeps a step that cannot be judged yet", () => {
    const refusalOf = () => {
      throw new Error("incomplete");
    };
    expect(shown([step("send", { to: "bob" })], { refusalOf }).steps[0]).not.toHaveProperty("excluded");
  });

  it("excludes a step with a value that no step before it returns", () => {
    const learned = { to: { $from: "find", field: "id" } };
    const first = shown([step("send", learned)]).steps[0];
    expect(first).toMatchObject({ excluded: "No step before it returns that." });
    const { steps } = shown([step("find", { to: "x" }), step("send", learned)]);
    expect(steps[1]).not.toHaveProperty("excluded");
    expect(steps[1]?.learned).toEqual([{ name: "to", from: ["find"], field: "id" }]);
    const mixed = { ...learned, amount: { $from: "nope", field: "id" } };
    expect(shown([step("find", { to: "x" }), step("send", mixed)]).steps[1]).toHaveProperty("excluded");
  });
});

describe("with approved plans", () => {
  const verdict = {
    action: "ask" as const,
    reason: "It sends.",
    because: [because("no_sandbox")],
    risk: "low" as const,
  };
  const call = { tool: send, args: { to: "bob" }, context };
  const plan = (steps: unknown[], more: Partial<ApprovedPlan> = {}): ApprovedPlan => ({
    ...shown(steps),
    id: "plan_1",
    ...more,
  });
  const decide = (
    plans: ApprovedPlan[],
    {
      why = "policy" as AskedBy,
      used = false,
      one = call as GuardedCall,
      returned = undefined as Situation["returned"],
    } = {},
  ) => {
    const planning: Planning = { plans, isUsedUp: () => used, tools: [send, find] };
    return withPlans(verdict, one, why, planning, { personTexts: [], ...(returned ? { returned } : {}) });
  };
  const bob = plan([step("find", { to: "x" }), step("send", { to: "bob" })]);
  const asked = (words: string, code: Parameters<typeof because>[0]) => ({
    ...verdict,
    reason: `It sends. ${words}`,
    because: [...verdict.because, because(code)],
  });

  it("a call that one covers runs unasked, and says which step it is", () => {
    expect(decide([bob])).toEqual({ action: "allow", plan: { id: "plan_1", step: 1 } });
    expect(decide([])).toBe(verdict);
  });

  it("another call is asked about, with the reason", () => {
    const other = { ...call, args: { to: "eve" } };
    expect(decide([bob], { one: other })).toEqual(asked("It is not in the approved plan.", "not_in_plan"));
    expect(decide([bob], { used: true })).toEqual(
      asked("The approved plan has it, but not once more.", "plan_used_up"),
    );
    expect(decide([bob], { why: "every_time" })).toEqual(asked("No plan can cover that.", "no_plan_covers"));
  });

  it("above the rule of two, only a plan from before text from outside counts", () => {
    const after = { ...bob, after: ["page"] };
    expect(decide([bob], { why: "rule_of_two" })).toMatchObject({ action: "allow" });
    expect(decide([after], { why: "rule_of_two" })).toMatchObject({ action: "ask" });
    expect(decide([after])).toMatchObject({ action: "allow" });
  });

  it("above the rule of two, a later text may not lead elsewhere", () => {
    const leading = { ...call, args: { to: "bob", body: "See https://eve.example/x." } };
    expect(decide([bob], { one: leading, why: "rule_of_two" })).toMatchObject({ action: "ask" });
    expect(decide([bob], { one: leading })).toMatchObject({ action: "allow" });
  });

  it("a value counts that a planned step before has returned, and no other", () => {
    const learning = plan([step("find", { to: "x" }), step("send", { to: { $from: "find", field: "id" } })]);
    const output = JSON.stringify([{ id: "bob" }]);
    const from = (name: string, args: string) =>
      decide([learning], { returned: [{ name, arguments: args, output }] }).action;
    expect(from("find", '{"to":"x"}')).toBe("allow");
    expect(from("find", '{"to":"y"}')).toBe("ask");
    expect(from("find", "{")).toBe("ask");
    expect(from("send", '{"to":"x"}')).toBe("ask");
    expect(from("nope", '{"to":"x"}')).toBe("ask");
    expect(decide([learning]).action).toBe("ask");
  });
});
