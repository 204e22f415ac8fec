import type { Planning, PlanUse } from "../protocol/guard.ts";
import { isObject } from "../protocol/json.ts";
import type { ToolCallPart, ToolResultPart } from "../protocol/messages.ts";
import type { ApprovedPlan } from "../protocol/plan.ts";
import { toolResultOf } from "../protocol/stored.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Turn } from "./turn.ts";

interface Use extends PlanUse {
  /** A call that failed may be made once more, because nothing happens twice. */
  repeatable: boolean;
}

/** The approved plans of a run, and which calls have used their steps. */
export interface PlanBook {
  /** What the policy has to know about plans before a call. */
  before(call: ToolCallPart): Planning;
  /** Counts a call towards a step, before it is known whether it will run. */
  reserve(call: ToolCallPart, tool: Tool, use: PlanUse): void;
  /** Writes down that the call is about to run. */
  started(call: ToolCallPart): void;
  /** Gives the use back if the call never ran, or failed and may be repeated. Adds the plan that the call was about. */
  ended(result: ToolResultPart, ran: boolean): void;
}

/** Returns the plans of a run. Plans and uses are in the journal, so another process that takes over counts on. */
export function openPlanBook(turn: Turn): PlanBook {
  const plans: ApprovedPlan[] = [];
  const uses = new Map<string, Use>();
  for (const { key, result } of turn.log.steps.values()) {
    const use = key.startsWith("plan:") ? readUse(result) : undefined;
    if (!use) continue;
    const callId = key.slice("plan:".length);
    const call = turn.log.steps.get(`tool:${callId}`);
    const failed = call?.state === "finished" && !toolResultOf(call).success;
    if (!failed || !use.repeatable) uses.set(callId, use);
  }
  return {
    before: ({ id: callId }) => ({
      tools: turn.tools,
      plans,
      isUsedUp({ id, steps }, step) {
        const others = [...uses].filter(
          ([other, use]) => other !== callId && use.id === id && use.step === step,
        );
        return others.length >= (steps[step]?.times ?? 1);
      },
    }),
    reserve(call, { retry }, use) {
      uses.set(call.id, { ...use, repeatable: retry !== "unsafe" });
    },
    started({ id }) {
      const use = uses.get(id);
      if (!use) return;
      const key = `plan:${id}`;
      turn.log.step({ key, state: "started", idempotencyKey: `${turn.log.runId}:${key}` });
      turn.log.step({ key, state: "finished", result: { ...use } });
    },
    ended({ toolCallId, success, plan }, ran) {
      if (plan && !plans.some(({ id }) => id === toolCallId)) plans.push({ id: toolCallId, ...plan });
      if (!ran || (!success && uses.get(toolCallId)?.repeatable)) uses.delete(toolCallId);
    },
  };
}

function readUse(result: unknown): Use | undefined {
  if (!isObject(result)) return undefined;
  const { id, step, repeatable } = result;
  if (typeof id !== "string" || typeof step !== "number") return undefined;
  return { id, step, repeatable: repeatable === true };
}
