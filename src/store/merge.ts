import { type ChatEvent, contentDelta, type EventOf, reasoningDelta } from "../protocol/events.ts";

/** Events that only add to what is already on its way: they may wait a moment, and merge. */
export type DeltaEvent = EventOf<"content_delta" | "reasoning_delta" | "tool_progress" | "artifact_delta">;

const LONGEST_MERGED_TEXT = 16_384;

/** True for events that carry a piece of something; all others stand at a boundary. */
export function isDelta(event: ChatEvent): event is DeltaEvent {
  return (
    event.type === "content_delta" ||
    event.type === "reasoning_delta" ||
    event.type === "tool_progress" ||
    event.type === "artifact_delta"
  );
}

/** The text that a delta adds. */
export function addedText(event: DeltaEvent): string {
  switch (event.type) {
    case "content_delta":
      return event.choices[0].delta.content;
    case "reasoning_delta":
      return event.choices[0].delta.reasoning_content;
    case "tool_progress":
      return event.chunk ?? "";
    case "artifact_delta":
      return event.delta;
  }
}

/** One event that says what the two say, or undefined where they do not belong together or would grow too long. */
export function merged(first: DeltaEvent, second: DeltaEvent): DeltaEvent | undefined {
  const text = addedText(first) + addedText(second);
  if (text.length > LONGEST_MERGED_TEXT) return undefined;
  if (first.type === "content_delta" && second.type === "content_delta") return contentDelta(text);
  if (first.type === "reasoning_delta" && second.type === "reasoning_delta") return reasoningDelta(text);
  if (first.type === "artifact_delta" && second.type === "artifact_delta") {
    const same = first.toolCallId === second.toolCallId && first.artifactId === second.artifactId;
    return same ? { ...second, delta: text } : undefined;
  }
  if (first.type === "tool_progress" && second.type === "tool_progress") {
    return continues(first, second) ? { ...second, chunk: text } : undefined;
  }
  return undefined;
}

/** Only streamed output merges; a new message or phase is news of its own. */
function continues(first: EventOf<"tool_progress">, second: EventOf<"tool_progress">): boolean {
  return (
    first.toolCallId === second.toolCallId &&
    first.message === second.message &&
    first.phase === second.phase &&
    first.chunk !== undefined &&
    second.chunk !== undefined
  );
}
