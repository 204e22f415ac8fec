import { type ChatEvent, contentDelta, reasoningDelta } from "../../protocol/events.ts";

/** Which sequence of events one belongs to: those of calls that run side by side come in any order. */
export function laneOf(event: ChatEvent): string {
  if (event.type === "reasoning_status") return event.type;
  return "toolCallId" in event ? event.toolCallId : "";
}

/** True for events that are pieces of something longer. */
export function isDelta(event: ChatEvent): boolean {
  if (event.type === "tool_progress") return event.chunk !== undefined;
  return (
    event.type === "content_delta" || event.type === "reasoning_delta" || event.type === "artifact_delta"
  );
}

/** Two pieces of the same text as one event; undefined where they are not that. */
export function mergeDelta(before: ChatEvent, after: ChatEvent): ChatEvent | undefined {
  if (before.type === "content_delta" && after.type === "content_delta")
    return contentDelta(before.choices[0].delta.content + after.choices[0].delta.content);
  if (before.type === "reasoning_delta" && after.type === "reasoning_delta")
    return reasoningDelta(
      before.choices[0].delta.reasoning_content + after.choices[0].delta.reasoning_content,
    );
  if (before.type === "artifact_delta" && after.type === "artifact_delta")
    return before.artifactId === after.artifactId
      ? { ...before, delta: before.delta + after.delta }
      : undefined;
  if (before.type !== "tool_progress" || after.type !== "tool_progress") return undefined;
  if (before.chunk === undefined || after.chunk === undefined || before.message !== after.message)
    return undefined;
  return { ...before, ...after, chunk: before.chunk + after.chunk };
}
