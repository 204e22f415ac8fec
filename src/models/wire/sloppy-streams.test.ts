import { describe, expect, test } from "vitest";
import { Failure } from "../../protocol/failure.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import type { Dialect } from "../../protocol/provider.ts";
import { openAnswer } from "./answer.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { gemini } from "./gemini.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { replay, replayWhole, sseOf, summarize, testContext } from "./testing/replay.ts";

const chunk = (delta: object, finish?: string) => ({ choices: [{ delta, finish_reason: finish ?? null }] });
const chatFinish = chunk({}, "stop");
const geminiText = (text: string, finishReason?: string) => ({
  candidates: [{ content: { parts: [{ text }] }, finishReason }],
});

/** What each dialect sends up to the reason why an answer ended, without the marker of the end. */
const WHOLE: [Dialect, object[]][] = [
  [openaiChat, [chunk({ content: "Hi" }), chatFinish]],
  [
    anthropicMessages,
    [
      { type: "message_start", message: { id: "msg_1" } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
    ],
  ],
  [gemini, [geminiText("Hi", "STOP")]],
];

describe.each(WHOLE.map(([dialect, values]) => ({ id: dialect.id, dialect, values })))(
  "an answer in $id whose reason to end has arrived",
  ({ dialect, values }) => {
    test.each([
      ["nothing", ""],
      ["garbage", "data: <html>\n\ndata: {{\n\n"],
      ["half an event", 'data: {"usage":{"tot'],
      ["[DONE]", "data: [DONE]\n\n"],
    ])("is whole if %s follows", (_, tail) => {
      const { text, finish, failure } = replay(dialect, sseOf(values, tail));
      expect([text, finish?.reason, failure]).toEqual(["Hi", "stop", undefined]);
    });

    test("is whole if the connection breaks, but not if the person stops it", () => {
      for (const retryable of [true, false]) {
        const events: ModelEvent[] = [];
        const request = { messages: [], tools: [] };
        const answer = openAnswer(dialect, testContext(), request, (event) => events.push(event));
        for (const value of values) answer.frame(JSON.stringify(value), undefined);
        answer.fail(new Failure("UPSTREAM_ERROR", "The connection broke.", { retryable }));
        expect(summarize(events).finish?.reason).toBe(retryable ? "stop" : undefined);
      }
    });

    test("is broken off if half an event comes before that reason", () => {
      const early = values.slice(0, -1).map((value) => `data: ${JSON.stringify(value)}\n\n`);
      const { failure } = replay(dialect, `${early.join("")}data: {"cand`);
      expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    });
  },
);

test.each(["data: ping\n\n", "event: keepalive\ndata: keep-alive\n\n", "data: null\n\n", "data: 1\n\n"])(
  "%j between events keeps the connection open, and is no part of the answer",
  (word) => {
    const stream = sseOf([chunk({ content: "He" })], word) + sseOf([chunk({ content: "llo" }), chatFinish]);
    expect(replay(openaiChat, stream)).toMatchObject({ text: "Hello", finish: { reason: "stop" } });
  },
);

test.each(["data:  [DONE]\n\n", "data:\t[DONE]\r\n\r\n", "data: [DONE] \n\n"])(
  "%j is the end of an answer that gives no reason to end",
  (end) => {
    expect(replay(openaiChat, sseOf([chunk({ content: "Hi" })], end))).toMatchObject({
      text: "Hi",
      finish: { reason: "stop" },
    });
  },
);

test("events that a proxy wrapped in events are read", () => {
  const stream = sseOf([chunk({ content: "Hi" }), chatFinish]).replaceAll("data:", "data: data:");
  expect(replay(openaiChat, stream)).toMatchObject({ text: "Hi", finish: { reason: "stop" } });
});

test("a last message that repeats what was streamed is not said twice", () => {
  const whole = { choices: [{ message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }] };
  expect(replay(openaiChat, sseOf([chunk({ content: "Hel" }), chunk({ content: "lo" }), whole])).text).toBe(
    "Hello",
  );
  expect(replay(openaiChat, sseOf([chunk({ role: "assistant" }), whole])).text).toBe("Hello");
});

test("a whole answer with an empty delta beside its message is that message", () => {
  const message = { role: "assistant", content: "Hello" };
  const choice = { message, delta: { role: "assistant", content: "" }, finish_reason: "stop" };
  expect(replayWhole(openaiChat, { choices: [choice] }).text).toBe("Hello");
});

test.each([{ message: "Out of memory." }, { error: { message: "Out of memory." } }])(
  "an error in its own field, %j, is the vendor's",
  (error) => {
    const stream = `${sseOf([chunk({ content: "Hel" })], "")}error: ${JSON.stringify(error)}\n\n`;
    expect(replay(openaiChat, stream).failure?.publicMessage).toContain("Out of memory.");
  },
);

test("content may be one part, and a thought a text", () => {
  const thought = { type: "thinking", thinking: "Hm." };
  const values = [chunk({ content: [thought] }), chunk({ content: { type: "text", text: "Hi" } }, "stop")];
  expect(replay(openaiChat, sseOf(values))).toMatchObject({ reasoning: "Hm.", text: "Hi" });
  const other = [
    chunk(
      {
        content: [
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "Hi" },
        ],
      },
      "stop",
    ),
  ];
  expect(replay(openaiChat, sseOf(other))).toMatchObject({ reasoning: "Hm.", text: "Hi" });
});

test("calls that are numbered in texts are kept apart", () => {
  const piece = (index: string, id: string | undefined, name: string | undefined, text: string) =>
    chunk({ tool_calls: [{ index, id, function: { name, arguments: text } }] });
  const values = [
    piece("0", "a", "one", ""),
    piece("1", "b", "two", ""),
    piece("0", undefined, undefined, '{"x":1}'),
    piece("1", undefined, undefined, '{"y":2}'),
    chunk({}, "tool_calls"),
  ];
  const { calls } = replay(openaiChat, sseOf(values));
  expect(calls.map(({ id, arguments: text }) => [id, text])).toEqual([
    ["a", '{"x":1}'],
    ["b", '{"y":2}'],
  ]);
});

test.each([
  ["beside the choices of Groq", { x_groq: { usage: { prompt_tokens: 3, completion_tokens: 4 } } }],
  ["under the names of Responses", { usage: { input_tokens: 3, output_tokens: 4 } }],
])("usage %s is counted", (_, more) => {
  const values = [chunk({ content: "Hi" }), { ...chatFinish, ...more }];
  expect(replay(openaiChat, sseOf(values)).usage).toMatchObject({ inputTokens: 3, outputTokens: 4 });
});

test("arguments of any form become the object that was meant, in every dialect", () => {
  const meant = '{"city":"Oslo"}';
  const twice = JSON.stringify(meant);
  const call = { id: "a", type: "tool_use", name: "look", input: {} };
  const item = { type: "function_call", call_id: "a", name: "look", arguments: "" };
  const part = (name: string, args: string) => ({ functionCall: { name, args } });
  const streams: [Dialect, string][] = [
    [
      openaiChat,
      sseOf([chunk({ tool_calls: [{ function: { name: "look", arguments: twice } }] }, "tool_calls")]),
    ],
    [
      anthropicMessages,
      sseOf([
        { type: "content_block_start", index: 0, content_block: call },
        { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: twice } },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
      ]),
    ],
    [
      anthropicMessages,
      sseOf([
        { type: "content_block_start", index: 0, content_block: { ...call, input: meant } },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
      ]),
    ],
    [gemini, sseOf([{ candidates: [{ content: { parts: [part("look", meant)] }, finishReason: "STOP" }] }])],
    [
      openaiResponses,
      sseOf([
        { type: "response.output_item.added", output_index: 0, item },
        {
          type: "response.function_call_arguments.done",
          output_index: 0,
          arguments: JSON.parse(meant) as object,
        },
        { type: "response.completed", response: { output: [] } },
      ]),
    ],
    [
      ollama,
      `${JSON.stringify({ message: { tool_calls: [{ function: { name: "look", arguments: twice } }] }, done: true })}\n`,
    ],
  ];
  const read = streams.map(([dialect, stream]) => replay(dialect, stream).calls[0]?.arguments);
  expect(read).toEqual(streams.map(() => meant));
});

describe("an error in a form of its vendor's own, with status 200,", () => {
  const said = "Capacity temporarily exceeded";
  const forms = [
    { detail: said },
    { code: 500, msg: said, success: false },
    { error_code: 336_000, error_msg: said },
    { errors: [{ code: 3040, message: said }], result: null },
    { base_resp: { status_code: 1000, status_msg: said } },
    { object: "error", message: said, type: "internal_server_error" },
    { type: "about:blank", title: said, status: 503 },
    [{ error: { code: 503, message: said } }],
  ];
  const dialects = [openaiChat, anthropicMessages, openaiResponses, gemini, ollama];

  test.each(dialects.map((dialect) => [dialect.id, dialect] as const))("is quoted in %s", (_, dialect) => {
    for (const form of forms) {
      const event = dialect.sendsLines ? `${JSON.stringify(form)}\n` : sseOf([form], "");
      const ways = [replay(dialect, event), replay(dialect, `${event}data: [DONE]\n\n`)];
      if (!dialect.sendsLines)
        ways.push(replay(dialect, `event: error\n${event}`), replayWhole(dialect, form));
      for (const { failure } of ways) expect(failure?.message, JSON.stringify(form)).toContain(said);
    }
  });

  test.each(WHOLE.map(([dialect, values]) => [dialect.id, dialect, values] as const))(
    "is quoted in the middle of an answer in %s, and does not spoil one that goes on",
    (_, dialect, values) => {
      const begun = [...values.slice(0, -1), { detail: "Insufficient balance" }];
      expect(replay(dialect, sseOf(begun)).failure).toMatchObject({
        code: "UPSTREAM_ERROR",
        retryable: false,
      });
      const { text, failure } = replay(dialect, sseOf([{ message: "Please wait" }, ...values]));
      expect([text, failure]).toEqual(["Hi", undefined]);
    },
  );
});

test.each(["reasoning_text", "thinking", "thinking_content", "thought"])(
  "thinking in %s is read, as a text or an object",
  (field) => {
    const values = [
      chunk({ [field]: "Let me " }),
      chunk({ [field]: { content: "see" } }),
      chunk({ content: "Hi" }),
    ];
    expect(replay(openaiChat, sseOf([...values, chatFinish]))).toMatchObject({
      reasoning: "Let me see",
      text: "Hi",
    });
  },
);

test.each(["<thinking>Hm</thinking>", "<thought>Hm</thought>", "[THINK]Hm[/THINK]", "◁think▷Hm◁/think▷"])(
  "%s at the start is reasoning, however it is split",
  (thought) => {
    const context = testContext({ quirks: { thinkTags: true } });
    for (const pieces of [
      [thought, "Hi"],
      [...thought, "Hi"],
      [`${thought}\n`, "\nHi"],
    ]) {
      const stream = sseOf([...pieces.map((content) => chunk({ content })), chatFinish]);
      expect(replay(openaiChat, stream, 4096, context)).toMatchObject({ reasoning: "Hm", text: "Hi" });
    }
    expect(
      replay(openaiChat, sseOf([chunk({ content: "<thin" }), chunk({ content: "k" }), chatFinish])).text,
    ).toBe("<think");
  },
);

test("the name of an offered tool may come in pieces", () => {
  const tools = ["get", "look", "get_time"].map((name) => ({ name, description: "", parameters: {} }));
  const called = (...calls: object[]) => {
    const stream = sseOf([...calls.map((call) => chunk({ tool_calls: [call] })), chunk({}, "tool_calls")]);
    const { calls: read } = replay(openaiChat, stream, 4096, testContext(), { messages: [], tools });
    return read.map(({ name, arguments: given }) => [name, given]);
  };
  const piece = (name: string, given = "") => ({ index: 0, function: { name, arguments: given } });
  const first = (name: string) => ({ ...piece(name), id: "c1" });
  const rest = { index: 0, function: { arguments: '{"a":1}' } };
  const whole = [["get_time", '{"a":1}']];
  expect(called(first("ge"), piece("t_ti"), piece("me"), rest)).toEqual(whole);
  expect(called(first("get_"), piece("time", '{"a":1}'))).toEqual(whole);
  expect(called(first("get_"), first("time"), rest)).toEqual(whole);
  expect(called(first("get_time"), first("get_time"), rest)).toEqual(whole);
  // Servers that number every call 0 mean two calls.
  expect(called(first("get"), piece("look", '{"a":1}'))).toEqual([
    ["get", "{}"],
    ["look", '{"a":1}'],
  ]);
  expect(called(first("some"), piece("thing"))).toEqual([
    ["some", "{}"],
    ["thing", "{}"],
  ]);
});

test("JSON that a gateway writes between events as it is, is read", () => {
  const events = `data: ${JSON.stringify(chunk({ content: "Hi" }))}\n\n`;
  for (const error of ['{"error":{"message":"No capacity","code":503}}', '{"error": "No capacity"}']) {
    const { text, failure } = replay(openaiChat, `${events}${error}\n`);
    expect([text, failure?.publicMessage]).toEqual(["Hi", expect.stringContaining("No capacity")]);
  }
  const lines = [chunk({ content: "H" }), chunk({ content: "i" }), chatFinish].map((value) =>
    JSON.stringify(value),
  );
  expect(replay(openaiChat, lines.join("\n"))).toMatchObject({ text: "Hi", finish: { reason: "stop" } });
});

test("what servers leave around the name of an offered tool is removed", () => {
  const tools = [
    { name: "browser.search", description: "", parameters: {} },
    { name: "look", description: "", parameters: {} },
  ];
  const called = (name: string) => {
    const stream = sseOf([chunk({ tool_calls: [{ function: { name, arguments: "{}" } }] }, "tool_calls")]);
    return replay(openaiChat, stream, 4096, testContext(), { messages: [], tools }).calls[0]?.name;
  };
  const names = [
    "functions.look",
    "functions.look:0",
    "default_api:look",
    " look ",
    "look<|channel|>commentary",
    "functions.browser_search",
  ];
  expect(names.map(called)).toEqual(["look", "look", "look", "look", "look", "browser.search"]);
  expect(["functions.other", "<|look"].map(called)).toEqual(["functions.other", "<|look"]);
});
