import { cutText } from "../protocol/clean-text.ts";
import type { BackgroundCommand, BackgroundOutput } from "../protocol/commands.ts";
import { toFailure } from "../protocol/failure.ts";
import { plainText } from "../protocol/plain-text.ts";
import type { KeptOutput } from "./command/kept-output.ts";
import { cutNote } from "./command/output.ts";
import type { ContainedResult } from "./command.ts";

const SHOWN_IN_NOTICE = 60;

/** A background command with what only this process knows of it. */
export interface Entry extends BackgroundCommand {
  sessionId: string;
  runId: string | undefined;
  kept: KeptOutput;
  file: string;
  abort: AbortController;
  ended: Promise<void>;
  told: boolean;
}

/** Stops a command and waits for its end. */
export async function stopEntry(entry: Entry, reason: string): Promise<void> {
  if (entry.state === "running") entry.reason ??= reason;
  entry.abort.abort();
  await entry.ended;
}

/** Notes how a command ended. */
export function finish(entry: Entry, { exitCode, excess, timedOut }: ContainedResult, left?: string): void {
  const reason = timedOut ? "it ran for too long" : excess;
  entry.state = reason === undefined ? "exited" : "stopped";
  entry.exitCode = exitCode;
  note(entry, reason, left);
  entry.endedAt = new Date().toISOString();
}

/** Notes that a command could not run. */
export function fail(entry: Entry, thrown: unknown, left?: string): void {
  const failure = toFailure(thrown);
  entry.state = "stopped";
  note(entry, entry.reason ?? failure.publicMessage, left);
  entry.endedAt = new Date().toISOString();
}

function note(entry: Entry, ...parts: (string | undefined)[]): void {
  const reason = parts.filter(Boolean).join("; ");
  if (reason !== "") entry.reason = reason;
}

/** Returns what others may know of a command. */
export function shown({
  commandId,
  command,
  state,
  startedAt,
  endedAt,
  exitCode,
  reason,
}: Entry): BackgroundCommand {
  return {
    commandId,
    command,
    state,
    startedAt,
    endedAt,
    exitCode,
    ...(reason === undefined || state === "running" ? {} : { reason }),
  };
}

/** Returns one line about a command that ended. */
export function noticeOf({ commandId, command, exitCode, state, reason }: Entry): string {
  const line = command.replaceAll(/\s+/g, " ").trim();
  const short = cutText(line, SHOWN_IN_NOTICE);
  const left = reason === undefined ? "" : `: ${reason}`;
  const how = state === "exited" ? `ended with exit code ${exitCode}${left}` : `was stopped${left}`;
  return (
    `[Automatic notice from Tackle; no person has said anything. The background command ${commandId} (${short}) ${how}. ` +
    "command_output has what it printed.]"
  );
}

/** What is kept from a position on, as plain text. A character that is not complete yet is left for the next time. */
export function readKept(kept: KeptOutput, since: number): Pick<BackgroundOutput, "output" | "next"> {
  const decoder = new TextDecoder();
  let text = "";
  for (const { missing, bytes } of kept.read(since)) {
    if (missing > 0) text += cutNote(missing);
    text += decoder.decode(bytes, { stream: true });
  }
  const rest = Buffer.byteLength(decoder.decode()) > 0 ? incompleteBytes(kept) : 0;
  return { output: plainText(text), next: kept.length - rest };
}

/** How many bytes at the end belong to a character whose rest is missing. */
function incompleteBytes(kept: KeptOutput): number {
  const end = kept.read(kept.length - 4).at(-1)?.bytes ?? Buffer.alloc(0);
  for (let back = 1; back <= end.length; back += 1) if (((end.at(-back) ?? 0) & 0xc0) !== 0x80) return back;
  return 0;
}
