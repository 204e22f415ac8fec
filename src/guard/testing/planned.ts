import { z } from "zod";
import type { GuardedCall, Situation } from "../../protocol/guard.ts";
import type { JsonSchema } from "../../protocol/json.ts";
import type { ShownPlan } from "../../protocol/plan.ts";
import type { Reason } from "../../protocol/reasons.ts";
import type { Tool } from "../../protocol/tool.ts";
import { planToShow } from "../plan.ts";
import { contextOf, exampleTool, nothing } from "./guarded.ts";

export const context = contextOf({ id: "user_1", kind: "owner" }, {});
/** A tool that sends something, with this schema if one is given. */
export function toolNamed(name: string, parameters?: JsonSchema, more: Partial<Tool> = {}): Tool {
  const input = z.object({ to: z.string(), amount: z.number().optional(), body: z.string().optional() });
  const tool = exampleTool(name, { effect: "write", retry: "unsafe", input });
  return { ...tool, ...(parameters ? { parameters } : {}), ...more };
}

export const send = toolNamed("send", undefined, { aliases: ["post"] });
export const find = toolNamed("find");

interface Shown {
  tools?: readonly Tool[];
  situation?: Situation;
  refusalOf?: (call: GuardedCall) => Reason | undefined;
}

/** A plan of these steps as the person is shown it. */
export function shown(
  steps: unknown,
  { tools = [send, find], situation = nothing, refusalOf = () => undefined }: Shown = {},
): ShownPlan {
  return planToShow({ args: { steps }, context }, tools, situation, refusalOf);
}

export const step = (tool: string, targets: unknown, more: object = {}) => ({
  tool,
  targets,
  why: "",
  ...more,
});
