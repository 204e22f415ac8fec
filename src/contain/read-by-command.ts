import { realpath } from "node:fs/promises";
import type { CallContext } from "../protocol/call-context.ts";
import { type CommandPlace, runCommand } from "./run-command.ts";

const MOST_MS = 1_500;

/**
 * Returns a function that runs a command which can change nothing and reaches no network, and returns what it prints: undefined if it
 * fails or takes long. Undefined where there is no sandbox.
 */
export function createReadByCommand(
  { sandbox, commands, principal, protectedPaths = [] }: CallContext,
  mostMs = MOST_MS,
) {
  if (!sandbox || sandbox.tier === "none" || sandbox.tier === "bare") return undefined;
  const caller = { principal, protectedPaths, sessionId: undefined, runId: undefined };
  return async (command: string, folder: string): Promise<string | undefined> => {
    const signal = AbortSignal.timeout(2 * mostMs);
    try {
      const cwd = await realpath(folder);
      const place: CommandPlace = { ...caller, sandbox, roots: [cwd], commands };
      const end = await runCommand(place, { command, cwd, timeoutMs: mostMs, readOnly: true, signal });
      return end.exitCode === 0 && !end.truncated ? end.stdout : undefined;
    } catch {
      return undefined; // The caller can do without it.
    }
  };
}
