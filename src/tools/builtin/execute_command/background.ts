import type {
  BackgroundCommands,
  BackgroundOrder,
  BackgroundOutput,
  CommandCaller,
} from "../../../protocol/commands.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext } from "../../../protocol/tool.ts";

/** How long a background command may print before its call returns. */
const FIRST_OUTPUT_MS = 1_500;

/** Starts a background command. Returns its id and what it printed first. */
export async function backgroundResult(
  caller: CommandCaller & { signal: AbortSignal },
  background: BackgroundCommands,
  order: BackgroundOrder,
) {
  const { commandId } = await background.start(caller, order);
  const { sessionId = "", signal } = caller;
  return shownOutput(await background.output(sessionId, commandId, { waitMs: FIRST_OUTPUT_MS, signal }));
}

/** Returns a background command's state and output as programs and the model get it. */
export function shownOutput({ commandId, command, state, exitCode, reason, output, next }: BackgroundOutput) {
  return {
    commandId,
    command,
    state,
    exit_code: exitCode,
    reason,
    output,
    next,
  };
}

/** Returns the background commands of a call's session. Throws INVALID_INPUT if it has none. */
export function backgroundOf({ commands, sessionId }: ToolContext) {
  if (commands && sessionId !== undefined) return { background: commands.background, sessionId };
  throw new Failure("INVALID_INPUT", "Background commands belong to a session, and this call has none.");
}
