import { isSimpleCommand } from "../protocol/command-words.ts";
import type { AlwaysCovers } from "../protocol/events.ts";
import type { GuardedCall } from "../protocol/guard.ts";
import { isObject } from "../protocol/json.ts";
import type { Effect } from "../protocol/tool.ts";
import { commandFamily } from "./command-scope.ts";
import { isContent, leavesOf } from "./leaves.ts";

/**
 * Returns what an "always" answer covers while no text from outside has been read: the tool with its operation; for a command, its
 * family or the very same command; for a change by a server or by a person's own tool, the targets. Undefined for a compound command.
 */
export function approvalScope(
  call: Pick<GuardedCall, "tool" | "args">,
  effect: Effect,
): AlwaysCovers | undefined {
  const { tool, args } = call;
  if (!isObject(args)) return { tool: tool.name };
  if (typeof args.command === "string") {
    if (!isSimpleCommand(args.command)) return undefined;
    const prefix = commandFamily(args.command);
    return prefix === undefined ? targetScope(call) : { tool: tool.name, prefix };
  }
  if (tool.source !== undefined && effect === "write") return targetScope(call) ?? { tool: tool.name };
  return typeof args.operation === "string"
    ? { tool: tool.name, operation: args.operation }
    : { tool: tool.name };
}

/** Returns what "always" covers after text from outside: calls with these very targets. Undefined if the call has only texts. */
export function targetScope({ tool, args }: Pick<GuardedCall, "tool" | "args">): AlwaysCovers | undefined {
  const leaves = leavesOf(tool.outgoing ? tool.outgoing(args) : args, tool.parameters);
  const targets = leaves
    .filter((leaf) => !isContent(leaf) && !leaf.isDefault)
    .map(({ path, value }) => `${path}: ${JSON.stringify(value)}`)
    .sort();
  if (targets.length === 0 && leaves.length > 0) return undefined;
  const command = isObject(args) && typeof args.command === "string" ? { command: args.command } : {};
  return { tool: tool.name, ...command, targets };
}

/** Returns the key under which a scope is stored. */
export function scopeKey(covered: AlwaysCovers | undefined): string | undefined {
  if (!covered) return undefined;
  const { tool, operation, prefix, targets } = covered;
  if (targets !== undefined) return `${tool}: ${JSON.stringify(targets)}`;
  if (prefix !== undefined) return `${tool}: ${prefix} …`;
  return operation === undefined ? tool : `${tool}: ${operation}`;
}
