// Only types: the schemas beside them would bring zod into the web app.
import type { ChatEvent, EventOf } from "./events.ts";
import { GrowingText } from "./growing.ts";
import { ignoreUnknown } from "./unknown.ts";

/** Events that append to something: they may be delayed a moment and merged. */
export type DeltaEvent = EventOf<"content_delta" | "reasoning_delta" | "tool_progress" | "artifact_delta">;

const MAX_MERGED_LENGTH = 16_384;

/** Returns true for events that append to something. */
export function isDelta(event: ChatEvent): event is DeltaEvent {
  return (
    event.type === "content_delta" ||
    event.type === "reasoning_delta" ||
    event.type === "tool_progress" ||
    event.type === "artifact_delta"
  );
}

/** The event for a piece of the answer's text. */
export function contentDelta(content: string): EventOf<"content_delta"> {
  return { type: "content_delta", choices: [{ index: 0, delta: { content } }] };
}

/** The event for a piece of the model's reasoning. */
export function reasoningDelta(text: string): EventOf<"reasoning_delta"> {
  return { type: "reasoning_delta", choices: [{ index: 0, delta: { reasoning_content: text } }] };
}

const ENCODED_TEXT = '{"type":"content_delta","choices":[{"index":0,"delta":';
const ENCODED_REASONING = '{"type":"reasoning_delta","choices":[{"index":0,"delta":';
const ENCODED_END = '"}}]}';

/**
 * Returns the `delta` of an encoded event that appends text or reasoning and holds nothing else, still encoded; undefined for
 * other events. Most events are such pieces, and taking them apart would cost more than all the rest of sending them.
 */
export function encodedDelta(json: string): string | undefined {
  if (!json.endsWith(ENCODED_END)) return undefined;
  if (json.startsWith(ENCODED_TEXT)) return json.slice(ENCODED_TEXT.length, -3);
  return json.startsWith(ENCODED_REASONING) ? json.slice(ENCODED_REASONING.length, -3) : undefined;
}

/** Returns the text that a delta appends. */
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
    default:
      return ignoreUnknown(event, "");
  }
}

/** Merges two adjacent deltas; undefined where they append to different things or the text would grow too long. */
export function mergeDeltas(
  first: ChatEvent,
  second: ChatEvent,
  maxLength = MAX_MERGED_LENGTH,
): DeltaEvent | undefined {
  if (!isDelta(first) || !isDelta(second) || !appendToSame(first, second)) return undefined;
  const text = addedText(first) + addedText(second);
  return text.length > maxLength ? undefined : withText(second, text);
}

/** Collects adjacent deltas and merges them only when they are taken. */
export class MergingDeltas {
  #last: DeltaEvent | undefined;
  #text = new GrowingText();

  /** Returns false if the event does not continue the collected ones or these are long enough: take them first. */
  add(event: DeltaEvent): boolean {
    if (this.#last && !appendToSame(this.#last, event)) return false;
    if (this.#text.length > MAX_MERGED_LENGTH) return false;
    this.#last = event;
    this.#text.add(addedText(event));
    return true;
  }

  /** Removes and returns the collected deltas as one event. */
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
      return { ...event, choices: [{ index: 0, delta: { content: text } }] };
    case "reasoning_delta":
      return { ...event, choices: [{ index: 0, delta: { reasoning_content: text } }] };
    case "artifact_delta":
      return { ...event, delta: text };
    case "tool_progress":
      return event.chunk === undefined ? event : { ...event, chunk: text };
    default:
      return ignoreUnknown(event, event);
  }
}

function appendToSame(first: DeltaEvent, second: DeltaEvent): boolean {
  if (first.type === "artifact_delta" && second.type === "artifact_delta")
    return first.toolCallId === second.toolCallId && first.artifactId === second.artifactId;
  // Only streamed output merges; a new message or phase must stay visible.
  if (first.type === "tool_progress" && second.type === "tool_progress")
    return (
      first.toolCallId === second.toolCallId &&
      first.message === second.message &&
      first.phase === second.phase &&
      first.chunk !== undefined &&
      second.chunk !== undefined
    );
  return first.type === second.type && !isClosed(first) && !isClosed(second);
}

/** True for a delta with more than text, which stays at its place. */
function isClosed(event: DeltaEvent): boolean {
  if (event.type === "content_delta") return event.block !== undefined;
  return event.type === "reasoning_delta" && (event.signature ?? event.redacted) !== undefined;
}
