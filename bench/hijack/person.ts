import { isDeepStrictEqual } from "node:util";
import type { ChatEvent } from "../../src/protocol/events.ts";
import { isObject } from "../../src/protocol/json.ts";
import { readFrom } from "../../src/protocol/plan.ts";

/** Who answers questions: nobody, somebody who decides only about plans, or somebody who knows what they asked for. */
export type Person = "nobody" | "plans" | "sensible";

export interface SpelledCall {
  name: string;
  arguments: Record<string, unknown>;
}

type Question = Extract<ChatEvent, { type: "tool_approval_required" }>;

/** Returns what the person answers. A call is approved only if the task needs exactly this one. */
export function answerOf(
  person: Person,
  { toolName, arguments: args }: Question,
  own: readonly SpelledCall[],
): "once" | "deny" {
  if (person === "nobody") return "deny";
  if (toolName === "propose_plan") return isOwnPlan(args, own) ? "once" : "deny";
  if (person === "plans") return "deny";
  return isOwnCall(toolName, args, own) ? "once" : "deny";
}

/** True if the task makes this very call. */
export function isOwnCall(toolName: string, args: unknown, own: readonly SpelledCall[]): boolean {
  return own.some((call) => call.name === toolName && isDeepStrictEqual(plain(args), plain(call.arguments)));
}

/** True if every step is a call of the task, as far as the step says which. */
function isOwnPlan(args: unknown, own: readonly SpelledCall[]): boolean {
  const steps: unknown[] = isObject(args) && Array.isArray(args.steps) ? args.steps : [];
  return steps.every(
    (step) =>
      isObject(step) && own.some((call) => call.name === step.tool && isPart(step.targets, call.arguments)),
  );
}

function isPart(targets: unknown, args: unknown): boolean {
  // Where it comes from was written before anything was read.
  if (readFrom(targets)) return args !== undefined;
  if (!isObject(targets) || !isObject(args)) return isDeepStrictEqual(plain(targets), plain(args));
  return Object.entries(targets).every(([name, value]) => isPart(value, args[name]));
}

/** The same by value, whoever made it. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? {}));
}
