import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";
import { backgroundOf } from "./execute_command/background.ts";

export default defineTool({
  name: "stop_command",
  description: "Stops a background command with everything that it started. What it printed stays readable.",
  // It only ends what this session has started.
  effect: "none",
  retry: "idempotent",
  trust: "trusted",
  input: z.object({ commandId: z.string().min(1).max(100).describe("As execute_command returned it") }),
  spellings: {},
  available: ({ roots, sandbox }) => roots.length > 0 && sandbox !== undefined && sandbox.tier !== "none",
  async run({ commandId }, context) {
    const { background, sessionId } = backgroundOf(context);
    const { state, exitCode } = await background.stop(sessionId, commandId);
    const data = { commandId, state, exit_code: exitCode };
    return { output: JSON.stringify(data), data };
  },
});
