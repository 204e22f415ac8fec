import type { CommandEnd } from "../../../contain/run-command.ts";
import { plainText } from "../../../protocol/plain-text.ts";
import type { LaterOutcome } from "./later-changes.ts";

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
  /** Files that run later, outside of the sandbox, and were put back because the person did not keep the change. */
  put_back?: readonly string[];
}

/** Returns everything that was kept of a command's output, as a terminal would show it. */
export function commandResult(result: CommandEnd, later?: LaterOutcome): CommandResult {
  const { exitCode, stdout, stderr, durationMs, truncated, excess, denied } = result;
  return {
    exit_code: exitCode,
    stdout: plainText(stdout),
    stderr: plainText(stderr),
    duration_ms: durationMs,
    stopped: excess,
    ...(truncated ? { truncated } : {}),
    ...(denied.length > 0 ? { denied_hosts: denied } : {}),
    ...(later && later.put_back.length > 0 ? { put_back: later.put_back } : {}),
  };
}
