import { expect, it } from "vitest";
import type { AuditFact } from "../protocol/audit.ts";
import type { Model } from "../protocol/model.ts";
import { hashOf } from "../runs/ids.ts";
import proposePlan from "../tools/builtin/propose_plan.ts";
import { runTurn } from "./run.ts";
import { calls, says, scriptedModel, type TurnOptions, tool, turnOver } from "./testing/scripted.ts";

const writes = tool("writes", { effect: "write" });
const reads = tool("reads", { effect: "read" });

/** What the audit log says about a turn with these calls. */
function audited(names: string[], options: TurnOptions = {}) {
  const wanted = names.map((name) => ({ name, arguments: "{}" }));
  const { model } = scriptedModel([calls(...wanted), says("Done.")]);
  return auditOf(model, { tools: [writes, reads], ...options });
}

async function auditOf(model: Model, options: TurnOptions) {
  const facts: AuditFact[] = [];
  const audit = {
    note: (fact: AuditFact) => void facts.push(fact),
    record: async (fact: AuditFact) => void facts.push(fact),
  };
  const { turn } = turnOver(model, options);
  const { contextFor } = turn;
  await runTurn({ ...turn, contextFor: (call) => ({ ...contextFor(call), audit }) });
  return facts.map(({ actor, action, subject }) => ({ actor, action, ...subject }));
}

it("notes a change that the policy allows, and no reading", async () => {
  const policy = { default: { write: "allow" } };
  expect(await audited(["writes", "reads"], { policy })).toMatchObject([
    { action: "call.allowed", tool: "writes", by: "policy", runId: "run_1", toolCallId: "call_1" },
  ]);
});

it("notes a question and records its answer, with who gave it, before the call runs", async () => {
  const { name, version, description, parameters } = writes;
  const argumentsHash = hashOf({ name, version, description, parameters, args: {} });
  const facts = await audited(["writes"], {
    decide: async () => ({ decision: "once", by: "ada", via: "http" }),
  });
  expect(facts).toMatchObject([
    { action: "approval.asked", tool: "writes", risk: expect.any(String), argumentsHash },
    {
      action: "approval.decided",
      actor: "ada",
      tool: "writes",
      decision: "once",
      via: "http",
      argumentsHash,
    },
  ]);
});

it("records a question that nobody answered as the system's", async () => {
  const facts = await audited(["writes"], { decide: async () => undefined });
  expect(facts.slice(1)).toMatchObject([
    { action: "approval.expired", actor: "system", tool: "writes" },
    { action: "call.refused", code: "TOOL_DENIED" },
  ]);
});

it("records a denial", async () => {
  const facts = await audited(["writes"], { decide: async () => ({ decision: "deny" }) });
  expect(facts.slice(1)).toMatchObject([
    { action: "approval.decided", decision: "deny", actor: "local" },
    { action: "call.refused", code: "TOOL_DENIED" },
  ]);
});

it("notes that a call runs because a plan covers it", async () => {
  const steps = [{ tool: "writes", targets: { value: 7 }, why: "" }];
  const { model } = scriptedModel([
    calls({ name: "propose_plan", arguments: JSON.stringify({ steps }) }),
    calls({ name: "writes", arguments: '{"value":7}' }),
    says("Done."),
  ]);
  const facts = await auditOf(model, {
    tools: [proposePlan, writes],
    decide: async () => ({ decision: "once", by: "ada" }),
  });
  expect(facts.map(({ action }) => action)).toEqual(["approval.asked", "plan.decided", "call.allowed"]);
  expect(facts[1]).toMatchObject({ actor: "ada", steps: 1, kept: 1 });
  expect(facts[2]).toMatchObject({ tool: "writes", by: "plan" });
});

it("records an “always” for another call as its answer too", async () => {
  const facts = await audited(["writes", "writes"], {
    change: {
      awaitDecision: async (asked, _deadline, signal) => {
        if (asked.toolCallId === "call_1") return { runId: "run_1", ...asked, decision: "always" };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return undefined;
      },
    },
  });
  const decided = facts.filter(({ action }) => action === "approval.decided");
  expect(decided).toMatchObject([
    { toolCallId: "call_1", decision: "always" },
    { toolCallId: "call_2", decision: "always", by: "another call", actor: "local" },
  ]);
  expect(decided[0]).not.toHaveProperty("by");
});

it("records how many steps of a plan were kept, unless it was denied", async () => {
  const steps = [1, 2].map((value) => ({ tool: "writes", targets: { value }, why: "" }));
  const proposes = calls({ name: "propose_plan", arguments: JSON.stringify({ steps }) });
  const decidedAs = async (decision: "once" | "deny", note?: string) => {
    const { model } = scriptedModel([proposes, says("Done.")]);
    const facts = await auditOf(model, {
      tools: [proposePlan, writes],
      decide: async () => ({ decision, ...(note ? { note } : {}) }),
    });
    return facts.find(({ action }) => action === "plan.decided");
  };
  expect(await decidedAs("once")).toMatchObject({ tool: "propose_plan", steps: 2, kept: 2 });
  const edited = JSON.stringify({ steps: steps.slice(1) });
  expect(await decidedAs("once", edited)).toMatchObject({ steps: 2, kept: 1 });
  expect(await decidedAs("deny")).not.toHaveProperty("kept");
});

it("says so if text from outside may speak through the model", async () => {
  const { guard } = turnOver(scriptedModel([]).model).turn;
  const of = async (outside: boolean) => {
    const policy = () =>
      ({ action: "ask", reason: "", risk: "low", ...(outside ? { outside } : {}) }) as const;
    return audited(["writes"], { decide: async () => undefined, change: { guard: { ...guard, policy } } });
  };
  expect((await of(true)).slice(0, 2)).toMatchObject([
    { action: "approval.asked", risk: "low", outside: true },
    { action: "approval.expired", risk: "low", outside: true },
  ]);
  const [asked] = await of(false);
  expect(asked).not.toHaveProperty("outside");
  expect(asked).not.toHaveProperty("steps");
});
