import { EventSchemas } from "@ag-ui/core/schemas";
import { expect, it } from "vitest";
import { contentDelta, reasoningDelta } from "../../../protocol/deltas.ts";
import type { ChatEvent } from "../../../protocol/events.ts";
import { pausingStream } from "../front-ends/pausing-stream.ts";
import { type AgUiEvent, AgUiEvents } from "./ag-ui-events.ts";

const session: ChatEvent = {
  type: "session",
  sessionId: "ses_1",
  runId: "run_AAAAAAAAAAAAAAAAAAAA",
  messageId: "msg_1",
  model: "demo/demo",
  title: "A title",
};
const done = (finishReason: "stop" | "cancelled" | "client_tools" = "stop"): ChatEvent => {
  return { type: "done", finishReason, messageId: "msg_1", iterations: 1, toolCalls: 0 };
};

/** The events that a client reads, each checked by AG-UI's own schema. */
function eventsOf(events: ChatEvent[], options: { isOld?: boolean; state?: object } = {}): AgUiEvent[] {
  const encoder = new AgUiEvents({ threadId: "t", runId: "r", clientTools: ["theirs"], ...options });
  const frames = pausingStream(encoder, { end: "" });
  const text = frames.encode(events.map((event, index) => ({ seq: index + 1, json: JSON.stringify(event) })));
  const made = text
    .split("\n\n")
    .flatMap((frame) => (frame ? [JSON.parse(frame.slice(6)) as AgUiEvent] : []));
  for (const event of made) EventSchemas.parse(event);
  return made;
}

const types = (events: AgUiEvent[]) => events.map(({ type }) => type);

it("everything that begins also ends, even if the run breaks off", () => {
  expect(types(eventsOf([session, reasoningDelta("Hm"), contentDelta("Yes"), done()]))).toEqual([
    "RUN_STARTED",
    "CUSTOM",
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_END",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "RUN_FINISHED",
  ]);
  const error: ChatEvent = {
    type: "error",
    error: "It broke.",
    code: "INTERNAL",
    requestId: "1",
    retryable: false,
  };
  expect(types(eventsOf([session, contentDelta("Yes"), error, done()])).slice(-2)).toEqual([
    "TEXT_MESSAGE_END",
    "RUN_ERROR",
  ]);
});

const call: ChatEvent = {
  type: "tool_call_start",
  toolCallId: "a",
  toolName: "theirs",
  arguments: {},
  textOffset: 0,
};

it("a stopped run is cancelled, and a run with client calls names them", () => {
  expect(eventsOf([session, done("cancelled")]).at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
  expect(eventsOf([session, call, done("client_tools")]).at(-1)).toMatchObject({
    outcome: { type: "success", pendingToolCallIds: ["call_AAAAAAAAAAAAAAAAAAAA_0"] },
  });
});

it("clients before version 1 get only outcomes and fields that they know", () => {
  const stopped = eventsOf([session, done("cancelled")], { isOld: true }).at(-1);
  expect(stopped).not.toHaveProperty("outcome");
  expect(stopped).toMatchObject({ result: { finishReason: "cancelled" } });
  const called = eventsOf([session, call, done("client_tools")], { isOld: true }).at(-1);
  expect(called?.outcome).toEqual({ type: "success" });
  expect(called).toMatchObject({ result: { pendingToolCallIds: ["call_AAAAAAAAAAAAAAAAAAAA_0"] } });
});

it("the application's state is repeated", () => {
  const [, state] = eventsOf([session, done()], { state: { city: "Oslo" } });
  expect(state).toEqual({ type: "STATE_SNAPSHOT", snapshot: { city: "Oslo" } });
});

it("events that AG-UI does not have are sent under our own name", () => {
  const warning: ChatEvent = { type: "warning", code: "W", message: "Careful." };
  expect(eventsOf([session, warning, done()])).toContainEqual({
    type: "CUSTOM",
    name: "tackle.warning",
    value: { code: "W", message: "Careful." },
  });
});
