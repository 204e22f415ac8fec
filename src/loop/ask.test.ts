import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { type Message, textMessage } from "../protocol/messages.ts";
import type { Model, ModelEvent, ModelRequest } from "../protocol/model.ts";
import { askModel } from "./ask.ts";
import { runTurn } from "./run.ts";
import { calls, ofType, says, scriptedModel, tool, turnOver } from "./testing/scripted.ts";
import type { Turn } from "./turn.ts";

const failed = (failure: Failure): ModelEvent[] => [{ type: "failure", failure }];
const busy = (retryAfter?: number) =>
  new Failure("UPSTREAM_ERROR", "The model is busy.", { retryable: true, retryAfter });
const later = Number.POSITIVE_INFINITY;
const once = { noteAttempt: async () => {}, recordUsage: () => {} };
const theirs = { name: "theirs", description: "Theirs.", parameters: { type: "object" } };

describe("the request", () => {
  it("holds the prompt, the messages, the tools of server and client, and the settings", async () => {
    const { model, requests } = scriptedModel([says("Hi.")], { outputsImages: true });
    const { turn } = turnOver(model, {
      tools: [tool("echo")],
      change: {
        clientTools: [theirs],
        reasoningEffort: "low",
        verbosity: "high",
        settings: { temperature: 0.5 },
        withImages: async (messages) => [...messages, textMessage("added", "user", "!")],
      },
    });
    const image = { type: "image" as const, mimeType: "image/png", fileId: "file_1" };
    const [asked] = turn.history;
    const pictured = asked ? [{ ...asked, parts: [...asked.parts, image] }] : [];
    await askModel(turn, pictured, "required", later, once);
    const [request] = requests;
    expect(request).toMatchObject({
      system: "Be helpful.",
      toolChoice: "required",
      reasoningEffort: "low",
      verbosity: "high",
      imageOutput: true,
      temperature: 0.5,
      cacheKey: "ses_1",
    });
    expect(request?.messages.map(({ id }) => id)).toEqual(["msg_1", "added"]);
    expect(request?.tools.map(({ name, description }) => [name, description])).toEqual([
      ["echo", "The tool echo."],
      ["theirs", "Theirs."],
    ]);
    expect(Object.keys(request?.tools[0] ?? {})).toEqual(["name", "description", "parameters"]);
  });

  it("does not look for the bytes of files where there are none", async () => {
    const { model, requests } = scriptedModel([says("Hi.")]);
    const withImages = () => Promise.reject(new Error("there are no files"));
    const { turn } = turnOver(model, { change: { withImages } });
    await askModel(turn, turn.history, "auto", later, once);
    expect(requests[0]?.messages).toEqual(turn.history);
  });

  it("leaves out what does not apply", async () => {
    const { model, requests } = scriptedModel([says("Hi.")]);
    const { turn } = turnOver(model);
    await askModel(turn, turn.history, "auto", later, once);
    expect(Object.keys(requests[0] ?? {}).sort()).toEqual([
      "attempts",
      "cacheKey",
      "messages",
      "system",
      "tools",
    ]);
  });

  it("names what signed reasoning follows, if there is any", async () => {
    const said = (metadata?: { signature: string }): Message => ({
      id: "msg_2",
      role: "assistant",
      parts: [{ type: "reasoning", text: "Hm.", ...(metadata ? { metadata } : {}) }],
    });
    const prefixOf = (messages: readonly Message[]) => `after ${messages.length}`;
    const prefixFor = async (answer: Message, change: Partial<Turn> = { prefixOf }) => {
      const { model, requests } = scriptedModel([says("Hi.")]);
      const { turn } = turnOver(model, { change });
      await askModel(turn, [...turn.history, answer], "auto", later, once);
      return requests[0] && "prefix" in requests[0] ? requests[0].prefix : "none";
    };
    expect(await prefixFor(said({ signature: "s" }))).toBe("after 2");
    expect(await prefixFor(said())).toBe("none");
    expect(await prefixFor(said({ signature: "s" }), {})).toBe("none");
  });

  it("offers plans only where somebody can approve them, and each tool as the same object", async () => {
    const seen: ModelRequest[] = [];
    const model: Model = {
      id: "test/own",
      info: { name: "own" },
      async stream(request, emit) {
        seen.push(request);
        for (const event of says("Hi.")) emit(event);
      },
    };
    const tools = [tool("propose_plan"), tool("echo")];
    for (const attended of [true, false, true]) {
      const { turn } = turnOver(model, { tools, change: { attended } });
      await askModel(turn, turn.history, "auto", later, once);
    }
    expect(seen.map((request) => request.tools.map(({ name }) => name))).toEqual([
      ["propose_plan", "echo"],
      ["echo"],
      ["propose_plan", "echo"],
    ]);
    expect(seen[1]?.tools[0]).toBe(seen[0]?.tools[1]);
  });

  it("has what the person sent into a run as messages of its own", async () => {
    const { model, requests } = scriptedModel([says("Hi.")]);
    const { turn } = turnOver(model);
    const parts = [
      { type: "text" as const, text: "One." },
      { type: "text" as const, text: "Faster!", messageId: "msg_9" },
    ];
    await askModel(turn, [...turn.history, { id: "msg_2", role: "assistant", parts }], "auto", later, once);
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("is over for the breaker when its last attempt is, even if that throws", async () => {
    let settled = 0;
    const asked: string[] = [];
    const model: Model = {
      id: "test/own",
      info: { name: "own" },
      async stream({ attempts }, emit) {
        asked.push(`${attempts?.purpose} ${attempts?.caller}`);
        if (asked.length === 1) attempts?.whenOver(async () => void settled++);
        emit({ type: "failure", failure: busy() });
      },
    };
    const { turn } = turnOver(model, { limits: { maxRetries: 1 } });
    await askModel(turn, turn.history, "auto", later, once);
    expect([asked, settled]).toEqual([["chat local", "chat local"], 1]);
  });

  it("offers no tools to a model that cannot call them", async () => {
    const { model, requests } = scriptedModel([says("Hi.")], { supportsTools: false });
    const { turn } = turnOver(model, { tools: [tool("echo")], change: { clientTools: [theirs] } });
    await askModel(turn, turn.history, "auto", later, once);
    expect(requests[0]?.tools).toEqual([]);
    expect(requests[0]).not.toHaveProperty("toolChoice");
  });
});

it("shows a warning about the request once in a run, although every step repeats it", async () => {
  const warning: ModelEvent = {
    type: "warning",
    code: "TOOL_LEFT_OUT",
    message: "The tool odd is left out.",
  };
  const { model } = scriptedModel([
    [warning, ...calls({ name: "echo", arguments: "{}" })],
    [warning, ...says("Hi.")],
  ]);
  const { turn, events } = turnOver(model, { tools: [tool("echo")] });
  await runTurn(turn);
  expect(ofType(events, "warning")).toEqual([expect.objectContaining(warning)]);
});

describe("a failed attempt", () => {
  it("is repeated as often as the limits allow, and each time the person is told", async () => {
    const { model, requests } = scriptedModel([failed(busy())]);
    const { turn, events, slept } = turnOver(model, { limits: { maxRetries: 2 } });
    const answer = await askModel(turn, turn.history, "auto", later, once);
    expect(answer).toMatchObject({ outcome: "failed", failure: { publicMessage: "The model is busy." } });
    expect(requests).toHaveLength(3);
    expect(slept).toEqual([525, 1_050]);
    expect(ofType(events, "retry_status")[1]).toEqual({
      type: "retry_status",
      source: "test/scripted",
      attempt: 2,
      maxRetries: 2,
      retryAfterMs: 1_050,
      reason: "The model is busy.",
    });
  });

  it.each([
    [60, 2],
    [61, 1],
  ])("with a wait of %i seconds is made %i times", async (retryAfter, attempts) => {
    const { model, requests } = scriptedModel([failed(busy(retryAfter)), says("Hi.")]);
    const { turn } = turnOver(model);
    await askModel(turn, turn.history, "auto", later, once);
    expect(requests).toHaveLength(attempts);
  });

  it("is not repeated once the person has stopped the run", async () => {
    const abort = new AbortController();
    const { model, requests } = scriptedModel([failed(busy()), says("never")]);
    const { turn } = turnOver(model, {
      signal: abort.signal,
      change: { sleep: async () => abort.abort() },
    });
    expect(await askModel(turn, turn.history, "auto", later, once)).toMatchObject({ outcome: "failed" });
    expect(requests).toHaveLength(1);
  });

  it("counts what it used", async () => {
    const used: ModelEvent = { type: "usage", usage: { inputTokens: 7, outputTokens: 0 } };
    const { model } = scriptedModel([[used, ...failed(busy())], says("Hi.")]);
    const { turn } = turnOver(model);
    const answer = await askModel(turn, turn.history, "auto", later, once);
    expect(answer.usage).toMatchObject({ inputTokens: 17, outputTokens: 5 });
  });

  it("that breaks off without an end says so, and is repeated", async () => {
    const { model, requests } = scriptedModel([[], says("Hi.")]);
    const { turn, events } = turnOver(model);
    expect(await askModel(turn, turn.history, "auto", later, once)).toMatchObject({ outcome: "finished" });
    expect(requests).toHaveLength(2);
    expect(ofType(events, "retry_status")[0]?.reason).toBe("The model's answer ended early.");
  });
});

describe("the stream", () => {
  it("is not interrupted by empty pieces, and nothing counts after its end", async () => {
    const { model, requests } = scriptedModel([
      [
        { type: "text_delta", text: "" },
        { type: "reasoning_delta", text: "" },
        ...failed(busy()),
        { type: "text_delta", text: "late" },
      ],
      says("Hi."),
    ]);
    const { turn, events } = turnOver(model);
    await askModel(turn, turn.history, "auto", later, once);
    expect(requests).toHaveLength(2);
    expect(events.map(({ type }) => type)).toEqual(["retry_status", "content_delta"]);
  });

  it("may have exactly as many characters as the limit, reasoning included", async () => {
    const script = (text: string): ModelEvent[] => [
      { type: "reasoning_delta", text: "12345" },
      { type: "text_delta", text },
      { type: "finish", reason: "stop", parts: [] },
    ];
    const ask = (text: string) => {
      const { turn } = turnOver(scriptedModel([script(text)]).model, { limits: { maxOutputCharacters: 10 } });
      return askModel(turn, turn.history, "auto", later, once);
    };
    expect(await ask("12345")).toMatchObject({ outcome: "finished" });
    expect(await ask("123456")).toMatchObject({ outcome: "over_budget", budget: "output" });
  });

  it("shows its reasoning as ended where that alone is too long", async () => {
    const { model } = scriptedModel([[{ type: "reasoning_delta", text: "12345678901" }]]);
    const { turn, events } = turnOver(model, { limits: { maxOutputCharacters: 10 } });
    expect(await askModel(turn, turn.history, "auto", later, once)).toMatchObject({ outcome: "over_budget" });
    expect(ofType(events, "reasoning_complete")).toHaveLength(1);
  });

  it("ends at the deadline, and the model is stopped", async () => {
    let stopped = false;
    const { model } = scriptedModel([
      async (emit, signal) => {
        emit({ type: "text_delta", text: "Slow" });
        stopped = signal.aborted;
      },
    ]);
    const { turn } = turnOver(model);
    expect(await askModel(turn, turn.history, "auto", turn.now() - 1, once)).toMatchObject({
      outcome: "over_budget",
      budget: "time",
    });
    expect(stopped).toBe(true);
    const inTime = turnOver(scriptedModel([says("Hi.")]).model).turn;
    expect(await askModel(inTime, inTime.history, "auto", inTime.now(), once)).toMatchObject({
      outcome: "finished",
    });
  });

  it("numbers reasoning steps through all requests of a run, with the tokens of each", async () => {
    const thinks = (title: string, end: ModelEvent[]): ModelEvent[] => [
      { type: "reasoning_delta", text: `# ${title}` },
      { type: "usage", usage: { inputTokens: 1, outputTokens: 1, reasoningTokens: 9 } },
      ...end.filter(({ type }) => type !== "usage"),
    ];
    const { model } = scriptedModel([
      thinks("One", calls({ name: "echo", arguments: "{}" })),
      thinks("Two", says("Done.")),
    ]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")] });
    await runTurn(turn);
    expect(ofType(events, "reasoning_step").map(({ step, stepIndex }) => [step.title, stepIndex])).toEqual([
      ["One", 0],
      ["Two", 1],
    ]);
    expect(ofType(events, "reasoning_complete").map(({ reasoningTokens }) => reasoningTokens)).toEqual([
      9, 9,
    ]);
  });
});
