import { type ContainedResult, cutNote } from "../../../contain/command.ts";
import { plainText } from "../../../protocol/plain-text.ts";
import { shorten } from "../../../protocol/shorten.ts";

/** Characters of both streams that the model reads. */
const SHOWN_CHARACTERS = 30_000;

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

/** Returns the JSON for the model, with the beginning and the end of long output. */
export function describe(result: CommandResult, cutBytes: ContainedResult["cutBytes"]): string {
  const stdout = endsOf(result.stdout, SHOWN_CHARACTERS - result.stderr.length, cutBytes.stdout);
  const stderr = endsOf(result.stderr, SHOWN_CHARACTERS - result.stdout.length, cutBytes.stderr);
  const truncated = stdout !== result.stdout || stderr !== result.stderr;
  return JSON.stringify({ ...result, stdout, stderr, ...(truncated ? { truncated } : {}) });
}

/** Each stream may use what the other leaves, and at least half. */
function endsOf(text: string, left: number, cutBefore: number): string {
  const noted = cutBefore > 0 ? cutBefore - Buffer.byteLength(cutNote(cutBefore)) : 0;
  return shorten(text, {
    maxCharacters: Math.max(left, SHOWN_CHARACTERS / 2),
    note: ({ bytes, lines }) => cutNote(bytes + noted, cutBefore > 0 ? 0 : lines).trim(),
  });
}
