import { type ChatEvent, contentDelta, type EventOf, reasoningDelta } from "../protocol/events.ts";
import { GrowingText } from "../protocol/growing-text.ts";

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
  if (!belongTogether(first, second)) return undefined;
  const text = addedText(first) + addedText(second);
  return text.length > LONGEST_MERGED_TEXT ? undefined : withText(second, text);
}

/** Text of adjacent deltas, in one piece where it is asked for and cheap to add to until then. */
export class MergingDeltas {
  #last: DeltaEvent | undefined;
  #text = new GrowingText();

  /** False where the event does not go on from those before it, or these have grown long: they must be taken first. */
  add(event: DeltaEvent): boolean {
    if (this.#last && !belongTogether(this.#last, event)) return false;
    if (this.#text.length > LONGEST_MERGED_TEXT) return false;
    this.#last = event;
    this.#text.add(addedText(event));
    return true;
  }

  /** One event that says what all of them said. */
  take(): DeltaEvent | undefined {
    const event = this.#last && withText(this.#last, this.#text.toString());
    this.#last = undefined;
    this.#text = new GrowingText();
    return event;
  }
}

function withText(event: DeltaEvent, text: string): DeltaEvent {
  switch (event.type) {
    case "content_delta":
      return contentDelta(text);
    case "reasoning_delta":
      return reasoningDelta(text);
    case "artifact_delta":
      return { ...event, delta: text };
    case "tool_progress":
      return event.chunk === undefined ? event : { ...event, chunk: text };
  }
}

function belongTogether(first: DeltaEvent, second: DeltaEvent): boolean {
  switch (first.type) {
    case "content_delta":
    case "reasoning_delta":
      return first.type === second.type;
    case "artifact_delta":
      return (
        second.type === "artifact_delta" &&
        first.toolCallId === second.toolCallId &&
        first.artifactId === second.artifactId
      );
    case "tool_progress":
      return second.type === "tool_progress" && continues(first, second);
  }
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
