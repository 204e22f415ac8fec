import type { ContainedResult } from "../../../contain/command.ts";
import { plainText } from "../../../protocol/plain-text.ts";

/** A command's result as programs get it. The model reads it as JSON. */
export interface CommandResult {
  exit_code: number;
  stdout: string;
  stderr: string;
  duration_ms: number;
  /** The limit that it exceeded, if it was stopped for that. */
  stopped?: string;
  /** Something is missing in the middle of a stream. */
  truncated?: true;
}

/** Returns everything that was kept of a command's output, as a terminal would show it. */
export function commandResult(result: ContainedResult): CommandResult {
  const { exitCode, stdout, stderr, durationMs, truncated, excess } = result;
  return {
    exit_code: exitCode,
    stdout: plainText(stdout),
    stderr: plainText(stderr),
    duration_ms: durationMs,
    ...(excess === undefined ? {} : { stopped: excess }),
    ...(truncated ? { truncated } : {}),
  };
}
