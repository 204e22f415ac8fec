import { z } from "zod";
import type { GuardedCall, PolicyVerdict, Situation } from "../protocol/guard.ts";
import { isObject } from "../protocol/json.ts";
import type { Effect } from "../protocol/tool.ts";
import { coveredByAlways, rememberedAs } from "./remembered.ts";
import { ruleOfTwo } from "./rule-of-two.ts";
import { spellingsOf } from "./spellings.ts";

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
  /** Name or alias of a tool; every tool where it is left out. */
  tool: z.string().optional(),
  /** Regular expressions over the arguments, by name; all of them have to match. */
  match: z.record(z.string(), pattern).optional(),
  effect: effect.optional(),
  action,
});

/** The approval policy: rules from the top, the first that matches wins; else the default for the call's effect. */
export const policyFile = z.strictObject({
  rules: z.array(rule).default([]),
  default: z
    .strictObject({
      none: action.default("allow"),
      read: action.default("allow"),
      network: action.default("allow"),
      write: action.default("ask"),
    })
    .prefault({}),
  /** What the policy is meant to say: `tackle policy test` checks it. */
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

const REASONS: Record<Effect, string> = {
  none: "This tool is set to ask first.",
  read: "It reads data, and the policy asks before that.",
  network: "It reaches out to the network, and the policy asks before that.",
  write: "It changes something.",
};

/** What the policy says of a call: its rules, then what must be asked whatever they say, then what "always" was said to. */
export function decide(
  policy: Policy,
  call: GuardedCall,
  situation: Situation,
  remembered: ReadonlySet<string>,
): PolicyVerdict {
  const effectOfCall = call.tool.effectOf(call.args);
  const ruled = ruledAction(policy, call);
  if (ruled === "deny") {
    return { action: "deny", reason: `The policy does not allow this call of ${call.tool.name}.` };
  }
  const danger = call.tool.mustAsk?.(call.args, call.context) ?? ruleOfTwo(call, effectOfCall, situation);
  if (danger) return { action: "ask", reason: danger, risk: "high" };
  if (ruled === "allow") return { action: "allow" };
  const always = coveredByAlways(call.tool.name, call.args);
  const remember = rememberedAs(always);
  if (remember !== undefined && remembered.has(remember)) return { action: "allow" };
  const risk = effectOfCall === "write" ? "medium" : "low";
  return {
    action: "ask",
    reason: REASONS[effectOfCall],
    risk,
    ...(remember === undefined ? {} : { remember, always }),
  };
}

/** What the rules and the defaults say of a call, nothing else considered. */
export function ruledAction(
  policy: Policy,
  { tool, args, context }: Pick<GuardedCall, "tool" | "args"> & Partial<Pick<GuardedCall, "context">>,
): z.output<typeof action> {
  const effectOfCall = tool.effectOf(args);
  const roots = context?.roots ?? [];
  const found = policy.rules.find(
    (one) =>
      (one.tool === undefined || one.tool === tool.name || tool.aliases.includes(one.tool)) &&
      (one.effect === undefined || one.effect === effectOfCall) &&
      matches(one, args, roots),
  );
  return found?.action ?? policy.default[effectOfCall];
}

/**
 * A rule that allows has to cover an argument however it is spelled, and no command that a shell would make more of; one that
 * asks or denies holds as soon as one spelling, or one part of a command, is what it names.
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
    const { same, further, plain } = spellingsOf(name, value, roots);
    if (action !== "allow") return [...same, ...further].some((spelling) => expression.test(spelling));
    // Where something goes to is allowed by the rule for places, unless a rule of its own says more.
    const goes = name === "path" && !("destination" in match) ? args.destination : undefined;
    const all = typeof goes === "string" ? [...same, ...spellingsOf(name, goes, roots).same] : same;
    return plain && all.every((spelling) => expression.test(spelling));
  });
}
