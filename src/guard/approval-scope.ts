import type { AlwaysCovers } from "../protocol/events.ts";
import type { GuardedCall } from "../protocol/guard.ts";
import { isObject } from "../protocol/json.ts";
import type { Effect } from "../protocol/tool.ts";
import { isSimpleCommand } from "./argument-forms.ts";
import { isContent, leavesOf } from "./leaves.ts";

/** Commands whose second word says what they do. */
const WITH_SUBCOMMANDS = new Set("git npm npx pnpm yarn docker cargo go pip apt make".split(" "));

/**
 * Returns what an "always" answer covers while no text from outside has been read: the tool with its operation, or with the beginning
 * of its command; for a change by a server or by a person's own tool, the targets. Returns undefined if only the exact arguments
 * would be safe to remember.
 */
export function approvalScope(
  call: Pick<GuardedCall, "tool" | "args">,
  effect: Effect,
): AlwaysCovers | undefined {
  const { tool, args } = call;
  if (!isObject(args)) return { tool: tool.name };
  if (typeof args.command === "string") {
    const prefix = commandPrefix(args.command);
    return prefix === undefined ? undefined : { tool: tool.name, prefix };
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
  return targets.length === 0 && leaves.length > 0 ? undefined : { tool: tool.name, targets };
}

/** Returns the key under which a scope is stored. */
export function scopeKey(covered: AlwaysCovers | undefined): string | undefined {
  if (!covered) return undefined;
  const { tool, operation, prefix, targets } = covered;
  if (targets !== undefined) return `${tool}: ${JSON.stringify(targets)}`;
  if (prefix !== undefined) return `${tool}: ${prefix} …`;
  return operation === undefined ? tool : `${tool}: ${operation}`;
}

function commandPrefix(command: string): string | undefined {
  if (!isSimpleCommand(command)) return undefined;
  const [program, subcommand] = command.trim().split(/\s+/);
  if (!program) return undefined;
  if (!WITH_SUBCOMMANDS.has(program)) return program;
  // An option before the subcommand can change what is run: `git -c core.pager=…`.
  return subcommand && /^[a-z]/.test(subcommand) ? `${program} ${subcommand}` : undefined;
}
