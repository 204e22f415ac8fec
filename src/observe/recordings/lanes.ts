import type { ChatEvent } from "../../protocol/events.ts";

/** Returns the sequence that an event belongs to: events of calls that run side by side arrive in any order. */
export function laneOf(event: ChatEvent): string {
  if (event.type === "reasoning_status") return event.type;
  return "toolCallId" in event ? event.toolCallId : "";
}
