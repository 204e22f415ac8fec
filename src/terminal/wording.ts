import type { FinishReason } from "../protocol/events.ts";
import type { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import { clean } from "./clean.ts";

/** A call in one line: what stands out of its arguments. */
export function describeArguments(args: unknown): string {
  if (!isObject(args)) return oneLine(args === undefined ? "" : JSON.stringify(args));
  const { command, operation, path, query, url, title, prompt } = args;
  if (typeof command === "string") return oneLine(command);
  if (typeof operation === "string" && typeof path === "string") return oneLine(`${operation} ${path}`);
  for (const value of [query, url, path, title, prompt]) if (typeof value === "string") return oneLine(value);
  return Object.keys(args).length === 0 ? "" : oneLine(JSON.stringify(args));
}

/** Text from outside as one clean line. */
export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, " ").trim();
}

/** A stretch of time as people say it. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds < 3_600_000) {
    return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
  }
  return `${Math.floor(milliseconds / 3_600_000)} h ${Math.round((milliseconds % 3_600_000) / 60_000)} min`;
}

/** What went wrong, and whether and when trying again helps. */
export function describeFailure(
  failure: Pick<Failure, "retryable" | "retryAfter"> & { message: string },
): string {
  const sentence = oneLine(failure.message);
  if (failure.retryAfter !== undefined && failure.retryAfter > 0) {
    return `${sentence} Try again in ${duration(failure.retryAfter * 1000)}.`;
  }
  return failure.retryable && !/try(ing)? again/i.test(sentence)
    ? `${sentence} Trying again may help.`
    : sentence;
}

const ENDINGS: Partial<Record<FinishReason, string>> = {
  length: "The answer was cut off at the model's length limit. Ask it to continue.",
  tool_limit: "It stopped at the limit of tool calls for one turn. Say “continue” to go on.",
  iteration_limit: "It stopped at the limit of steps for one turn. Say “continue” to go on.",
  content_filter: "The model's provider stopped the answer with its content filter.",
  cancelled: "Stopped.",
};

/** A sentence about an end that is not the ordinary one. */
export function describeEnding(reason: FinishReason): string | undefined {
  return ENDINGS[reason];
}
