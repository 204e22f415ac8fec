import type { AlwaysCovers } from "../protocol/events.ts";
import { isObject } from "../protocol/json.ts";
import { isPlainCommand } from "./spellings.ts";

/** Commands whose second word says what they do. */
const WITH_SUBCOMMANDS = new Set([
  "git",
  "npm",
  "npx",
  "pnpm",
  "yarn",
  "docker",
  "cargo",
  "go",
  "pip",
  "apt",
  "make",
]);

/**
 * What "always" covers: the tool with its operation, or with the beginning of its command. Undefined where nothing short
 * of the very arguments would be safe to remember.
 */
export function coveredByAlways(tool: string, args: unknown): AlwaysCovers | undefined {
  if (!isObject(args)) return { tool };
  if (typeof args.command === "string") {
    const prefix = commandPrefix(args.command);
    return prefix === undefined ? undefined : { tool, prefix };
  }
  return typeof args.operation === "string" ? { tool, operation: args.operation } : { tool };
}

/** The same as one text, under which it is kept. */
export function rememberedAs(covered: AlwaysCovers | undefined): string | undefined {
  if (!covered) return undefined;
  const { tool, operation, prefix } = covered;
  if (prefix !== undefined) return `${tool}: ${prefix} …`;
  return operation === undefined ? tool : `${tool}: ${operation}`;
}

function commandPrefix(command: string): string | undefined {
  if (!isPlainCommand(command)) return undefined;
  const [program, subcommand] = command.trim().split(/\s+/);
  if (!program) return undefined;
  if (!WITH_SUBCOMMANDS.has(program)) return program;
  // An option before the subcommand can change what is run: `git -c core.pager=…`.
  return subcommand && /^[a-z]/.test(subcommand) ? `${program} ${subcommand}` : undefined;
}
