import { z } from "zod";
import type { GuardedCall, PolicyVerdict } from "../protocol/guard.ts";
import { isObject } from "../protocol/json.ts";

const action = z.enum(["allow", "ask", "deny"]);

/** The approval policy: rules from the top, the first that matches wins; else the default for the call's effect. */
export const policyFile = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        tool: z.string().optional(),
        /** Regular expressions over the arguments, by name. */
        match: z.record(z.string(), z.string()).optional(),
        effect: z.enum(["none", "read", "write", "network"]).optional(),
        action,
      }),
    )
    .default([]),
  default: z
    .strictObject({
      none: action.default("allow"),
      read: action.default("allow"),
      network: action.default("allow"),
      write: action.default("ask"),
    })
    .prefault({}),
});

export type Policy = z.output<typeof policyFile>;

const REASONS = {
  none: "This tool is set to ask first.",
  read: "It reads data, and the policy asks before that.",
  network: "It reaches out to the network, and the policy asks before that.",
  write: "It changes something.",
} as const;

/** What the policy says of a call. */
export function decide(policy: Policy, call: GuardedCall): PolicyVerdict {
  const effect = call.tool.effectOf(call.args);
  const rule = policy.rules.find(
    (one) =>
      (one.tool === undefined || one.tool === call.tool.name || call.tool.aliases.includes(one.tool)) &&
      (one.effect === undefined || one.effect === effect) &&
      matches(one.match, call.args),
  );
  const decided = rule?.action ?? policy.default[effect];
  if (decided === "allow") return { action: "allow" };
  if (decided === "deny")
    return { action: "deny", reason: `The policy does not allow this call of ${call.tool.name}.` };
  return { action: "ask", reason: REASONS[effect], risk: effect === "write" ? "medium" : "low" };
}

function matches(patterns: Record<string, string> | undefined, args: unknown): boolean {
  if (!patterns) return true;
  if (!isObject(args)) return false;
  return Object.entries(patterns).every(([name, pattern]) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    return typeof value === "string" && new RegExp(pattern, "u").test(value);
  });
}
