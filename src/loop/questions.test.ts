import { expect, test } from "vitest";
import type { StepRecord } from "../protocol/run-records.ts";
import type { ToolContext } from "../protocol/tool.ts";
import { hashOf } from "../runs/ids.ts";
import askUser from "../tools/builtin/ask_user.ts";
import { questionHash } from "./questions.ts";
import { runTurn } from "./run.ts";
import { calls, memoryLog, ofType, says, scriptedModel, tool, turnOver } from "./testing/scripted.ts";

const QUESTION = { question: "Which color?", options: ["red", "blue"] };
const ASKS = calls({ name: "ask_user", arguments: JSON.stringify(QUESTION) });

/** Answers by the key of the question. */
function answering(answers: Record<string, unknown>) {
  return async (key: string) =>
    key in answers ? { decision: "once" as const, note: JSON.stringify(answers[key]) } : undefined;
}

test("a question waits for the person, and the answer is the result", async () => {
  const { model, requests } = scriptedModel([ASKS, says("Blue it is.")]);
  const decide = answering({ "question:call_1:1": "blue" });
  const { turn, events } = turnOver(model, { tools: [askUser], decide });
  const { parts } = await runTurn(turn);
  expect(ofType(events, "question_required")).toEqual([
    { type: "question_required", toolCallId: "call_1", ...QUESTION, expiresAt: expect.any(String) },
  ]);
  expect(ofType(events, "question_answered")).toEqual([
    { type: "question_answered", toolCallId: "call_1", answer: "blue", by: "local" },
  ]);
  const [result] = parts.filter((part) => part.type === "tool_result");
  expect(result).toMatchObject({ success: true, output: "The person chose: blue", trust: "trusted" });
  // A chosen option is a decision, not the person's own words.
  expect(result?.personTexts).toBeUndefined();
  expect(requests).toHaveLength(2);
});

test("own words beside a chosen option are kept, and count as the person's", async () => {
  const several = { ...QUESTION, multiple: true };
  const { model } = scriptedModel([
    calls({ name: "ask_user", arguments: JSON.stringify(several) }),
    says("Both."),
  ]);
  const decide = answering({ "question:call_1:1": ["red", "and a bit of green"] });
  const { parts } = await runTurn(turnOver(model, { tools: [askUser], decide }).turn);
  expect(parts.find((part) => part.type === "tool_result")).toMatchObject({
    output: "The person chose: red\nThe person answered: and a bit of green",
    personTexts: ["and a bit of green"],
  });
});

test("if nobody answers in time, the model is told the default", async () => {
  const args = JSON.stringify({ ...QUESTION, default: "red" });
  const { model } = scriptedModel([calls({ name: "ask_user", arguments: args }), says("Red.")]);
  const { turn, events } = turnOver(model, { tools: [askUser] });
  const { parts } = await runTurn(turn);
  expect(parts.find((part) => part.type === "tool_result")).toMatchObject({
    success: true,
    output: "Nobody answered in time. Go on with: red",
  });
  expect(ofType(events, "question_answered")).toEqual([
    { type: "question_answered", toolCallId: "call_1", answer: "red" },
  ]);
});

test("a question that is stopped is not answered with its default", async () => {
  const args = JSON.stringify({ ...QUESTION, default: "red" });
  const { model } = scriptedModel([calls({ name: "ask_user", arguments: args })]);
  const stop = new AbortController();
  const decide = async () => void stop.abort();
  const { turn, events } = turnOver(model, { tools: [askUser], decide, change: { signal: stop.signal } });
  await runTurn(turn);
  expect(ofType(events, "question_answered")).toEqual([
    { type: "question_answered", toolCallId: "call_1", answer: "" },
  ]);
});

test("several options may be the default", async () => {
  const args = JSON.stringify({ ...QUESTION, multiple: true, default: ["red", "blue"] });
  const { model } = scriptedModel([calls({ name: "ask_user", arguments: args }), says("Both.")]);
  const { turn, events } = turnOver(model, { tools: [askUser] });
  const { parts } = await runTurn(turn);
  expect(ofType(events, "question_required")).toMatchObject([{ default: "red, blue" }]);
  expect(parts.find((part) => part.type === "tool_result")).toMatchObject({
    output: "Nobody answered in time. Go on with: red, blue",
  });
});

test("where nobody is there, the model is told so at once and nothing waits", async () => {
  const { model } = scriptedModel([ASKS, says("I guess red.")]);
  const { turn, events } = turnOver(model, { tools: [askUser], change: { attended: false } });
  const { parts } = await runTurn(turn);
  expect(ofType(events, "question_required")).toEqual([]);
  expect(parts.find((part) => part.type === "tool_result")).toMatchObject({
    output: expect.stringContaining("Nobody is there to answer."),
  });
});

test("a tool may ask several questions, one after the other, and its time limit does not run meanwhile", async () => {
  const { model } = scriptedModel([calls({ name: "survey", arguments: "{}" }), says("Done.")]);
  const survey = tool("survey", {
    timeoutMs: 50,
    run: async (_, { ask }) => {
      const [first, second] = await Promise.all([ask?.("Name?"), ask?.("Size?", ["small", "large"])]);
      return `${first} wants ${second}`;
    },
  });
  const answers = answering({ "question:call_1:1": "Ada", "question:call_1:2": "large" });
  const decide = async (key: string) => {
    await new Promise((resolve) => setTimeout(resolve, 80));
    return answers(key);
  };
  const { turn, events } = turnOver(model, { tools: [survey], decide });
  const { parts } = await runTurn(turn);
  expect(parts.find((part) => part.type === "tool_result")).toMatchObject({
    output: "Ada wants large",
    personTexts: ["Ada"],
  });
  expect(ofType(events, "question_required").map(({ question }) => question)).toEqual(["Name?", "Size?"]);
});

test("the next owner of a run does not ask again: it takes the answers, and waits for the open one", async () => {
  const expiresAt = new Date(Date.parse("2026-01-01T00:00:30Z")).toISOString();
  const { model } = scriptedModel([says("Done.")]);
  const call = { type: "tool_call", id: "call_1", name: "survey", arguments: "{}" };
  const steps: StepRecord[] = [
    {
      key: "model:0",
      idempotencyKey: "model:0",
      state: "finished",
      startedSeq: 1,
      result: { reason: "tool_calls", parts: [call] },
    },
    { key: "tool:call_1", idempotencyKey: "tool:call_1", state: "started", startedSeq: 2 },
  ];
  const log = memoryLog(
    [
      { type: "tool_call_start", toolCallId: "call_1", toolName: "survey", arguments: {}, textOffset: 0 },
      { type: "question_required", toolCallId: "call_1", question: "Name?", expiresAt },
      { type: "question_answered", toolCallId: "call_1", answer: "Ada" },
      { type: "question_required", toolCallId: "call_1", question: "Size?", expiresAt },
    ],
    steps,
  );
  const survey = tool("survey", {
    retry: "idempotent",
    run: async (_, { ask }) => `${await ask?.("Name?")} wants ${await ask?.("Size?")}`,
  });
  const asked: { key: string; deadline: number; hash: string }[] = [];
  const answers = answering({ "question:call_1:1": "Ada", "question:call_1:2": "large" });
  const { turn, events } = turnOver(model, {
    tools: [survey],
    log,
    change: {
      awaitDecision: async ({ toolCallId, argumentsHash }, deadline) => {
        asked.push({ key: toolCallId, deadline, hash: argumentsHash });
        const given = await answers(toolCallId);
        return given && { runId: "run_1", toolCallId, argumentsHash, ...given };
      },
    },
  });
  const before = events.length;
  const { parts } = await runTurn(turn);
  expect(ofType(events.slice(before), "question_required")).toEqual([]);
  expect(ofType(events.slice(before), "question_answered")).toMatchObject([{ answer: "large" }]);
  expect(asked[1]).toEqual({
    key: "question:call_1:2",
    deadline: Date.parse(expiresAt),
    hash: questionHash(hashOf, { question: "Size?" }),
  });
  expect(parts.find((part) => part.type === "tool_result")).toMatchObject({ output: "Ada wants large" });
});

/** Lets a tool ask, and returns what was shown and what the tool got. */
async function asking(ask: (context: ToolContext) => Promise<unknown> | undefined, note?: string) {
  const { model } = scriptedModel([calls({ name: "asks", arguments: "{}" }), says("Done.")]);
  const got: unknown[] = [];
  const asks = tool("asks", {
    run: async (_, context) => {
      got.push(await ask(context));
      return "ok";
    },
  });
  const decide = async () => (note === undefined ? undefined : { decision: "once" as const, note });
  const { turn, events } = turnOver(model, { tools: [asks], decide });
  const { parts } = await runTurn(turn);
  const result = parts.find((part) => part.type === "tool_result");
  return {
    asked: ofType(events, "question_required"),
    answered: ofType(events, "question_answered"),
    got,
    result,
  };
}

test("a question has what it was given, and nothing that does not apply", async () => {
  const bare = { type: "question_required", toolCallId: "call_1", expiresAt: "2026-01-01T00:01:00.000Z" };
  const options = ["red", "blue"];
  const shown = async (given: Parameters<NonNullable<ToolContext["ask"]>>[1]) =>
    (await asking(({ ask }) => ask?.("Which?", given))).asked;
  expect(await shown(undefined)).toEqual([{ ...bare, question: "Which?" }]);
  expect(await shown(options)).toEqual([{ ...bare, question: "Which?", options }]);
  expect(await shown({ options: [], optionDetails: [], multiple: false })).toEqual([
    { ...bare, question: "Which?" },
  ]);
  expect(await shown({ options, optionDetails: ["", ""] })).toEqual([
    { ...bare, question: "Which?", options },
  ]);
  const all = { options, optionDetails: ["", "like the sky"], multiple: true, default: "red" };
  expect(await shown(all)).toEqual([{ ...bare, question: "Which?", ...all }]);
});

test.each([
  ['"red"', "red", []],
  ['["red",7]', ["red", "7"], ["7"]],
  ['"green"', "green", ["green"]],
  ["7", undefined, undefined],
  ["null", undefined, undefined],
])("the answer %s is %j", async (note, answer, words) => {
  const { got, answered, result } = await asking(({ ask }) => ask?.("Which?", ["red", "blue"]), note);
  expect(got).toEqual([answer]);
  expect(answered).toEqual([
    { type: "question_answered", toolCallId: "call_1", answer: answer ?? "", by: "local" },
  ]);
  expect(result?.personTexts).toEqual(words && words.length > 0 ? words : undefined);
});

test("a question that has changed since the last owner asked is asked again", async () => {
  const call = { type: "tool_call", id: "call_1", name: "asks", arguments: "{}" };
  const step = { idempotencyKey: "k", startedSeq: 1 };
  const log = memoryLog(
    [
      { type: "tool_call_start", toolCallId: "call_1", toolName: "asks", arguments: {}, textOffset: 0 },
      {
        type: "question_required",
        toolCallId: "call_1",
        question: "Old?",
        expiresAt: "2026-01-01T00:00:30Z",
      },
    ],
    [
      { ...step, key: "model:0", state: "finished", result: { reason: "tool_calls", parts: [call] } },
      { ...step, key: "tool:call_1", state: "started" },
    ],
  );
  const keys: string[] = [];
  const decide = async (key: string) => {
    keys.push(key);
    return { decision: "once" as const, note: '"Yes."' };
  };
  const asks = tool("asks", { run: async (_, { ask }) => `${await ask?.("New?")}` });
  const { turn, events } = turnOver(scriptedModel([says("Done.")]).model, { tools: [asks], log, decide });
  await runTurn(turn);
  expect(ofType(events, "question_required").map(({ question }) => question)).toEqual(["Old?", "New?"]);
  expect(ofType(events, "question_answered")).toMatchObject([{ answer: "Yes." }]);
  expect(keys).toEqual(["question:call_1:2"]);
});

test("a run that was stopped asks nothing more", async () => {
  const { model } = scriptedModel([calls({ name: "asks", arguments: "{}" })]);
  const stop = new AbortController();
  const asks = tool("asks", {
    run: async (_, { ask }) => {
      stop.abort();
      return `${await ask?.("Which?")}`;
    },
  });
  const { turn, events } = turnOver(model, { tools: [asks], signal: stop.signal });
  await runTurn(turn);
  expect(ofType(events, "question_required")).toEqual([]);
});
