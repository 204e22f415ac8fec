import { mergeDeltas } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import type { AssistantPart, Message } from "../../protocol/messages.ts";
import { REASONING_SOURCE } from "../../protocol/reasoning-steps.ts";
import { laneOf } from "./lanes.ts";
import { sameArguments } from "./recorded-calls.ts";

/** One difference between a replay and its recording. */
export interface Difference {
  run: number;
  /** What differs: `result of get_time, output`. */
  where: string;
  /** Absent if there was nothing then, or is nothing now. */
  recorded?: string;
  now?: string;
}

const TIMES = ["latencyMs", "durationMs", "expiresAt", "retryAfterMs"];
/** Fields that differ in every run, or follow from others. */
const VOLATILE = new Set([...TIMES, "steps", "argumentsHash", "requestId", "textOffset", "contextWindow"]);
const NOTHING = "nothing";

type Found = Omit<Difference, "run">;

/** Compares events call by call, because parallel calls may arrive in another order. */
export function compareEvents(recorded: readonly ChatEvent[], now: readonly ChatEvent[]): Found[] {
  const before = lanesOf(recorded);
  const after = lanesOf(now);
  const lanes = new Set([...before.keys(), ...after.keys()]);
  return [...lanes].flatMap((lane) => compareLane(before.get(lane) ?? [], after.get(lane) ?? []));
}

function lanesOf(events: readonly ChatEvent[]): Map<string, ChatEvent[]> {
  const lanes = new Map<string, ChatEvent[]>();
  const usage: ChatEvent[] = [];
  for (const event of events) {
    if (event.type === "usage") {
      usage.splice(0, 1, event); // A running total: only the last one matters.
      continue;
    }
    if (isDerived(event)) continue;
    const name = event.type === "reasoning_delta" ? event.type : laneOf(event);
    const lane = lanes.get(name) ?? [];
    lanes.set(name, lane);
    const last = lane.at(-1);
    const merged = last && mergeDeltas(last, event, Number.POSITIVE_INFINITY);
    if (merged) lane.splice(-1, 1, merged);
    else lane.push(event);
  }
  if (usage.length > 0) lanes.set("usage", usage);
  return lanes;
}

/** Steps follow from the text of the reasoning, which is compared itself. */
function isDerived(event: ChatEvent): boolean {
  return (
    event.type === "reasoning_step" ||
    (event.type === "reasoning_status" && event.source === REASONING_SOURCE)
  );
}

function compareLane(recorded: ChatEvent[], now: ChatEvent[]): Found[] {
  const found: Found[] = [];
  for (let at = 0; at < Math.max(recorded.length, now.length); at++) {
    const [before, after] = [recorded[at], now[at]];
    if (before && after && before.type === after.type) {
      found.push(...compareFields(before, after));
      continue;
    }
    const event = before ?? after;
    const where = event ? `${placeOf(event)} and what follows` : "";
    return [...found, { where, recorded: before?.type ?? NOTHING, now: after?.type ?? NOTHING }];
  }
  return found;
}

function compareFields(before: ChatEvent, after: ChatEvent): Found[] {
  if (before.type === "content_delta" && after.type === "content_delta")
    return compareTexts("text", before.choices[0].delta.content, after.choices[0].delta.content);
  if (before.type === "reasoning_delta" && after.type === "reasoning_delta")
    return compareTexts(
      "reasoning",
      before.choices[0].delta.reasoning_content,
      after.choices[0].delta.reasoning_content,
    );
  const [left, right] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names]
    .filter((name) => !VOLATILE.has(name))
    .flatMap((name) => compareTexts(`${placeOf(before)}, ${name}`, textOf(left[name]), textOf(right[name])));
}

/** What the model was sent in a step, beyond the history. */
export function compareRequests(recorded: readonly Message[][], now: readonly Message[][]): Found[] {
  const count = Math.max(recorded.length, now.length);
  return Array.from({ length: count }, (_, at) =>
    compareTexts(`what the model was told in step ${at + 1}`, toldIn(recorded[at]), toldIn(now[at])),
  ).flat();
}

/** Compares two models step by step. */
export function compareSteps(recorded: readonly AssistantPart[][], now: readonly AssistantPart[][]): Found[] {
  const count = Math.max(recorded.length, now.length);
  return Array.from({ length: count }, (_, at): Found[] => {
    const step = `step ${at + 1}`;
    const [before, after] = [recorded[at], now[at]];
    if (!before || !after)
      return [
        { where: step, recorded: before ? sayings(before) : NOTHING, now: after ? sayings(after) : NOTHING },
      ];
    return [
      ...compareTexts(`${step}, text`, textIn(before), textIn(after)),
      ...compareCalls(step, before, after),
    ];
  }).flat();
}

function compareCalls(step: string, recorded: AssistantPart[], now: AssistantPart[]): Found[] {
  const [before, after] = [callsIn(recorded), callsIn(now)];
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at): Found[] => {
    const [left, right] = [before[at], after[at]];
    if (left && right && left.name === right.name && sameArguments(left.arguments, right.arguments))
      return [];
    const shown = (call: typeof left) => (call ? `${call.name} ${call.arguments}` : NOTHING);
    return [{ where: `${step}, call ${at + 1}`, recorded: shown(left), now: shown(right) }];
  }).flat();
}

function compareTexts(where: string, recorded: string, now: string): Found[] {
  return recorded === now ? [] : [{ where, recorded, now }];
}

function placeOf(event: ChatEvent): string {
  const words: Partial<Record<ChatEvent["type"], string>> = {
    tool_call_start: "call of",
    tool_approval_required: "approval of",
    tool_executing: "start of",
    tool_result: "result of",
    tool_progress: "progress of",
  };
  const word = words[event.type] ?? event.type;
  return "toolName" in event ? `${word} ${event.toolName}` : word;
}

function textOf(value: unknown): string {
  if (value === undefined) return NOTHING;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function textIn(parts: AssistantPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function callsIn(parts: AssistantPart[]) {
  return parts.flatMap((part) => (part.type === "tool_call" ? [part] : []));
}

function sayings(parts: AssistantPart[]): string {
  const calls = callsIn(parts).map((call) => `${call.name} ${call.arguments}`);
  return [textIn(parts), ...calls].filter((text) => text !== "").join("\n");
}

/** Without what is only for ourselves. */
function toldIn(messages: Message[] | undefined): string {
  if (!messages) return NOTHING;
  const parts = messages.flatMap((message) => message.parts);
  return parts.map((part) => JSON.stringify({ ...part, messageId: undefined, file: undefined })).join("\n");
}
