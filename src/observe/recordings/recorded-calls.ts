import type { ChatEvent } from "../../protocol/events.ts";
import { isObject, parseObject } from "../../protocol/json.ts";
import { REASONING_SOURCE } from "../../protocol/reasoning-steps.ts";
import { type LineOf, linesOf, type RecordedRun } from "./format.ts";

/** A recorded call with everything that followed from it. */
export interface RecordedCall {
  id: string;
  name: string;
  /** As the model wrote them. */
  arguments: string;
  checks: LineOf<"check">[];
  verdict?: LineOf<"verdict">;
  decision?: LineOf<"decision">;
  result?: LineOf<"result">;
  /** What the approver was shown. */
  preview?: string;
  /** What the person was shown while it ran. */
  shown: ChatEvent[];
}

const SHOWN = new Set([
  "tool_progress",
  "question_required",
  "question_answered",
  "artifact_delta",
  "artifact_complete",
  "image_complete",
  "web_search",
]);

/** The calls of a run, in the order in which the model made them. */
export function recordedCalls(run: RecordedRun): RecordedCall[] {
  const calls = linesOf(run, "event").flatMap(({ event }): RecordedCall[] =>
    event.type === "tool_call_start"
      ? [
          {
            id: event.toolCallId,
            name: event.toolName,
            arguments: textOf(event.arguments),
            checks: [],
            shown: [],
          },
        ]
      : [],
  );
  const byId = new Map(calls.map((call) => [call.id, call]));
  let running: RecordedCall | undefined;
  for (const line of run.lines) {
    if (line.type === "event") {
      const { event } = line;
      if (event.type === "tool_executing") running = byId.get(event.toolCallId);
      if (event.type === "tool_approval_required" && event.preview !== undefined) {
        const asked = byId.get(event.toolCallId);
        if (asked) asked.preview = event.preview;
      }
      // It names no call, so it belongs to the latest one, unless it comes from the model.
      if (event.type === "reasoning_status" && event.source !== REASONING_SOURCE) running?.shown.push(event);
      if (SHOWN.has(event.type) && "toolCallId" in event) byId.get(event.toolCallId)?.shown.push(event);
      continue;
    }
    if (!("call" in line)) continue;
    const call = byId.get(line.call);
    if (!call) continue;
    if (line.type === "check") call.checks.push(line);
    if (line.type === "verdict") call.verdict = line;
    if (line.type === "decision") call.decision = line;
    if (line.type === "result") call.result = line;
  }
  return calls;
}

/** True if two calls are equal apart from the order and spacing of their arguments. */
export function sameArguments(left: string, right: string): boolean {
  return canonical(parseObject(left) ?? left) === canonical(parseObject(right) ?? right);
}

function textOf(args: unknown): string {
  return typeof args === "string" ? args : JSON.stringify(args ?? {});
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "undefined";
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}
