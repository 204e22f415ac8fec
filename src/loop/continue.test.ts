import { describe, expect, it } from "vitest";
import { contentDelta, reasoningDelta } from "../protocol/deltas.ts";
import { Failure } from "../protocol/failure.ts";
import { textOf } from "../protocol/messages.ts";
import type { ModelEvent } from "../protocol/model.ts";
import { reduceAll } from "../protocol/reduce.ts";
import type { PartialAnswer } from "./partial-answer.ts";
import { runTurn } from "./run.ts";
import {
  calls,
  memoryLog,
  ofType,
  type Script,
  says,
  scriptedModel,
  type TurnOptions,
  tool,
  turnOver,
} from "./testing/scripted.ts";

const broken = new Failure("UPSTREAM_ERROR", "The answer broke off.", { retryable: true });
const cut = (...deltas: ModelEvent[]): ModelEvent[] => [...deltas, { type: "failure", failure: broken }];
const text = (said: string): ModelEvent => ({ type: "text_delta", text: said });
const thought = (said: string): ModelEvent => ({ type: "reasoning_delta", text: said });

async function run(scripts: Script[], options: TurnOptions = {}) {
  const { model, requests } = scriptedModel(scripts, { price: { input: 1, output: 1 } });
  const { turn, events, slept, changes } = turnOver(model, options);
  const outcome = await runTurn(turn);
  const state = reduceAll(events);
  if (outcome.finishReason === "stop") expect(textOf(outcome)).toBe(state.text);
  return { outcome, events, state, requests, slept, changes };
}

/** A run that a new owner takes over after this was shown. */
function takenOver(half: Partial<PartialAnswer>): TurnOptions {
  const step = { key: "model:0", idempotencyKey: "run_1:model:0", startedSeq: 0, state: "started" } as const;
  const { text: said = "", reasoning } = half;
  const shown = [
    ...(reasoning ? [reasoningDelta(reasoning.text)] : []),
    ...(said === "" ? [] : [contentDelta(said)]),
  ];
  const partialAnswer = { text: said, tries: 0, lost: said.length, ...half };
  return { log: memoryLog(shown, [step]), change: { partialAnswer } };
}

const ANSWER = "The quick brown fox jumps over the lazy dog and then sleeps under the old oak tree.";

describe("an answer that breaks off", () => {
  it.each([
    ["goes on", (at: number) => ANSWER.slice(at)],
    ["repeats a few words", (at: number) => ANSWER.slice(ANSWER.lastIndexOf(" ", Math.max(0, at - 12)) + 1)],
    ["starts over", () => ANSWER],
  ])("is finished at every place where the model %s", async (_, rest) => {
    for (let at = 1; at < ANSWER.length; at++) {
      const again = rest(at);
      const result = await run([cut(text(ANSWER.slice(0, at))), says(again)]);
      expect(result.state.text).toBe(ANSWER);
      expect(result.requests[1]?.continues).toBe(ANSWER.slice(0, at));
      expect(ofType(result.events, "run_continued")).toEqual([{ type: "run_continued", reason: "cut" }]);
      expect(result.state.blocks).toHaveLength(1);
    }
  });

  it("says that it goes on before the first word that does, and waits a little before it asks", async () => {
    const { events, slept, changes } = await run([cut(text("One two ")), says("three.")]);
    const types = events.map(({ type }) => type);
    expect(types).toEqual(["content_delta", "retry_status", "run_continued", "content_delta", "usage"]);
    expect(slept).toHaveLength(1);
    expect(changes.map(({ state }) => state)).toEqual(["started", "started", "finished"]);
  });

  it("is continued three times, and then ends as before", async () => {
    const cuts = ["One ", "two ", "three ", "four "].map((word) => cut(text(word)));
    const { outcome, state, requests } = await run([...cuts, says("never")]);
    expect(requests).toHaveLength(4);
    expect(outcome).toMatchObject({ finishReason: "error", parts: [{ text: "One two three four " }] });
    expect(state.error).toMatchObject({ code: "UPSTREAM_ERROR", error: "The answer broke off." });
    expect(state.error?.brokeOffAfterMs).toBeGreaterThanOrEqual(0);
  });

  it("waits until an open breaker lets a request through", async () => {
    const open = new Failure("BREAKER_OPEN", "Possible again in 12 seconds.", { retryAfter: 12 });
    const { state, slept } = await run([
      cut(text("One two")),
      [{ type: "failure", failure: open }],
      says(" three."),
    ]);
    expect(state.text).toBe("One two three.");
    expect(slept[1]).toBeGreaterThanOrEqual(12_000);
  });

  it("is not continued where the vendor would refuse that again", async () => {
    const refused = new Failure("UPSTREAM_ERROR", "The key is not valid.", { retryable: false });
    const { state, requests } = await run([
      cut(text("One two")),
      [{ type: "failure", failure: refused }],
      says("never"),
    ]);
    expect(requests).toHaveLength(2);
    expect(state.error?.error).toBe("The key is not valid.");
  });

  it("is over where the model has nothing to add", async () => {
    const empty = new Failure("UPSTREAM_ERROR", "Empty.", { details: { emptyAnswer: true } });
    for (const script of [[{ type: "failure", failure: empty }], says("That is all there is.")] as Script[]) {
      const { outcome, state } = await run([cut(text("That is all there is.")), script]);
      expect(outcome.finishReason).toBe("stop");
      expect(state.text).toBe("That is all there is.");
    }
  });

  it("may go on with a call, whose place in the text is right", async () => {
    const call = calls({ name: "echo", arguments: "{}" });
    const { outcome, events, state } = await run([cut(text("Let me look")), call, says(" Found it.")], {
      tools: [tool("echo")],
    });
    expect(outcome.finishReason).toBe("stop");
    expect(ofType(events, "tool_call_start")).toMatchObject([{ textOffset: "Let me look".length }]);
    expect(outcome.parts.map(({ type }) => type)).toEqual(["text", "tool_call", "tool_result", "text"]);
    expect(state.text).toBe("Let me look Found it.");
  });

  it("never shows half a character", async () => {
    const { events, state } = await run([cut(text("Hi \ud83d")), says("🙂 there.")]);
    expect(state.text).toBe("Hi 🙂 there.");
    for (const { choices } of ofType(events, "content_delta"))
      expect(choices[0].delta.content.isWellFormed()).toBe(true);
    const whole = await run([[text("Hi \ud83d"), text("\ude42!"), ...says("Hi 🙂!").slice(1)]]);
    expect(whole.state.text).toBe("Hi 🙂!");
  });

  it("records what the lost attempt must have cost", async () => {
    const { state } = await run([cut(text("x".repeat(400))), says(" and more.")]);
    expect(state.usage?.outputTokens).toBe(100 + 5);
    expect(state.usage?.inputTokens).toBeGreaterThan(10);
    expect(state.usage?.costUsd).toBeGreaterThan(0);
    expect(state.usage?.estimated).toBe(true);
    expect((await run([says("Whole.")])).state.usage?.estimated).toBeUndefined();
  });

  it("records a quarter of a token for each character that was sent and received, at the price of the model", async () => {
    const { events, requests } = await run([cut(text("x".repeat(398))), says(" and more.")]);
    const { system, messages, tools } = requests[0] ?? expect.fail();
    const input = Math.ceil(JSON.stringify([system, messages, tools]).length / 4);
    expect(ofType(events, "usage")[0]).toMatchObject({
      inputTokens: input + 10,
      outputTokens: 100 + 5,
      costUsd: (input + 100) / 1_000_000,
      estimated: true,
      contextTokens: 15,
    });
    const { model } = scriptedModel([cut(text("Half")), says(" of it.")]);
    const free = turnOver(model);
    await runTurn(free.turn);
    expect(ofType(free.events, "usage")[0]).not.toHaveProperty("costUsd");
  });

  it("records nothing for an attempt that said nothing, or that the person stopped", async () => {
    const silent = await run([cut(), says("Hi.")]);
    expect(silent.state.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(silent.state.usage).not.toHaveProperty("estimated");
    const stop = new AbortController();
    const stopping: Script = async (emit) => {
      emit(text("Half"));
      stop.abort();
    };
    const stopped = await run([stopping], { signal: stop.signal });
    expect(stopped.state.usage).toBeUndefined();
  });

  it("is asked for again if there were only blanks", async () => {
    const { requests, state } = await run([cut(text(" ")), says("Hi.")]);
    expect(requests[1]).not.toHaveProperty("continues");
    expect(state.text.trim()).toBe("Hi.");
  });

  const half: Script = [
    { type: "text_delta", text: "Let me look. " },
    {
      type: "finish",
      reason: "tool_calls",
      rawReason: "broken_off",
      parts: [
        { type: "text", text: "Let me look. " },
        { type: "tool_call", id: "call_1", name: "echo", arguments: "{}" },
      ],
    },
  ];

  it("has its whole calls run, with an estimate of what it used", async () => {
    const { outcome, state } = await run([half, says("Found it.")], { tools: [tool("echo")] });
    expect(outcome.finishReason).toBe("stop");
    expect(state.toolCalls).toBe(1);
    expect(state.usage?.estimated).toBe(true);
  });

  it("runs none of its calls where answers are not continued", async () => {
    const { events, state, requests } = await run([half, says("never")], {
      tools: [tool("echo")],
      limits: { maxContinuations: 0 },
    });
    expect(state.error).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(state.text).toBe("Let me look. ");
    expect(ofType(events, "tool_call_start")).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  it("is unlike one that has ended, whose calls run there too", async () => {
    const { outcome, state } = await run([calls({ name: "echo", arguments: "{}" }), says("Found it.")], {
      tools: [tool("echo")],
      limits: { maxContinuations: 0 },
    });
    expect(outcome.finishReason).toBe("stop");
    expect([state.toolCalls, state.text]).toEqual([1, "Found it."]);
  });
});

describe("reasoning", () => {
  it("that broke off is not shown twice, and goes on where it begins with the same words", async () => {
    const { state, requests } = await run([
      cut(thought("First I look. ")),
      [thought("First I "), thought("look. Then I say."), ...says("Yes.")],
    ]);
    expect(requests[1]).not.toHaveProperty("continues");
    expect(state.blocks).toMatchObject([
      { reasoning: { text: "First I look. Then I say.", complete: true } },
      { type: "text", text: "Yes." },
    ]);
  });

  it("in other words is not shown", async () => {
    const { state, events } = await run([
      cut(thought("First I look. ")),
      [thought("Well, this time "), thought("I know."), ...says("Yes.")],
    ]);
    expect(state.blocks).toMatchObject([
      { reasoning: { text: "First I look. ", complete: true } },
      { type: "text", text: "Yes." },
    ]);
    expect(ofType(events, "reasoning_complete")).toHaveLength(1);
  });

  it("that comes again after half an answer does not interrupt it", async () => {
    const { state } = await run([
      cut(thought("Hm."), text("One two")),
      [thought("Where was I?"), ...says(" three.")],
    ]);
    expect(state.blocks).toMatchObject([{ reasoning: { text: "Hm." } }, { text: "One two three." }]);
  });
});

describe("an answer in JSON", () => {
  const settings = { responseFormat: { type: "json" as const, schema: { type: "object", required: ["b"] } } };

  it.each([
    ["goes on", 'wo", "b": 2}'],
    ["starts over", '{"a": "two", "b": 2}'],
  ])("stays valid where the model %s", async (_, rest) => {
    const { state } = await run([cut(text('{"a": "t')), says(rest)], { change: { settings } });
    expect(state.text).toBe('{"a": "two", "b": 2}');
  });

  it("shows nothing that would make it invalid, and ends as before", async () => {
    const { state, requests } = await run([cut(text('{"a": "t')), says('{"other": 1}')], {
      change: { settings },
    });
    expect(requests).toHaveLength(4);
    expect(state.text).toBe('{"a": "t');
    expect(state.error?.code).toBe("UPSTREAM_ERROR");
  });
});

describe("a new owner", () => {
  it("finishes the answer, and records what the lost attempt must have cost", async () => {
    const { state, events, changes } = await run([says(" three.")], takenOver({ text: "One two" }));
    expect(state.text).toBe("One two three.");
    expect(ofType(events, "run_continued")).toEqual([{ type: "run_continued", reason: "crash" }]);
    expect(ofType(events, "usage")).toHaveLength(2);
    expect(changes.map(({ key, state: of }) => `${key} ${of}`)).toEqual([
      "model:0 started",
      "model:0 finished",
    ]);
  });

  it("takes up reasoning that was not over", async () => {
    const half = { reasoning: { text: "First I look. ", complete: false }, lost: 14 };
    const { state } = await run([[thought("First I look. Then."), ...says("Yes.")]], takenOver(half));
    expect(state.blocks).toMatchObject([
      { reasoning: { text: "First I look. Then.", complete: true } },
      { type: "text", text: "Yes." },
    ]);
  });

  it("does not ask a model again that makes images", async () => {
    const { model, requests } = scriptedModel([says("never")], { outputsImages: true });
    const { turn, events } = turnOver(model, takenOver({ text: "Here it" }));
    await runTurn(turn);
    expect(requests).toEqual([]);
    expect(ofType(events, "error")).toMatchObject([{ code: "INTERRUPTED" }]);
  });

  it("counts the continuations of earlier owners", async () => {
    const { requests, changes } = await run([cut()], takenOver({ text: "One two", tries: 2 }));
    expect(requests).toHaveLength(1);
    expect(changes.map(({ state: of }) => of)).toEqual(["started"]);
  });

  it("passes on why the vendor refuses for good", async () => {
    const refused = new Failure("UPSTREAM_ERROR", "The key is not valid.", { retryable: false });
    const { state } = await run([[{ type: "failure", failure: refused }]], takenOver({ text: "One two" }));
    expect(state.error).toMatchObject({ code: "UPSTREAM_ERROR", error: "The key is not valid." });
  });

  it("says what happened where it tries in vain", async () => {
    const { state, requests } = await run([cut()], takenOver({ text: "One two" }));
    expect(requests).toHaveLength(3);
    expect(state.error).toMatchObject({ code: "INTERRUPTED", retryable: true });
    expect(state.text).toBe("One two");
  });
});
