import { z } from "zod";
import type { Principal } from "./principal.ts";
import type { Reason } from "./reasons.ts";
import type { Effect } from "./tool.ts";

// The policy as administrators see and change it.

const action = z.enum(["allow", "ask", "deny"]);
export const policyRule = z.strictObject({
  tool: z.string().min(1).max(200).optional(),
  match: z.record(z.string().min(1).max(100), z.string().min(1).max(1_000)).optional(),
  effect: z.enum(["none", "read", "write", "network"]).optional(),
  action,
});
export type PolicyRule = z.output<typeof policyRule>;

/** What happens to calls that no rule fits, by what they do. What is not given stays. */
const defaults = z.strictObject({
  none: action.optional(),
  read: action.optional(),
  network: action.optional(),
  write: z.enum(["allow", "ask", "deny", "ask-unless-said"]).optional(),
});

/** All rules in their order. `revision` is that of the policy they were made from. */
export const policyChange = z.strictObject({
  revision: z.string().max(100),
  rules: z.array(policyRule).max(500),
  default: defaults.optional(),
  /** Saves rules that allow more than they seem to. */
  despiteWarnings: z.boolean().optional(),
});
export type PolicyChange = z.output<typeof policyChange>;

export const policyQuestion = z.strictObject({
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
});
export type PolicyQuestion = z.output<typeof policyQuestion>;

/** What a rule or a default allows more than it seems to: as data, and in English. */
export interface RuleWarning extends Reason {
  message: string;
}

export interface PolicyPage {
  revision: string;
  /** Where the rules come from: a file, the program that starts Tackle, or nowhere. */
  from: "file" | "program" | "default";
  rules: (PolicyRule & { warnings: RuleWarning[] })[];
  default: Record<Effect, "allow" | "ask" | "deny" | "ask-unless-said">;
  /** What the defaults allow more than they should. */
  warnings: RuleWarning[];
  /** Expectations in the file, with what the rules say. */
  tests: { tool: string; arguments: Record<string, unknown>; expected: string; said?: string }[];
}

export interface PolicyAnswer {
  action: "allow" | "ask" | "deny";
  /** The place of the rule that applies, from 0. Without it, the default for the effect decides. */
  rule?: number;
  effect: Effect;
  /** Set if a danger is asked about although the rules allow the call. */
  despiteRules: boolean;
  reason?: string;
  /** The same as data, if a person is asked. */
  because?: Reason[];
}

export interface PolicyBook {
  read(): PolicyPage;
  /** What would happen with a call of this person. Throws TOOL_UNKNOWN, TOOL_INVALID_ARGUMENTS. */
  test(principal: Principal, question: PolicyQuestion): PolicyAnswer;
  /** Throws CONFLICT if the policy has changed meanwhile, INVALID_INPUT for new warnings. Returns the new page. */
  change(change: PolicyChange): Promise<PolicyPage>;
}
