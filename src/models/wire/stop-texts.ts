import type { AssistantPart } from "../../protocol/messages.ts";
import type { EmitModelEvent } from "../../protocol/model.ts";
import { ignoreUnknown } from "../../protocol/unknown.ts";

/**
 * Ends an answer where the model writes a stop text, for vendors that do not support them. The rest of the answer is still
 * read for its usage, but dropped, including calls.
 */
export function endingAt(stops: readonly string[], emit: EmitModelEvent): EmitModelEvent {
  let held = "";
  let stopped = false;
  return (event) => {
    switch (event.type) {
      case "text_delta": {
        if (stopped) return;
        if (event.block) {
          emit(event);
          return;
        }
        const { before, found, rest } = look(held + event.text, stops);
        stopped = found;
        held = rest;
        if (before !== "") emit({ type: "text_delta", text: before });
        return;
      }
      case "reasoning_delta":
        if (!stopped) emit(event);
        return;
      case "finish": {
        if (!stopped && held !== "") emit({ type: "text_delta", text: held });
        const end = cut(event.parts, stops);
        emit(end ? { ...event, reason: "stop", rawReason: "stop text", ...end } : event);
        return;
      }
      case "usage":
      case "warning":
      case "failure":
        emit(event);
        return;
      default:
        ignoreUnknown(event, undefined);
    }
  };
}

/** Splits off an end that could be the beginning of a stop text, and must be held back. */
function look(text: string, stops: readonly string[]): { before: string; found: boolean; rest: string } {
  const at = firstOf(text, stops);
  if (at !== -1) return { before: text.slice(0, at), found: true, rest: "" };
  const longest = Math.max(...stops.map((stop) => stop.length)) - 1;
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end)))
      return { before: text.slice(0, -length), found: false, rest: end };
  }
  return { before: text, found: false, rest: "" };
}

/** Returns the parts up to the stop text, and that text. Undefined if there is none. */
function cut(
  parts: readonly AssistantPart[],
  stops: readonly string[],
): { parts: AssistantPart[]; stopSequence?: string } | undefined {
  const kept: AssistantPart[] = [];
  for (const part of parts) {
    const at = part.type === "text" ? firstOf(part.text, stops) : -1;
    if (part.type === "text" && at !== -1) {
      const stopSequence = stops.find((stop) => part.text.startsWith(stop, at));
      return { parts: [...kept, { ...part, text: part.text.slice(0, at) }], stopSequence };
    }
    kept.push(part);
  }
  return undefined;
}

function firstOf(text: string, stops: readonly string[]): number {
  const places = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1);
  return places.length === 0 ? -1 : Math.min(...places);
}
