import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";
import { Failure } from "../../protocol/failure.ts";
import { linesFrom } from "../../protocol/long-text.ts";
import type { ToolOutput } from "../../protocol/tool.ts";

const MOST_CHARACTERS = 28_000;

export default defineTool({
  name: "read_result",
  description:
    "Reads the whole result of an earlier tool call in this session, where the result was shortened or left out. Give " +
    "the call's id and, for a long result, the first line to read. Lines longer than 2,000 characters count as several.",
  // It only shows what this session has already read. The result keeps the effect of the original.
  effect: "none",
  retry: "pure",
  // Replaced by the trust of the original.
  trust: "untrusted",
  sessionOnly: true,
  input: z.object({
    toolCallId: z.string().min(1).max(500).describe("The id of the call whose result to read"),
    offset: z
      .int()
      .min(-10_000_000)
      .max(10_000_000)
      .default(1)
      .describe("The first line to read, counted from 1; a negative number counts from the end"),
    limit: z.int().min(1).max(100_000).default(1_000).describe("How many lines to read at most"),
  }),
  async run(
    { toolCallId, offset, limit },
    { readResult, resultCharacters = MOST_CHARACTERS },
  ): Promise<ToolOutput> {
    const found = await readResult?.(toolCallId);
    if (!found) {
      throw new Failure(
        "NOT_FOUND",
        "This session has no result of a call with this id. Copy the id from the result or the note that names it.",
      );
    }
    const { text, toolName, ...provenance } = found;
    const range = linesFrom(text, offset, limit, Math.min(MOST_CHARACTERS, resultCharacters));
    return {
      output: `${range.text}${range.text === "" || range.text.endsWith("\n") ? "" : "\n"}[${describe(range, toolName)}]`,
      ...provenance,
    };
  },
});

function describe({ first, last, total }: ReturnType<typeof linesFrom>, toolName: string): string {
  if (last < first) return `There is no line ${first}: the result of ${toolName} has ${total} lines.`;
  const rest = last < total ? `There is more: go on with offset ${last + 1}.` : "This is the end.";
  return `Lines ${first} to ${last} of ${total} of the result of ${toolName}. ${rest}`;
}
