import { readArguments } from "../protocol/call-arguments.ts";
import type { GuardedCall, Situation } from "../protocol/guard.ts";
import type { Tool } from "../protocol/tool.ts";
import { leavesOf } from "./leaves.ts";

/** True if the session has this call more than once, in whatever spelling. What was ordered was ordered once. */
export function isRepeated({ tool, args }: GuardedCall, { calls = [] }: Situation): boolean {
  const key = keyOf(tool, args);
  const same = calls.filter(({ name, arguments: text }) => {
    if (name !== tool.name && !tool.aliases.includes(name)) return false;
    const read = readArguments(text);
    return read.ok && keyOf(tool, read.value) === key;
  });
  return same.length > 1;
}

function keyOf(tool: Tool, args: unknown): string {
  return leavesOf(args, tool.parameters)
    .filter(({ isDefault }) => !isDefault)
    .map(({ path, value }) =>
      `${path.replaceAll("_", "")}=${String(value).replace(/\s+/g, " ").trim()}`.toLowerCase(),
    )
    .sort()
    .join("\n");
}
