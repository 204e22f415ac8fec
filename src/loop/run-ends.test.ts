import { describe, expect, it } from "vitest";
import type { ChatEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { AssistantPart } from "../protocol/messages.ts";
import type { ModelEvent, ModelInfo } from "../protocol/model.ts";
import { runTurn } from "./run.ts";
import {
  calls,
  memoryLog,
  ofType,
  says,
  scriptedModel,
  type TurnOptions,
  tool,
  turnOver,
} from "./testing/scripted.ts";

const echo = calls({ name: "echo", arguments: "{}" });
const ends = (reason: "stop" | "length" | "content_filter", ...parts: AssistantPart[]): ModelEvent[] => [
  { type: "finish", reason, parts },
];

async function run(scripts: ModelEvent[][], options: TurnOptions = {}) {
  const { model, requests } = scriptedModel(scripts);
  const { turn, events, changes } = turnOver(model, { tools: [tool("echo")], ...options });
  const outcome = await runTurn(turn);
  return { outcome, events, changes, requests, warnings: ofType(events, "warning") };
}

describe("how a turn ends", () => {
  it.each([
    ["length", "OUTPUT_CUT", "The model stopped at its length limit. Say “continue” to go on."],
    [
      "content_filter",
      "CONTENT_FILTER",
      "The model's provider withheld the rest of this answer. Asking in other words may help.",
    ],
  ] as const)("with %s, the person is told", async (reason, code, message) => {
    const { outcome, warnings } = await run([says("Half", reason)]);
    expect(outcome).toMatchObject({ status: "done", finishReason: reason, iterations: 1 });
    expect(warnings).toEqual([{ type: "warning", code, message }]);
  });

  it.each([
    ["length", "reached its length limit"],
    ["content_filter", "was withheld by the provider's filter"],
  ] as const)("with %s, a call is told why it did not run", async (reason, why) => {
    const call = { type: "tool_call", id: "a", name: "echo", arguments: "{}" } as const;
    const { outcome } = await run([ends(reason, call)]);
    expect(outcome.parts.at(-1)).toMatchObject({
      output: `It was not run, because the answer that asked for it ${why}.`,
    });
  });

  it("stops at once where it was cancelled before it began", async () => {
    const { outcome, requests } = await run([says("never")], { signal: AbortSignal.abort() });
    expect(outcome).toEqual({ status: "cancelled", finishReason: "cancelled", parts: [], iterations: 0 });
    expect(requests).toEqual([]);
  });

  it("stops after the calls where it was cancelled during them", async () => {
    const abort = new AbortController();
    const stop = tool("echo", { run: () => `${abort.abort()}` });
    const { outcome, requests } = await run([echo], { tools: [stop], signal: abort.signal });
    expect(outcome).toMatchObject({ status: "cancelled", iterations: 1 });
    expect(requests).toHaveLength(1);
  });

  it("says where the limit is, after the text that there is", async () => {
    const call = { type: "tool_call", id: "a", name: "echo", arguments: "{}" } as const;
    const speaks: ModelEvent[] = [
      { type: "text_delta", text: "Working." },
      ...ends("stop", { type: "text", text: "Working." }, call),
    ];
    const { outcome, events } = await run([speaks], { limits: { maxIterations: 1 } });
    const sentence = "I stopped at the limit of 1 steps for one request. Say “continue” and I will go on.";
    expect(outcome.parts.at(-1)).toEqual({ type: "text", text: `\n\n${sentence}` });
    expect(events.at(-1)).toEqual({ type: "warning", code: "ITERATION_LIMIT", message: sentence });
    const silent = await run([echo], { limits: { maxIterations: 1 } });
    expect(silent.outcome.parts.at(-1)).toEqual({ type: "text", text: sentence });
  });

  it("says so where a model does not stop calling", async () => {
    const { outcome, warnings } = await run([echo], { limits: { maxToolCalls: 1 } });
    const sentence =
      "I stopped at the limit of 1 tool calls for one request. Say “continue” and I will go on.";
    expect(warnings).toEqual([{ type: "warning", code: "TOOL_LIMIT", message: sentence }]);
    const outputs = outcome.parts.flatMap((part) => (part.type === "tool_result" ? [part.output] : []));
    expect(outputs.at(-1)).toBe("No more tool calls in this request.");
    expect(outcome.status).toBe("done");
  });

  it("passes on what the vendor said about a failure", async () => {
    const failure = new Failure("UPSTREAM_ERROR", "No.", {
      retryable: false,
      retryAfter: 9,
      details: { upstreamStatus: 429 },
    });
    const { events, outcome } = await run([[{ type: "failure", failure }]]);
    expect(ofType(events, "error")).toEqual([
      {
        type: "error",
        error: "No.",
        code: "UPSTREAM_ERROR",
        requestId: "req_1",
        retryable: false,
        retryAfter: 9,
        upstreamStatus: 429,
      },
    ]);
    expect(outcome).toMatchObject({ status: "error", finishReason: "error", iterations: 1, parts: [] });
    const plain = new Failure("UPSTREAM_ERROR", "No.", { retryable: false });
    const [error] = ofType((await run([[{ type: "failure", failure: plain }]])).events, "error");
    expect(Object.keys(error ?? {}).sort()).toEqual(["code", "error", "requestId", "retryable", "type"]);
  });
});

describe("a message that looks like an attack", () => {
  const change = { messageLabels: ["instruction"] };

  it("is reported once, even if the run is resumed", async () => {
    const warning = {
      type: "warning" as const,
      code: "SUSPICIOUS_MESSAGE",
      message: "The message reads like an attempt to change the assistant's instructions.",
    };
    expect((await run([says("No.")], { change })).warnings).toEqual([warning]);
    const step = { key: "model:0", idempotencyKey: "k", startedSeq: 1, state: "started" } as const;
    const resumed = async (...events: ChatEvent[]) => {
      const log = memoryLog(events, [step]);
      await run([says("No.")], { change, log });
      return log.log.state().warnings.length;
    };
    expect(await resumed(warning)).toBe(1);
    expect(await resumed()).toBe(1);
    expect((await run([says("Hi.")])).warnings).toEqual([]);
  });
});

describe("the choice of tools", () => {
  it.each([
    ["required", "required", "auto"],
    ["none", "none", "none"],
    ["auto", "auto", "auto"],
  ] as const)("%s is %s for the first request and %s afterwards", async (toolChoice, first, second) => {
    const { requests } = await run([echo, says("Done.")], { change: { toolChoice } });
    expect(requests.map((request) => request.toolChoice)).toEqual([first, second]);
  });
});

it("adds up what all requests used, even if only one side is known", async () => {
  const used = (inputTokens: number, outputTokens: number, rest: ModelEvent[]): ModelEvent[] => [
    { type: "usage", usage: { inputTokens, outputTokens } },
    ...rest.filter(({ type }) => type !== "usage"),
  ];
  const { events } = await run([used(3, 0, echo), used(0, 4, echo), used(0, 0, says("Done."))]);
  expect(ofType(events, "usage").map((usage) => [usage.inputTokens, usage.outputTokens])).toEqual([
    [3, 0],
    [3, 4],
  ]);
});

it("gives calls whose ids repeat within one answer or across answers names of their own", async () => {
  const same = (id: string) => ({ id, name: "echo", arguments: "{}" });
  const script = calls(same("x"), same("x"));
  const { outcome } = await run([script, calls(same("x")), says("Done.")]);
  const ids = outcome.parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
  expect(ids).toEqual(["x", "x_2", "x_3"]);
});

it("tells the budget what the run has cost before its calls run", async () => {
  const order: string[] = [];
  const money = {
    note: async (usd: number) => void order.push(`note ${usd}`),
    usedUp: async () => undefined,
  };
  const paid: ModelEvent[] = [
    { type: "usage", usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.5 } },
    ...echo.slice(1),
  ];
  const run1 = tool("echo", { run: () => `${order.push("run")}` });
  await run([paid, says("Done.")], { tools: [run1], change: { money } });
  expect(order).toEqual(["note 0", "note 0.5", "run", "note 0.5"]);
});

describe("images that the model made", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;

  it("are stored, shown, and kept without their bytes", async () => {
    const { outcome, events } = await run([ends("stop", { type: "text", text: "Here:" }, image)]);
    expect(outcome.parts).toEqual([
      { type: "text", text: "Here:" },
      { type: "image", mimeType: "image/png", fileId: "file_1" },
    ]);
    expect(ofType(events, "image_complete")).toEqual([
      {
        type: "image_complete",
        toolCallId: "",
        imageUrl: "/files/file_1",
        mimeType: "image/png",
        storageSucceeded: true,
        degradedMode: false,
      },
    ]);
    expect(ofType(events, "warning")).toEqual([]);
  });

  it("that cannot be shown are reported", async () => {
    const kept = { type: "text", text: "[lost]" } as const;
    const { outcome, events, warnings } = await run([ends("stop", image)], {
      change: { keepImage: async () => ({ kept }) },
    });
    expect(outcome.parts).toEqual([kept]);
    expect(ofType(events, "image_complete")).toEqual([]);
    expect(warnings).toEqual([
      {
        type: "warning",
        code: "IMAGE_LOST",
        message: "The model made an image that cannot be shown. Asking again may help.",
      },
    ]);
  });
});

it("ends with a sentence where the server stopped while an answer was visible, and it may not be continued", async () => {
  const step = { key: "model:0", idempotencyKey: "k", startedSeq: 1, state: "started" } as const;
  const { events, requests } = await run([says("never")], {
    log: memoryLog([], [step]),
    limits: { maxContinuations: 0 },
    change: { partialAnswer: { text: "", reasoning: { text: "Hm", complete: false }, tries: 0, lost: 2 } },
  });
  expect(requests).toEqual([]);
  expect(ofType(events, "error")).toMatchObject([
    {
      code: "INTERRUPTED",
      retryable: true,
      retryAfter: 1,
      error:
        "The server stopped while this answer was being written. What was written is kept; say “continue” to go on.",
    },
  ]);
  const unseen = await run([says("Again.")], { log: memoryLog([], [step]) });
  expect(unseen.requests).toHaveLength(1);
  expect(unseen.changes.map(({ key, state }) => `${key} ${state}`)).toEqual(["model:0 finished"]);
});

describe("a model that cannot use tools", () => {
  /** The warnings of a turn with a model of this kind. */
  async function warnings(info: Partial<ModelInfo>, options: TurnOptions = {}) {
    const { model } = scriptedModel([says("Hi.")], info);
    const { turn, events } = turnOver(model, { tools: [tool("echo")], ...options });
    await runTurn(turn);
    return ofType(events, "warning").map(({ code }) => code);
  }
  const toolless = { supportsTools: false };
  const theirs = { name: "theirs", description: "", parameters: { type: "object" } };
  const answer = (model: string) => ({ id: "msg_0", role: "assistant" as const, parts: [], model });

  it("is reported before its first answer, if there are tools", async () => {
    expect(await warnings(toolless)).toEqual(["TOOLS_NOT_SUPPORTED"]);
    expect(await warnings(toolless, { tools: [], change: { clientTools: [theirs] } })).toHaveLength(1);
    expect(await warnings(toolless, { tools: [] })).toEqual([]);
    expect(await warnings({})).toEqual([]);
    expect(await warnings({ ...toolless, outputsImages: true })).toEqual([]);
  });

  it("is reported once in a session, and once in a run that is resumed", async () => {
    const after = (model: string) => warnings(toolless, { change: { history: [answer(model)] } });
    expect(await after("test/scripted")).toEqual([]);
    expect(await after("test/other")).toHaveLength(1);
    const known: ChatEvent = { type: "warning", code: "TOOLS_NOT_SUPPORTED", message: "" };
    expect(await warnings(toolless, { log: memoryLog([known]) })).toEqual(["TOOLS_NOT_SUPPORTED"]);
  });
});

it("an answer is on disk before its calls run, and before a call runs it is noted", async () => {
  const order: string[] = [];
  const log = memoryLog();
  log.log.flush = async () => void order.push("flush");
  const echoes = tool("echo", { run: () => `${order.push("run")}` });
  await run([echo, says("Done.")], { tools: [echoes], log });
  expect(order).toEqual(["flush", "flush", "flush", "run", "flush"]);
});
