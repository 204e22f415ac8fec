import type { AlwaysCovers } from "../protocol/events.ts";
import { isObject } from "../protocol/json.ts";
import { isSimpleCommand } from "./argument-forms.ts";

/** Commands whose second word says what they do. */
const WITH_SUBCOMMANDS = new Set("git npm npx pnpm yarn docker cargo go pip apt make".split(" "));

/**
 * Returns what an "always" answer covers: the tool with its operation, or with the beginning of its command. Returns
 * undefined if only the exact arguments would be safe to remember.
 */
export function approvalScope(tool: string, args: unknown): AlwaysCovers | undefined {
  if (!isObject(args)) return { tool };
  if (typeof args.command === "string") {
    const prefix = commandPrefix(args.command);
    return prefix === undefined ? undefined : { tool, prefix };
  }
  return typeof args.operation === "string" ? { tool, operation: args.operation } : { tool };
}

/** Returns the key under which a scope is stored. */
export function scopeKey(covered: AlwaysCovers | undefined): string | undefined {
  if (!covered) return undefined;
  const { tool, operation, prefix } = covered;
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
