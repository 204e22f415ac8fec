import type { CommandEnd } from "../../../contain/run-command.ts";
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
  /** Hosts that it wanted to reach and may not. */
  denied_hosts?: readonly string[];
}

/** Returns everything that was kept of a command's output, as a terminal would show it. */
export function commandResult(result: CommandEnd): CommandResult {
  const { exitCode, stdout, stderr, durationMs, truncated, excess, denied } = result;
  return {
    exit_code: exitCode,
    stdout: plainText(stdout),
    stderr: plainText(stderr),
    duration_ms: durationMs,
    ...(excess === undefined ? {} : { stopped: excess }),
    ...(truncated ? { truncated } : {}),
    ...(denied.length > 0 ? { denied_hosts: denied } : {}),
  };
}
