import { afterEach, describe, expect, it, vi } from "vitest";
import { contentDelta, reasoningDelta } from "../../../protocol/deltas.ts";
import type { ChatEvent, EventOf } from "../../../protocol/events.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { Message } from "../../../protocol/messages.ts";
import type { RecalledTurn, TurnRequest, Turns } from "../../../protocol/turns.ts";
import { ManualRun, startTestApp, type TestApp } from "../../testing/app.ts";
import { post } from "../../testing/wire.ts";
import { frameEncoder } from "../frames.ts";
import { ChatChunks } from "./chat-chunks.ts";
import { ChatCompletion } from "./chat-completion.ts";
import { type Refusals, toHistory } from "./history.ts";
import { callId, completionId, readCallId, responseId, runIdOf } from "./ids.ts";
import { ResponseEvents } from "./response-events.ts";

const RUN = "run_AAAAAAAAAAAAAAAAAAAA";
const session: EventOf<"session"> = {
  type: "session",
  sessionId: "ses_1",
  runId: RUN,
  messageId: "msg_1",
  model: "openai/gpt-4o",
  title: "T",
};
const starts = (toolCallId: string, toolName: string): ChatEvent => ({
  type: "tool_call_start",
  toolCallId,
  toolName,
  arguments: { a: 1 },
  textOffset: 0,
});
const results = (toolCallId: string, toolName: string, success = true): ChatEvent => ({
  type: "tool_result",
  toolCallId,
  toolName,
  success,
  latencyMs: 1,
  retryCount: 0,
  cached: false,
  output: `${toolName} of ${toolCallId}`,
});
const done = (finishReason: EventOf<"done">["finishReason"]): ChatEvent => ({
  type: "done",
  finishReason,
  messageId: "msg_1",
  iterations: 1,
  toolCalls: 0,
});
/** Two steps: the first has two server calls, of which the second ends first; the other has one call of each side. */
const EVENTS: ChatEvent[] = [
  session,
  reasoningDelta("Hm."),
  { type: "reasoning_complete", reasoning: "Hm.", steps: [], durationMs: 1 },
  contentDelta("Look. "),
  starts("a", "clock"),
  starts("b", "clock"),
  { type: "tool_executing", toolCallId: "a", toolName: "clock" },
  results("b", "clock"),
  results("a", "clock", false),
  contentDelta("More. "),
  starts("c", "weather"),
  starts("d", "clock"),
  results("d", "clock"),
  { type: "usage", inputTokens: 4, outputTokens: 2 },
  done("client_tools"),
];
const options = {
  created: 1,
  createdAt: 1,
  clientTools: [{ name: "weather" }],
  includeUsage: false,
  echo: {},
  seal: (text: string) => text,
};

describe("a streamed chat completion", () => {
  const text = 'He said "hello" to \\ and\n\u2028 😀 {"}}]}';
  const calls = [starts("call_1", "search"), results("call_1", "search")];
  const blocked: ChatEvent = { ...contentDelta(""), block: { type: "logprobs", content: [{ token: "a" }] } };
  const events: ChatEvent[] = [
    session,
    reasoningDelta(text),
    { ...reasoningDelta("signed"), signature: "s" },
    contentDelta(text),
    blocked,
    ...calls,
    starts("call_2", "search"),
    contentDelta("after a call"),
    contentDelta(""),
    done("stop"),
  ];

  it.each([true, false])(
    "has the same bytes whether or not text is taken apart (usage: %s)",
    (includeUsage) => {
      const encoded = events.map((event, index) => ({ seq: index + 1, json: JSON.stringify(event) }));
      const options = { created: 1, clientTools: [], includeUsage };
      const [whole, passed] = [new ChatChunks(options), new ChatChunks(options)];
      const frame = vi.fn((delta: string) => passed.frame(delta));
      const expected = frameEncoder((event) => whole.take(event)).encode(encoded);
      expect(frameEncoder((event) => passed.take(event), frame).encode(encoded)).toBe(expected);
      // The third follows a call that has to be sent first.
      expect(frame.mock.results.map(({ value }) => value !== undefined)).toEqual([true, true, false, true]);
    },
  );
});

describe("ids", () => {
  it("lead back to the run", () => {
    expect(readCallId(callId(RUN, 3))).toEqual({ runId: RUN, index: 3 });
    expect([completionId(RUN), responseId(RUN), RUN].map(runIdOf)).toEqual([RUN, RUN, RUN]);
    expect(["call_abc", "", "call_AAAAAAAAAAAAAAAAAAAA_x"].map(readCallId)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("chunks", () => {
  it("hold back the calls of a step until all are complete, and number them over the whole answer", () => {
    const chunks = new ChatChunks(options);
    const frames = EVENTS.flatMap((event) => chunks.take(event)) as {
      choices: { delta: Record<string, unknown> }[];
    }[];
    const seen = frames.map(({ choices }) => Object.keys(choices[0]?.delta ?? {})[0] ?? "end");
    expect(seen).toEqual([
      "role",
      "reasoning_content",
      "content",
      "tool_calls",
      "tool_output",
      "tool_output",
      "content",
      "tool_calls",
      "tool_output",
      "end",
    ]);
    expect(frames[7]?.choices[0]?.delta.tool_calls).toMatchObject([
      { index: 2, id: callId(RUN, 2), function: { name: "weather", arguments: '{"a":1}' } },
      { index: 3, id: callId(RUN, 3), function: { name: "clock" } },
    ]);
    expect(frames[4]?.choices[0]?.delta.tool_output).toEqual({
      tool_call_id: callId(RUN, 1),
      name: "clock",
      output: "clock of b",
      status: "success",
    });
    expect(frames.at(-1)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
  });

  it("end after an error", () => {
    const chunks = new ChatChunks(options);
    const error: ChatEvent = {
      type: "error",
      error: "No.",
      code: "UPSTREAM_ERROR",
      requestId: "r",
      retryable: true,
    };
    const frames = [session, error, done("error")].flatMap((event) => chunks.take(event));
    expect(frames.slice(1)).toEqual([
      { error: { message: "No.", type: "server_error", code: "upstream_error", param: null } },
    ]);
  });
});

describe("a whole completion", () => {
  it("lists what happened in order, and asks the client only for its own calls", () => {
    const completion = new ChatCompletion(options);
    for (const event of EVENTS) completion.take(event);
    const body = completion.body() as {
      tool_events: { type: string; value: { id?: string; tool_call_id?: string } }[];
    };
    expect(body).toMatchObject({
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            content: "Look. More. ",
            tool_calls: [{ id: callId(RUN, 2), function: { name: "weather" } }],
          },
        },
      ],
      conversation: { id: "ses_1", run_id: RUN, message_id: "msg_1", title: "T" },
      usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
    });
    expect(
      body.tool_events.map(({ type, value }) => [type, (value.id ?? value.tool_call_id ?? "").slice(-1)]),
    ).toEqual([
      ["text", ""],
      ["tool_call", "0"],
      ["tool_call", "1"],
      ["tool_output", "1"],
      ["tool_output", "0"],
      ["text", ""],
      ["tool_call", "2"],
      ["tool_call", "3"],
      ["tool_output", "3"],
    ]);
  });
});

describe("events of a response", () => {
  it("are the same every time, and end with the complete response", () => {
    const make = () => {
      const response = new ResponseEvents({ ...options, completedAt: 2 });
      return { response, events: EVENTS.flatMap((event) => response.take(event)) };
    };
    const { response, events } = make();
    expect(make().events).toEqual(events);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "response.completed", response: response.response() });
    const items = events.filter(({ type }) => type === "response.output_item.done");
    const byPlace = items.sort((one, other) => Number(one.output_index) - Number(other.output_index));
    expect(response.response().output).toEqual(byPlace.map(({ item }) => item));
    expect(byPlace.map(({ item }) => (item as { type: string }).type)).toEqual([
      "reasoning",
      "message",
      "mcp_call",
      "mcp_call",
      "message",
      "function_call",
      "mcp_call",
    ]);
    const content = [{ type: "text", text: "clock of a" }];
    const error = { type: "mcp_tool_execution_error", content };
    expect(byPlace[2]?.item).toMatchObject({ status: "failed", error, output: null });
  });

  it("close everything that a stop left open", () => {
    const response = new ResponseEvents(options);
    const events = [session, contentDelta("Hel"), starts("a", "clock"), done("cancelled")].flatMap((event) =>
      response.take(event),
    );
    expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response: { status: "cancelled" } });
    expect(events.filter(({ type }) => type.endsWith("output_item.added"))).toHaveLength(2);
    expect(events.filter(({ type }) => type.endsWith("output_item.done"))).toHaveLength(2);
  });
});

describe("a history", () => {
  const answer: Message = {
    id: "msg_1",
    role: "assistant",
    model: "openai/gpt-4o",
    parts: [
      { type: "text", text: "Look. " },
      { type: "tool_call", id: "v1", name: "clock", arguments: "{}", metadata: { kept: true } },
      {
        type: "tool_result",
        toolCallId: "v1",
        toolName: "clock",
        success: true,
        output: "noon",
        trust: "trusted",
      },
      { type: "text", text: "Noon." },
    ],
  };
  const turn = { runId: RUN, answer } as unknown as RecalledTurn;
  const recall = async (runId: string) => (runId === RUN ? turn : undefined);
  const refuse = () => new Failure("INVALID_INPUT", "refused");
  const refusals: Refusals = {
    nothingAsked: refuse,
    unknownCall: refuse,
    answeredTwice: refuse,
    unanswered: refuse,
  };
  const said = (text: string) => ({
    role: "assistant" as const,
    text,
    calls: [{ id: callId(RUN, 0), name: "clock", arguments: "{}" }],
    at: 0,
  });

  it("uses the stored run if the client sends its answer back unchanged", async () => {
    expect(await toHistory([said("Look. Noon.")], refusals, recall)).toEqual([answer]);
    expect(await toHistory([said("")], refusals, recall)).toEqual([answer]);
  });

  it("keeps the client's changed text, and our results", async () => {
    const [message] = await toHistory([said("Rewritten.")], refusals, recall);
    expect(message?.parts).toMatchObject([
      { type: "text", text: "Rewritten." },
      { type: "tool_call", id: callId(RUN, 0) },
      { type: "tool_result", output: "noon" },
    ]);
  });

  it("refuses an unknown server call without a result", async () => {
    await expect(toHistory([said("")], refusals, async () => undefined)).rejects.toThrow("refused");
  });
});

describe("a stream of a slow model", () => {
  let app: TestApp | undefined;
  afterEach(() => app?.server.close());

  it("begins with its metadata, and reports a later failure inside the stream", async () => {
    let run: ManualRun | undefined;
    const turns = {
      async start(request: TurnRequest) {
        const started = { runId: "run_1", sessionId: "ses_1", messageId: "msg_1", model: "demo/demo" };
        run = new ManualRun(started, "local", request);
        app?.runs.push(run);
        return { ...started, clientTools: [] };
      },
    } as unknown as Turns;
    app = await startTestApp({ turnsFor: () => turns, config: { stream: { patienceMs: 10 } } });
    const body = { messages: [{ role: "user", content: "Hi" }], stream: true };
    const response = await post(`${app.url}/v1/chat/completions`, body);
    expect(response.status).toBe(200);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('"conversation":{"id":"ses_1"');
    run?.emit({ type: "error", error: "Too late.", code: "UPSTREAM_ERROR", requestId: "r", retryable: true });
    run?.finish("error");
    let rest = "";
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) rest += read.value;
    expect(rest).toContain('data: {"error":{"message":"Too late."');
    expect(rest.endsWith("data: [DONE]\n\n")).toBe(true);
  });
});
