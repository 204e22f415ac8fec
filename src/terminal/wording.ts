import { failedEnd } from "../protocol/commands.ts";
import { isEndWarning } from "../protocol/end-warnings.ts";
import type { FinishReason } from "../protocol/events.ts";
import type { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { RunState } from "../protocol/reduce.ts";
import { clean } from "./clean.ts";

/** The most telling argument of a call, in one line. */
export function describeArguments(args: unknown): string {
  if (!isObject(args)) return oneLine(args === undefined ? "" : JSON.stringify(args));
  const { task, question, command, operation, path, query, url, title, prompt, items, steps } = args;
  if (typeof command === "string") return oneLine(command);
  if (typeof operation === "string" && typeof path === "string") return oneLine(`${operation} ${path}`);
  for (const value of [task, question, query, url, path, title, prompt])
    if (typeof value === "string") return oneLine(value);
  if (Array.isArray(items)) return `${items.length} ${items.length === 1 ? "item" : "items"}`;
  if (Array.isArray(steps)) return `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
  return Object.keys(args).length === 0 ? "" : oneLine(JSON.stringify(args));
}

/** Shown before an answer that is sent again from its start. */
export const STARTS_OVER = "The server lost a part of this answer, so it is shown again from the start.";

/** Said while the client connects again to a server in the middle of an answer, and after that. */
export const CONNECTION = { lost: "Connection lost. Trying again …", back: "Connected again." };

/** Text from outside as one clean line. */
export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, " ").trim();
}

/** “ · exit code 1” for a command that did not end well, else nothing. */
export function badEnding({ toolName, output }: { toolName: string; output: string }): string {
  const end = failedEnd(toolName, output);
  return end === undefined ? "" : ` · ${typeof end === "number" ? `exit code ${end}` : oneLine(end)}`;
}

/** A duration for people. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds < 3_600_000) {
    return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
  }
  return `${Math.floor(milliseconds / 3_600_000)} h ${Math.round((milliseconds % 3_600_000) / 60_000)} min`;
}

/** What went wrong, and whether and when to try again. */
export function describeFailure(
  failure: Pick<Failure, "retryable" | "retryAfter"> & { message: string },
): string {
  const sentence = oneLine(failure.message);
  if (/\bagain in \d/i.test(sentence)) return sentence;
  if (failure.retryAfter !== undefined && failure.retryAfter > 0) {
    return `${sentence} Try again in ${duration(failure.retryAfter * 1000)}.`;
  }
  return failure.retryable && !/try(ing)? again/i.test(sentence) ? `${sentence} Try again.` : sentence;
}

const ENDINGS: Partial<Record<FinishReason, string>> = {
  length: "The answer was cut off. Say “continue” to continue.",
  tool_limit: "Stopped at the limit of tool calls for one turn. Say “continue” to continue.",
  iteration_limit: "Stopped at the limit of steps for one turn. Say “continue” to continue.",
  content_filter: "The provider's content filter stopped the answer.",
  cancelled: "Stopped.",
};

/** A sentence for an unusual end of a run. Which limit it was, the run's warnings say. */
export function describeEnding(
  reason: FinishReason,
  { warnings }: Pick<RunState, "warnings">,
): string | undefined {
  return warnings.findLast(isEndWarning)?.message ?? ENDINGS[reason];
}
