import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import type { Message } from "../protocol/messages.ts";
import type { ModelEvent, ModelInfo } from "../protocol/model.ts";
import { ModelMemories } from "./estimate.ts";
import { runTurn } from "./run.ts";
import { answers, asks, prose, text } from "./testing/conversation.ts";
import {
  calls,
  ofType,
  type Script,
  says,
  scriptedModel,
  type TurnOptions,
  tool,
  turnOver,
} from "./testing/scripted.ts";
import type { TurnContext } from "./turn.ts";

const WINDOW = 20_000;
const history = [asks("q1", prose(3_000)), answers("a1", text(prose(3_000))), asks("q2")];

/** A turn that is kept within the window. Nobody writes summaries. */
async function run(scripts: Script[], change: TurnOptions["change"] = {}, info: Partial<ModelInfo> = {}) {
  const { model, requests } = scriptedModel(scripts, {
    contextWindow: WINDOW,
    maxOutputTokens: 100,
    ...info,
  });
  const context: TurnContext = { view: {}, memory: new ModelMemories().of(model.id), changed: false };
  const { turn, events, changes } = turnOver(model, {
    tools: [tool("echo")],
    change: { history, context, ...change },
  });
  const outcome = await runTurn(turn);
  return {
    outcome,
    events,
    changes,
    sent: requests.map(({ messages }) => messages.map(({ id }: Message) => id)),
  };
}

const tooLong = new Failure("CONTEXT_TOO_LARGE", "Too long.", {
  details: { contextWindow: 6_000, requestedTokens: 6_100 },
});
const refuses: ModelEvent[] = [{ type: "failure", failure: tooLong }];
const cut = (said: string, tokens: number): ModelEvent[] => [
  { type: "text_delta", text: said },
  { type: "usage", usage: { inputTokens: tokens, outputTokens: 0 } },
  { type: "finish", reason: "length", parts: [{ type: "text", text: said }] },
];

describe("a request that the vendor finds too long", () => {
  it("is made again with less, and the change is kept with the session", async () => {
    const { outcome, events, sent } = await run([refuses, says("Hi.")]);
    expect(sent).toEqual([
      ["q1", "a1", "q2"],
      ["summary_q2", "q2"],
    ]);
    expect(outcome).toMatchObject({ finishReason: "stop", contextChange: { messageId: "q2" } });
    expect(ofType(events, "context_compacted")).toMatchObject([{ messages: 2, reason: "overflow" }]);
    expect(ofType(events, "usage").at(-1)).toMatchObject({ contextTokens: 15, contextWindow: 6_000 });
  });

  it("is given up after the second time", async () => {
    const { outcome, events, sent } = await run([refuses]);
    expect(sent.length).toBeLessThanOrEqual(3);
    expect(outcome.finishReason).toBe("error");
    expect(ofType(events, "error")).toMatchObject([{ code: "CONTEXT_TOO_LARGE" }]);
  });

  it("is not made again with less once something was said", async () => {
    const { sent, events } = await run([[{ type: "text_delta", text: "Half" }, ...refuses], says("never")]);
    expect(sent).toHaveLength(1);
    expect(ofType(events, "context_compacted")).toEqual([]);
  });

  it("is an error where the client keeps the history", async () => {
    const { outcome, sent } = await run([refuses, says("never")], { context: undefined });
    expect([outcome.finishReason, sent.length]).toEqual(["error", 1]);
    expect(outcome).not.toHaveProperty("contextChange");
  });
});

describe("an answer that was cut", () => {
  it("goes on with room in the window, if that was full", async () => {
    const { outcome, events, sent } = await run([cut("One ", 19_000), says("two.")]);
    expect(outcome).toMatchObject({
      finishReason: "stop",
      iterations: 2,
      parts: [text("One "), text("two.")],
    });
    expect(sent[1]).toEqual(["summary_q2", "q2", ""]);
    expect(ofType(events, "warning")).toEqual([]);
  });

  it.each([
    ["the window was not full", 18_999, history],
    ["nothing can be left out", 19_000, [asks("q2")]],
  ])("ends there if %s", async (_, tokens, messages) => {
    const { outcome, events, sent } = await run([cut("One ", tokens), says("never")], { history: messages });
    expect([outcome.finishReason, sent.length]).toEqual(["length", 1]);
    expect(ofType(events, "warning")).toMatchObject([{ code: "OUTPUT_CUT" }]);
  });

  it("ends there if the person has stopped the run", async () => {
    const stop = new AbortController();
    const script: Script = async (emit) => {
      for (const event of cut("One ", 19_000)) emit(event);
      stop.abort();
    };
    const { sent, events } = await run([script, says("never")], { signal: stop.signal });
    expect(sent).toHaveLength(1);
    expect(ofType(events, "context_compacted")).toEqual([]);
  });
});

describe("how full the window is", () => {
  it("is said after each request: what the model knows, and how much it can", async () => {
    const { events } = await run([calls({ name: "echo", arguments: "{}" }), says("Done.")]);
    expect(ofType(events, "usage")).toEqual([
      { type: "usage", inputTokens: 10, outputTokens: 5, contextTokens: 15, contextWindow: WINDOW },
      { type: "usage", inputTokens: 20, outputTokens: 10, contextTokens: 15, contextWindow: WINDOW },
    ]);
  });

  it("is said without the size of a window that nobody knows", async () => {
    const declared = await run([says("Hi.")], { context: undefined });
    expect(ofType(declared.events, "usage")[0]).toMatchObject({ contextWindow: WINDOW });
    const unknown = await run([says("Hi.")], { context: undefined }, { contextWindow: undefined });
    expect(ofType(unknown.events, "usage")).toEqual([
      { type: "usage", inputTokens: 10, outputTokens: 5, contextTokens: 15 },
    ]);
  });
});
