import type { ChatEvent, EventOf } from "./events.ts";

/** How the work is going. */
const PROGRESS = [
  "reasoning_step",
  "reasoning_status",
  "tool_executing",
  "tool_progress",
  "artifact_delta",
  "retry_status",
  "todo",
  "child_run",
] as const;
/** What tools made or found. */
const FINDS = ["artifact_complete", "image_complete", "web_search"] as const;
/** What happens around the answer. */
const ASIDES = [
  "tool_approval_decided",
  "question_required",
  "question_answered",
  "user_message",
  "context_compacted",
  "run_continued",
  "title",
] as const;
const DETAILS: readonly string[] = [...PROGRESS, ...FINDS, ...ASIDES];

type Detail = EventOf<(typeof PROGRESS | typeof FINDS | typeof ASIDES)[number]>;

/** Returns true for events besides the answer itself. Clients that do not name them in a switch treat all of them alike. */
export function isDetail(event: ChatEvent): event is Detail {
  return DETAILS.includes(event.type);
}

/**
 * Ends a switch that handles every case of a union: a missing case does not compile here. At run time only an instance of
 * a newer version can send an unknown case. It is skipped by returning `result`, so both versions can run side by side.
 */
export function ignoreUnknown<Result>(_unknown: never, result: Result): Result {
  return result;
}
