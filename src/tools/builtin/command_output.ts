import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";
import { backgroundOf, shownOutput } from "./execute_command/background.ts";

const MAX_WAIT_SECONDS = 60;

export default defineTool({
  name: "command_output",
  description:
    "Returns what a background command has printed, whether it still runs, and its exit_code once it has ended. Pass the " +
    "`next` of an earlier answer as `since` to get only what is new. To wait for something, set waitSeconds instead of " +
    "asking again and again.",
  effect: "read",
  retry: "pure",
  trust: "untrusted",
  shown: { characters: 30_000, head: 0.2 },
  timeoutMs: (MAX_WAIT_SECONDS + 15) * 1_000,
  spellings: {},
  input: z.object({
    commandId: z.string().min(1).max(100).describe("As execute_command returned it"),
    since: z
      .int()
      .min(0)
      .optional()
      .describe("A position in the output; everything that is kept when left out"),
    waitSeconds: z
      .int()
      .min(0)
      .max(MAX_WAIT_SECONDS)
      .optional()
      .describe("Wait up to this long for new output or the end"),
  }),
  available: ({ roots, sandbox }) => roots.length > 0 && sandbox !== undefined && sandbox.tier !== "none",
  async run({ commandId, since, waitSeconds = 0 }, context) {
    const { background, sessionId } = backgroundOf(context);
    const found = await background.output(sessionId, commandId, {
      since,
      waitMs: waitSeconds * 1_000,
      signal: context.signal,
    });
    const data = shownOutput(found);
    const isLocal = (context.commands?.hosts.length ?? 0) === 0;
    return { output: JSON.stringify(data), data, ...(isLocal ? { origin: "workspace" as const } : {}) };
  },
});
