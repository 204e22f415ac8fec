import { Failure } from "../protocol/failure.ts";
import type { ToolCallState } from "../protocol/reduce.ts";
import type { Registry } from "../protocol/registry.ts";
import { readUntil } from "./read-until.ts";

/** Models that come back are not announced, so this is checked again. */
const CHECK_MS = 1_000;

/**
 * Resolves when everything is there that these calls of an earlier process need, when their time is over, or on abort. A
 * process that starts before an MCP server does, or that lacks a tool altogether, must not answer a call for the person.
 */
export async function awaitTools(
  registry: Registry,
  waiting: readonly ToolCallState[],
  /** Throws `Failure` while something else is missing. */
  check: () => void,
  signal: AbortSignal,
): Promise<void> {
  const isReady = () => waiting.every(({ toolName }) => registry.get(toolName)) && passes(check);
  const expiries = waiting.map(({ approval }) => Date.parse(approval?.expiresAt ?? ""));
  const until = performance.now() + Math.max(...expiries) - Date.now();
  const read = async () => isReady() || undefined;
  await readUntil((wake) => registry.onChange(wake), read, { signal, until, longestWaitMs: CHECK_MS });
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (thrown) {
    if (thrown instanceof Failure) return false;
    throw thrown;
  }
}
