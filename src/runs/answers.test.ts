import { describe, expect, it } from "vitest";
import { questionHash, questionKey } from "../loop/questions.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { answerQuestion, decideCall, waitingQuestions } from "./approvals.ts";
import { hashOf } from "./ids.ts";

const expiresAt = "2030-01-01T00:00:00.000Z";
const start = (toolCallId: string, toolName = "ask") => ({
  type: "tool_call_start",
  toolCallId,
  toolName,
  arguments: { a: 1 },
  textOffset: 0,
});
const question = (toolCallId: string, change: object = {}) => ({
  type: "question_required",
  toolCallId,
  question: "Which?",
  options: ["red", "blue"],
  expiresAt,
  ...change,
});

async function runWith(
  store: Store,
  events: object[],
  change: Parameters<typeof openedRun>[1] = {},
): Promise<Run> {
  const run = await openedRun(store, {
    request: { request: {}, principal: { id: "ada", kind: "account" }, model: "m", requestId: "r" },
    ...change,
  });
  await store.commit(
    [
      {
        runId: run.id,
        epoch: run.epoch,
        firstSeq: 2,
        events: events.map((event) => JSON.stringify(event)),
        steps: [],
        status: "waiting",
      },
    ],
    { durable: false },
  );
  return run;
}

describe("an answer", () => {
  it("is kept once, bound to its question", async () => {
    const store = await temporaryStore();
    const { id } = await runWith(store, [start("c"), question("c")]);
    await answerQuestion(store, id, "c", "red");
    const argumentsHash = questionHash(hashOf, { question: "Which?", options: ["red", "blue"] });
    expect(await store.getApproval(id, questionKey("c", 1))).toEqual({
      runId: id,
      toolCallId: questionKey("c", 1),
      decision: "once",
      note: '"red"',
      argumentsHash,
    });
    await expect(answerQuestion(store, id, "c", "blue")).rejects.toMatchObject({
      code: "CONFLICT",
      publicMessage: "This question was answered already.",
    });
  });

  it("is one, unless the question takes several, and belongs to the newest question of a call", async () => {
    const store = await temporaryStore();
    const { id } = await runWith(store, [
      start("one"),
      question("one"),
      start("many"),
      question("many"),
      { type: "question_answered", toolCallId: "many", answer: "blue" },
      question("many", { multiple: true }),
    ]);
    await expect(answerQuestion(store, id, "one", ["red", "blue"])).rejects.toMatchObject({
      code: "INVALID_INPUT",
      publicMessage: "This question takes one answer, not several.",
    });
    await answerQuestion(store, id, "one", ["red"]);
    expect(await store.getApproval(id, questionKey("one", 1))).toMatchObject({ note: '"red"' });
    await answerQuestion(store, id, "many", "red");
    expect(await store.getApproval(id, questionKey("many", 2))).toMatchObject({ note: '["red"]' });
  });

  it("is refused where nothing is asked", async () => {
    const store = await temporaryStore();
    const { id } = await runWith(store, [
      start("silent"),
      start("answered"),
      question("answered"),
      { type: "question_answered", toolCallId: "answered", answer: "red" },
    ]);
    const none = { code: "CONFLICT", publicMessage: "This call is not waiting for an answer." };
    await expect(answerQuestion(store, id, "silent", "red")).rejects.toMatchObject(none);
    await expect(answerQuestion(store, id, "answered", "red")).rejects.toMatchObject(none);
    await expect(answerQuestion(store, id, "none", "red")).rejects.toMatchObject({
      code: "NOT_FOUND",
      publicMessage: "There is no such call in this run.",
    });
  });
});

describe("what waits for a person", () => {
  const approval = {
    type: "tool_approval_required",
    toolCallId: "pay",
    toolName: "pay",
    arguments: { a: 1 },
    argumentsHash: "hash",
    reason: "It changes something.",
    risk: "medium",
    expiresAt,
  };

  it("is listed over all sessions, questions and approvals alike", async () => {
    const store = await temporaryStore();
    const asks = await runWith(store, [start("c"), question("c"), start("busy")]);
    const pays = await runWith(store, [start("pay", "pay"), approval]);
    await runWith(store, [start("c"), question("c")], { userId: "eve" });
    const found = await waitingQuestions(store, "ada");
    expect(found).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          kind: "question",
          runId: asks.id,
          sessionId: asks.sessionId,
          title: "A title",
          toolCallId: "c",
          toolName: "ask",
          question: "Which?",
        }),
        expect.objectContaining({
          kind: "approval",
          runId: pays.id,
          sessionId: pays.sessionId,
          toolCallId: "pay",
          toolName: "pay",
          arguments: { a: 1 },
          argumentsHash: "hash",
        }),
      ]),
    );
    expect(found).toHaveLength(2);
  });

  it("is nothing of a child run, or of a run that works", async () => {
    const store = await temporaryStore();
    const principal = { id: "ada", kind: "account" } as const;
    const child = {
      parentRunId: "run_0",
      parentCallId: "call",
      root: { id: "run_0", sessionId: "s" },
      depth: 1,
      situation: { outside: [], workspace: [], privateReads: [], suspicious: [], personTexts: [] },
      limits: {},
    };
    const request = { request: {}, principal, model: "m", requestId: "r", child };
    await runWith(store, [start("c"), question("c")], { request });
    await openedRun(store);
    expect(await waitingQuestions(store, "ada")).toEqual([]);
  });
});

describe("a decision on a plan", () => {
  const steps = [
    { tool: "pay", targets: { to: "Bob" }, why: "He waits." },
    { tool: "mail", targets: { to: "Ann" }, why: "She asked." },
  ];
  const planned = async () => {
    const store = await temporaryStore();
    const plan = { steps };
    const run = await runWith(store, [
      start("plan", "plan"),
      {
        type: "tool_approval_required",
        toolCallId: "plan",
        toolName: "plan",
        arguments: {},
        argumentsHash: "hash",
        reason: "One approval.",
        risk: "medium",
        expiresAt,
        plan,
      },
      start("pay", "pay"),
      {
        type: "tool_approval_required",
        toolCallId: "pay",
        toolName: "pay",
        arguments: {},
        argumentsHash: "other",
        reason: "It pays.",
        risk: "medium",
        expiresAt,
      },
    ]);
    return { store, id: run.id };
  };

  it("holds for its run alone, so that always means once", async () => {
    const { store, id } = await planned();
    await decideCall(store, id, "plan", { decision: "always", note: "Fine." }, "web");
    expect(await store.getApproval(id, "plan")).toEqual({
      runId: id,
      toolCallId: "plan",
      decision: "once",
      via: "web",
      argumentsHash: "hash",
    });
  });

  it("keeps the steps that the person has changed, of the tools that were shown", async () => {
    const { store, id } = await planned();
    const other = [steps[0], { ...steps[1], tool: "wipe" }] as typeof steps;
    await expect(decideCall(store, id, "plan", { decision: "once", steps: other })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      publicMessage: "steps.1.tool: the plan that was shown has no step for this tool.",
    });
    const edited = [{ ...steps[1], targets: { to: "Eve" } }] as typeof steps;
    await decideCall(store, id, "plan", { decision: "once", steps: edited });
    const { decision, note } = (await store.getApproval(id, "plan")) ?? {};
    expect(decision).toBe("once");
    expect(note).toContain("Eve");
    expect(note).not.toContain("Bob");
  });

  it("can be a no, with a note or without", async () => {
    const { store, id } = await planned();
    await decideCall(store, id, "plan", { decision: "deny", note: "Too much.", steps });
    expect(await store.getApproval(id, "plan")).toMatchObject({ decision: "deny", note: "Too much." });
    const other = await planned();
    await decideCall(other.store, other.id, "plan", { decision: "deny" });
    expect(await other.store.getApproval(other.id, "plan")).not.toHaveProperty("note");
  });

  it("has no steps where the call is not a plan", async () => {
    const { store, id } = await planned();
    await expect(decideCall(store, id, "pay", { decision: "once", steps })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      publicMessage: "steps: this call is not a plan, so it has no steps to change.",
    });
  });
});
