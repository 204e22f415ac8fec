import { existsSync, readFileSync } from "node:fs";
import type { Failure } from "../../../protocol/failure.ts";
import type { AssistantPart, ToolCallPart } from "../../../protocol/messages.ts";
import type { ModelEvent, ModelRequest, Usage } from "../../../protocol/model.ts";
import type { Dialect, DialectContext } from "../../../protocol/provider.ts";
import { openAnswer } from "../answer.ts";
import { createFrameReader } from "../body.ts";

const STREAMS = new URL("../../../../../shared/corpus/streams/", import.meta.url);

/** A recorded answer of a real provider, and what a correct decoder reads from it. */
export interface Recording {
  file: string;
  dialect: string;
  host: string;
  model: string;
  bytes: Buffer;
  expected: {
    text: string;
    reasoning: string;
    calls: { name: string; arguments: unknown }[];
    error: boolean;
  };
}

/** All recordings of a dialect. Without the corpus it returns none and prints a line about it. */
export function loadRecordings(dialectId: string): Recording[] {
  const index = new URL("index.json", STREAMS);
  if (!existsSync(index)) {
    if (process.env.CI) throw new Error("The recorded streams are missing: ../shared/corpus/streams");
    console.log(`Skipped: no recorded ${dialectId} streams in ../shared/corpus/streams`);
    return [];
  }
  const recordings = JSON.parse(readFileSync(index, "utf8")) as Omit<Recording, "bytes">[];
  return recordings
    .filter((recording) => recording.dialect === dialectId)
    .map((recording) => ({ ...recording, bytes: readFileSync(new URL(recording.file, STREAMS)) }));
}

export interface Replayed {
  events: ModelEvent[];
  text: string;
  reasoning: string;
  calls: ToolCallPart[];
  parts: AssistantPart[];
  usage: Usage | undefined;
  finish: Extract<ModelEvent, { type: "finish" }> | undefined;
  failure: Failure | undefined;
}

const REQUEST: ModelRequest = { messages: [], tools: [] };

/** A context for tests: a plain model of a vendor without quirks, unless some are given. */
export function testContext(overrides: Partial<DialectContext> = {}): DialectContext {
  return { model: { name: "test-model" }, modelId: "test/test-model", quirks: {}, ...overrides };
}

/** Sends an event stream through a dialect in packets of one size, as an exchange does. */
export function replay(
  dialect: Dialect,
  bytes: Uint8Array | string,
  packetSize = 4096,
  context: DialectContext = testContext(),
  request: ModelRequest = REQUEST,
): Replayed {
  const input = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  const events: ModelEvent[] = [];
  const answer = openAnswer(dialect, context, request, (event) => events.push(event));
  const reader = createFrameReader(dialect, { onFrame: answer.frame });
  for (let at = 0; at < input.length; at += packetSize) reader.push(input.subarray(at, at + packetSize));
  reader.end();
  answer.end();
  return summarize(events);
}

/** Passes a whole JSON answer to a dialect instead of a stream. */
export function replayWhole(
  dialect: Dialect,
  body: unknown,
  context: DialectContext = testContext(),
  request: ModelRequest = REQUEST,
): Replayed {
  const events: ModelEvent[] = [];
  const answer = openAnswer(dialect, context, request, (event) => events.push(event));
  answer.whole(body);
  answer.end();
  return summarize(events);
}

/** Summarizes a list of events. */
export function summarize(events: ModelEvent[]): Replayed {
  const finish = events.find((event) => event.type === "finish");
  const parts = finish?.parts ?? [];
  return {
    events,
    text: events.map((event) => (event.type === "text_delta" ? event.text : "")).join(""),
    reasoning: events.map((event) => (event.type === "reasoning_delta" ? event.text : "")).join(""),
    calls: parts.filter((part) => part.type === "tool_call"),
    parts,
    usage: events.findLast((event) => event.type === "usage")?.usage,
    finish,
    failure: events.find((event) => event.type === "failure")?.failure,
  };
}

/** An event stream of these JSON values, ended by `[DONE]` by default. */
export function sseOf(values: unknown[], end = "data: [DONE]\n\n"): string {
  return values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("") + end;
}
