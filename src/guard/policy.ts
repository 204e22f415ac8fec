import { z } from "zod";
import type { AlwaysCovers } from "../protocol/events.ts";
import type { GuardedCall, Planning, PolicyVerdict, Situation } from "../protocol/guard.ts";
import { isObject } from "../protocol/json.ts";
import { PLAN_TOOL } from "../protocol/plan.ts";
import { plannedAfterReading } from "../protocol/plan-text.ts";
import { because, type Reason, type ReasonCode, reasonText, toReason } from "../protocol/reasons.ts";
import type { Effect } from "../protocol/tool.ts";
import { approvalScope, scopeKey, targetScope } from "./approval-scope.ts";
import { argumentForms } from "./argument-forms.ts";
import { isOrdered } from "./ordered.ts";
import { type AskedBy, planToShow, withPlans } from "./plan.ts";
import { isFullyRequested, ruleOfTwo } from "./rule-of-two.ts";

const action = z.enum(["allow", "ask", "deny"]);
const effect = z.enum(["none", "read", "write", "network"]);

const pattern = z.string().transform((source, context) => {
  try {
    return new RegExp(source, "u");
  } catch {
    context.addIssue(`${JSON.stringify(source)} is not a regular expression`); // The one thing that can be wrong with it.
    return z.NEVER;
  }
});

const rule = z.strictObject({
  /** Name or alias of a tool. If missing, the rule applies to every tool. */
  tool: z.string().optional(),
  /** Regular expressions for arguments, by name. All of them must match. */
  match: z.record(z.string(), pattern).optional(),
  effect: effect.optional(),
  action,
});

/** The approval policy. The first rule that matches applies, otherwise the default for the call's effect. */
export const policyFile = z.strictObject({
  rules: z.array(rule).default([]),
  default: z
    .strictObject({
      none: action.default("allow"),
      read: action.default("allow"),
      network: action.default("allow"),
      /** `ask-unless-said` asks unless the person has ordered this very call. */
      write: z.enum([...action.options, "ask-unless-said"]).default("ask-unless-said"),
    })
    .prefault({}),
  /** Expectations that `tackle policy test` checks. */
  tests: z
    .array(
      z.strictObject({
        tool: z.string(),
        arguments: z.record(z.string(), z.unknown()).default({}),
        expect: action,
      }),
    )
    .default([]),
});

export type Policy = z.output<typeof policyFile>;

const EFFECT_REASONS = {
  none: "asks_first",
  read: "reads",
  network: "reaches_out",
  write: "changes",
} as const satisfies Record<Effect, ReasonCode>;

const NO_PLANS: Planning = { tools: [], plans: [], isUsedUp: () => true };

/**
 * Decides on a call: by the rules, then by dangers that must always be asked about, then by earlier "always" answers and by
 * approved plans.
 */
export function decide(
  policy: Policy,
  call: GuardedCall,
  situation: Situation,
  remembered: ReadonlySet<string>,
  planning: Planning = NO_PLANS,
): PolicyVerdict {
  const effectOfCall = call.tool.effectOf(call.args);
  const ruled = ruledAction(policy, call);
  if (ruled === "deny") {
    return { action: "deny", reason: `The policy does not allow this call of ${call.tool.name}.` };
  }
  if (call.tool.name === PLAN_TOOL) return askAboutPlan(policy, call, situation, planning);
  const judged = call.tool.riskOf?.(call.args);
  const risky = judged?.risk === "high" && judged.reason ? [toReason(judged.reason)] : [];
  const must = call.tool.mustAsk?.(call.args, call.context);
  const ask = (why: AskedBy, verdict: Explained) =>
    withPlans(asking(verdict), call, why, planning, situation);
  if (must) return ask("every_time", { because: [...risky, toReason(must)], risk: "high" });
  const danger = ruleOfTwo(call, effectOfCall, situation);
  // "Always" for `rm …` was not about `rm -rf …`.
  if (risky.length > 0 && (danger || ruled !== "allow"))
    return ask("every_time", {
      because: [...risky, ...(danger?.because ?? [])],
      risk: "high",
      ...(danger ? { outside: true } : {}),
    });
  const bound = targetScope(call);
  if (isRemembered(bound, remembered) || (!danger && ruled === "allow")) return { action: "allow" };
  if (danger) return ask("rule_of_two", { ...danger, outside: true, ...offered(bound) });
  const always = approvalScope(call, effectOfCall);
  const saidIsEnough =
    effectOfCall === "write" && policy.default.write === "ask-unless-said" && !ruleFor(policy, call);
  if (isRemembered(always, remembered) || (saidIsEnough && isOrdered(call, situation)))
    return { action: "allow" };
  const risk = effectOfCall === "write" && !isFullyRequested(call, situation) ? "medium" : "low";
  return ask("policy", { because: [because(EFFECT_REASONS[effectOfCall])], risk, ...offered(always) });
}

type Asking = Extract<PolicyVerdict, { action: "ask" }>;
type Explained = Omit<Asking, "action" | "reason"> & { because: Reason[] };

function asking(verdict: Explained): Asking {
  return { action: "ask", reason: reasonText(verdict.because), ...verdict };
}

function isRemembered(scope: AlwaysCovers | undefined, remembered: ReadonlySet<string>): boolean {
  const key = scopeKey(scope);
  return key !== undefined && remembered.has(key);
}

/** What the person is offered to allow for good. */
function offered(always: AlwaysCovers | undefined): Pick<Asking, "remember" | "always"> {
  const remember = scopeKey(always);
  return always && remember !== undefined ? { remember, always } : {};
}

/** A plan is always asked about, whatever the rules allow, and never remembered. */
function askAboutPlan(
  policy: Policy,
  call: GuardedCall,
  situation: Situation,
  { tools }: Planning,
): PolicyVerdict {
  const plan = planToShow(call, tools, situation, (planned) => {
    if (ruledAction(policy, planned) === "deny") return because("rules_forbid");
    const { risk, reason } = planned.tool.riskOf?.(planned.args) ?? {};
    const why =
      planned.tool.mustAsk?.(planned.args, planned.context) ?? (risk === "high" ? reason : undefined);
    return why ? toReason(why) : undefined;
  });
  const late = plan.after ? [plannedAfterReading(plan.after)] : [];
  return asking({
    because: [because("one_approval"), ...late],
    risk: plan.after ? "high" : "medium",
    plan,
  });
}

type RuledCall = Pick<GuardedCall, "tool" | "args"> & Partial<Pick<GuardedCall, "context">>;

/** Returns what the rules and defaults alone say about a call. */
export function ruledAction(policy: Policy, call: RuledCall): z.output<typeof action> {
  const byDefault = policy.default[call.tool.effectOf(call.args)];
  // The person sees what is kept and can change it, so only text from outside makes it a danger.
  const said =
    ruleFor(policy, call)?.action ?? (call.tool.lasting && byDefault !== "deny" ? "allow" : byDefault);
  return said === "ask-unless-said" ? "ask" : said;
}

function ruleFor(policy: Policy, call: RuledCall): Policy["rules"][number] | undefined {
  return policy.rules[ruleIndex(policy, call)];
}

/** False if a rule that names paths denies reading one, or asks about it. What searches many files leaves such a file out. */
export function mayRead(policy: Policy, { tool, context }: GuardedCall, path: string): boolean {
  const rule = ruleFor(policy, { tool, args: { operation: "read", path }, context });
  return rule?.match?.path === undefined || rule.action === "allow";
}

/** Returns the place of the rule that applies to a call, or -1. */
export function ruleIndex(policy: Policy, { tool, args, context }: RuledCall): number {
  const effectOfCall = tool.effectOf(args);
  const roots = context?.roots ?? [];
  return policy.rules.findIndex(
    (one) =>
      (one.tool === undefined || one.tool === tool.name || tool.aliases.includes(one.tool)) &&
      (one.effect === undefined || one.effect === effectOfCall) &&
      matches(one, args, roots),
  );
}

/**
 * An allow rule must match every equivalent form of an argument, and never matches a compound command. A rule that asks or
 * denies applies if any form, or any part of a command, matches.
 */
function matches(
  { match, action }: Policy["rules"][number],
  args: unknown,
  roots: readonly string[],
): boolean {
  if (!match) return true;
  if (!isObject(args)) return false;
  return Object.entries(match).every(([name, expression]) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (typeof value !== "string") return false;
    const { equivalent, related, simple } = argumentForms(name, value, roots);
    if (action !== "allow") return [...equivalent, ...related].some((form) => expression.test(form));
    // A rule for `path` must also match the destination, unless it has a pattern for that.
    const target = name === "path" && !("destination" in match) ? args.destination : undefined;
    const targets = typeof target === "string" ? argumentForms(name, target, roots).equivalent : [];
    return simple && [...equivalent, ...targets].every((form) => expression.test(form));
  });
}
