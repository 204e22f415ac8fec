import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";
import { Failure } from "../../protocol/failure.ts";

const NAME = z.string().min(1).max(200);

export default defineTool({
  name: "delegate",
  description:
    "Gives a task to a helper that works in its own context, and returns what it found. Use it to read widely, such as to look through many files or pages, so that your own context stays small; do not use it for changes that depend on each other. The helper does not know this conversation: write everything it needs into the task. Several calls at once work side by side.",
  effect: "none",
  retry: "idempotent",
  trust: "trusted",
  input: z.object({
    task: z
      .string()
      .trim()
      .min(1)
      .max(20_000)
      .describe("What to find out or do, with all that is needed to know, and what to report"),
    tools: z
      .array(NAME)
      .max(100)
      .optional()
      .describe("The tools that the helper may use; all of yours when left out"),
    model: NAME.optional().describe("Another model, as provider/model; this one when left out"),
  }),
  available: ({ env }) => env.TACKLE_DELEGATE_DEPTH !== "0",
  run(args, context) {
    if (!context.delegate) throw new Failure("TOOL_FAILED", "Delegating is only possible within a run.");
    return context.delegate({ ...args, signal: context.signal });
  },
});
