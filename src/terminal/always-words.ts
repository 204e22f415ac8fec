import type { AlwaysCovers } from "../protocol/events.ts";
import { truncate } from "./lines.ts";
import { oneLine } from "./wording.ts";

/** Returns what "always" covers, in short. */
export function covered({ tool, operation, prefix, command, targets }: AlwaysCovers): string {
  if (command !== undefined) return `exactly “${truncate(oneLine(command), 40)}”`;
  if (targets?.length) return `${oneLine(tool)} with ${truncate(oneLine(targets.join(", ")), 60)}`;
  if (prefix !== undefined) return `“${truncate(oneLine(prefix), 20)} …”`;
  return operation === undefined ? oneLine(tool) : oneLine(`${tool} ${operation}`);
}

/** Returns a sentence about what "always" covers for a command. */
export function coveredSentence({ prefix, command }: AlwaysCovers): string | undefined {
  if (command !== undefined) return "Always covers this very command, letter for letter, and no other.";
  if (prefix === undefined) return undefined;
  return `Always covers “${oneLine(prefix)}” with any files and words, but no options that could do more.`;
}
