import { expect, test } from "vitest";
import { contentDelta, reasoningDelta } from "../protocol/deltas.ts";
import { Failure } from "../protocol/failure.ts";
import type { FinishRun, Run, StepRecord } from "../protocol/run-records.ts";
import { Fenced } from "../protocol/store.ts";
import { JournaledRun, type LogOwner } from "./run-log.ts";

const RUN: Run = {
  id: "run",
  sessionId: "session",
  userId: "ada",
  messageId: "message",
  status: "running",
  owner: "one",
  epoch: 4,
  cancelRequested: false,
  request: {},
  createdAt: "2030-01-01T00:00:00.000Z",
};
const DONE = {
  type: "done",
  finishReason: "stop",
  messageId: "message",
  iterations: 1,
  toolCalls: 0,
} as const;
const OUTCOME = { status: "done" as const, message: { id: "message", parts: [] } };

/** A log whose owner records what it is told. */
function opened(
  recovered?: ConstructorParameters<typeof JournaledRun>[1],
  settingsOf?: ConstructorParameters<typeof JournaledRun>[4],
) {
  const pending: boolean[] = [];
  const finished: FinishRun[] = [];
  const broken: unknown[] = [];
  const told: unknown[] = [];
  const owner: LogOwner = {
    entriesPending: (_log, urgent) => pending.push(urgent),
    async finish(_log, finish) {
      finished.push(finish);
    },
    broken: (_log, reason) => broken.push(reason),
  };
  const listener = { committed: (...values: unknown[]) => void told.push(values) };
  const log = new JournaledRun(RUN, recovered, owner, new Set([listener]), settingsOf);
  return { log, pending, finished, broken, told };
}

test("deltas that go on can wait for their commit, everything else is urgent", () => {
  const { log, pending } = opened();
  log.emit(contentDelta("the first words"));
  log.emit(contentDelta("a"));
  log.emit(reasoningDelta("b"));
  log.emit({ type: "warning", code: "A", message: "b" });
  log.step({ key: "model:0", state: "started", idempotencyKey: "k" });
  log.status("waiting");
  expect(pending).toEqual([true, false, false, true, true, true]);
});

test("the first words after something else are urgent", () => {
  const { log, pending } = opened();
  log.emit(contentDelta("a"));
  log.emit({ type: "warning", code: "A", message: "b" });
  log.take();
  log.emit(contentDelta("c"));
  log.emit(contentDelta("d"));
  expect(pending).toEqual([true, true, true, false]);
});

test("the state is folded from every emitted event, even before its commit", () => {
  const { log } = opened();
  expect(log.state()).toMatchObject({ runId: "run", sessionId: "session", messageId: "message", text: "" });
  log.emit(contentDelta("Hello"));
  log.emit(contentDelta(", you"));
  expect(log.state().text).toBe("Hello, you");
  log.emit({ type: "warning", code: "A", message: "b" });
  expect(log.state()).toMatchObject({ text: "Hello, you", warnings: [{ code: "A", message: "b" }] });
});

test("a recovered run continues with the next number, its text and its steps", () => {
  const step: StepRecord = { key: "model:0", idempotencyKey: "k", state: "started", startedSeq: 1 };
  const { log } = opened({ events: [contentDelta("So "), contentDelta("far")], steps: [step] });
  expect(log.steps.get("model:0")).toBe(step);
  expect(log.state().text).toBe("So far");
  log.step({ key: "model:0", state: "finished", result: 1 });
  log.emit(contentDelta(" so good"));
  expect(log.take().batches[0]?.firstSeq).toBe(3);
  expect(opened().log.take().batches).toEqual([]);
});

test("a step that was never started cannot end", () => {
  const { log } = opened();
  expect(() => log.step({ key: "model:1", state: "finished", result: 1 })).toThrow("was never started");
  log.step({ key: "model:1", state: "started", idempotencyKey: "k" });
  log.step({ key: "model:1", state: "finished", result: 1 });
});

test("a flush resolves with the commit of everything pending, and rejects if that fails", async () => {
  const { log, broken } = opened();
  await log.flush();
  log.emit(contentDelta("a"));
  let flushed = false;
  const flush = log.flush().then(() => {
    flushed = true;
  });
  expect(log.take().boundary).toBe(true);
  const later = log.flush();
  expect(flushed).toBe(false);
  log.committed();
  await Promise.all([flush, later]);
  log.emit(contentDelta("b"));
  const failing = log.flush();
  log.take();
  const reason = new Fenced("run");
  log.fail(reason);
  await expect(failing).rejects.toBe(reason);
  await expect(log.flush()).rejects.toBe(reason);
  log.fail(new Fenced("again"));
  expect(broken).toEqual([reason]);
});

test("`done` is written with the end of the run, and nothing is accepted after it", async () => {
  const { log, finished, pending } = opened();
  log.emit(contentDelta("a"));
  log.emit(DONE);
  log.emit(contentDelta("too late"));
  log.step({ key: "model:9", state: "started", idempotencyKey: "k" });
  log.status("waiting");
  expect(pending).toEqual([true]);
  expect(log.isOpen).toBe(true);
  await log.finish(OUTCOME);
  expect(log.isOpen).toBe(false);
  expect(finished).toEqual([
    {
      runId: "run",
      epoch: 4,
      firstSeq: 2,
      events: [JSON.stringify(contentDelta("a")), JSON.stringify(DONE)],
      steps: [],
      ...OUTCOME,
    },
  ]);
  await expect(log.finish(OUTCOME)).rejects.toBeInstanceOf(Fenced);
});

test("the end of a run waits for the commit before it", async () => {
  const { log, finished } = opened();
  log.emit(contentDelta("a"));
  log.take();
  const end = log.finish(OUTCOME);
  await new Promise(setImmediate);
  expect(finished).toEqual([]);
  log.committed();
  await end;
  expect(finished).toMatchObject([{ firstSeq: 3, events: [] }]);
});

test("nothing is committed before the opening of the run is on disk", async () => {
  const { promise: durable, resolve } = Promise.withResolvers<void>();
  const { log, pending, finished } = opened({ events: [], steps: [], durable });
  log.emit(contentDelta("a"));
  log.emit({ type: "warning", code: "A", message: "b" });
  const flushed = log.flush();
  const end = log.finish(OUTCOME);
  await new Promise(setImmediate);
  expect([pending, finished]).toEqual([[], []]);
  resolve();
  await end;
  log.close();
  await flushed;
  expect(finished).toMatchObject([{ events: [JSON.stringify(contentDelta("a")), expect.any(String)] }]);
});

test("entries that wait for the opening are committed after it", async () => {
  const { promise: durable, resolve } = Promise.withResolvers<void>();
  const { log, pending } = opened({ events: [], steps: [], durable });
  log.emit({ type: "warning", code: "A", message: "b" });
  resolve();
  await new Promise(setImmediate);
  expect(pending).toEqual([true]);
});

test("a run whose opening did not reach the disk is broken, and its answer is lost", async () => {
  const reason = new Failure("STORAGE_FULL", "The disk is full.");
  const { log, pending, finished, broken } = opened({
    events: [],
    steps: [],
    durable: Promise.reject(reason),
  });
  log.emit(contentDelta("a"));
  await expect(log.finish(OUTCOME)).rejects.toBe(reason);
  expect([pending, finished, broken]).toEqual([[], [], [reason]]);
});

test("a step that was written when the run was opened is not written again", async () => {
  const { log, pending, finished } = opened({ events: [], steps: [], firstStep: "model:0" });
  log.step({ key: "model:0", state: "started", idempotencyKey: "k" });
  await log.flush();
  expect(pending).toEqual([]);
  log.step({ key: "model:0", state: "started", idempotencyKey: "k#1" });
  log.step({ key: "model:0", state: "finished", result: null });
  await log.finish(OUTCOME);
  expect(finished).toMatchObject([{ steps: [{ idempotencyKey: "k#1" }, { state: "finished" }] }]);
});

test("a broken log ends with its reason and accepts nothing", async () => {
  const { log, pending } = opened();
  const reason = new Failure("STORAGE_FULL", "The disk is full.");
  log.fail(reason);
  log.emit(contentDelta("a"));
  expect(pending).toEqual([]);
  expect(log.isOpen).toBe(false);
  await expect(log.finish(OUTCOME)).rejects.toBe(reason);
});

test("an answer that grows faster than it is committed is stopped", () => {
  const { log, broken } = opened();
  const chunk = "x".repeat(1_000_000);
  for (let count = 0; count < 32; count++) log.emit(contentDelta(chunk));
  expect(broken).toEqual([]);
  log.emit(contentDelta("x"));
  expect(broken).toMatchObject([{ code: "RESOURCE_EXHAUSTED" }]);
});

test("listeners get the committed events and the ending", () => {
  const { log, told } = opened();
  log.notify([{ seq: 2, json: "{}" }], "finished");
  expect(told).toEqual([[[{ seq: 2, json: "{}" }], "finished"]]);
});

test("the state has pieces of different kinds in their order", () => {
  const { log } = opened();
  for (const event of [contentDelta("a"), reasoningDelta("b"), contentDelta("c"), contentDelta("d")])
    log.emit(event);
  expect(log.state().blocks).toMatchObject([
    { type: "text", text: "a" },
    { type: "reasoning", reasoning: { text: "b" } },
    { type: "text", text: "cd" },
  ]);
});

test("what is committed is known without a read, as long as it is short", () => {
  const first = contentDelta("first");
  const { log } = opened({ events: [first], steps: [] });
  const begins = { seq: 1, json: JSON.stringify(first) };
  expect(log.beginning).toEqual([begins]);
  log.emit(contentDelta("more"));
  const { encoded } = log.take();
  expect(log.beginning).toEqual([begins]);
  log.notify(encoded);
  expect(log.beginning).toEqual([begins, { seq: 2, json: JSON.stringify(contentDelta("more")) }]);
  log.notify([{ seq: 3, json: "long".repeat(1_000) }]);
  expect(log.beginning).toBeUndefined();
});

test("what another process began is not known without a read", () => {
  const first = contentDelta("first");
  expect(opened().log.beginning).toBeUndefined();
  expect(opened({ events: [first, first], steps: [] }).log.beginning).toBeUndefined();
});

test("what events cause is stored with them, at the latest with the end of the run", async () => {
  const settingsOf = ({ seq, json }: { seq: number; json: string }) =>
    json.includes('"warning"') || json.includes('"done"') ? [{ name: `at ${seq}`, value: seq }] : [];
  const { log, finished } = opened(undefined, settingsOf);
  log.emit(contentDelta("a"));
  expect(log.take().batches[0]).not.toHaveProperty("settings");
  log.committed();
  log.emit(contentDelta("b"));
  log.emit({ type: "warning", code: "A", message: "b" });
  expect(log.take().batches[0]).toMatchObject({ firstSeq: 3, settings: [{ name: "at 4", value: 4 }] });
  log.committed();
  log.step({ key: "model:0", state: "started", idempotencyKey: "k" });
  expect(log.take().batches[0]).not.toHaveProperty("settings");
  log.committed();
  log.emit(DONE);
  await log.finish(OUTCOME);
  expect(finished).toMatchObject([{ firstSeq: 5, settings: [{ name: "at 5", value: 5 }] }]);
});

test("nothing is announced after the opening if nothing waits for it, and what has waited for it is urgent", async () => {
  const idle = opened({ events: [], steps: [], durable: Promise.resolve() });
  await new Promise(setImmediate);
  expect(idle.pending).toEqual([]);
  const { promise: durable, resolve } = Promise.withResolvers<void>();
  const { log, pending } = opened({ events: [], steps: [], durable });
  log.emit(contentDelta("a"));
  log.emit(contentDelta("b"));
  expect(pending).toEqual([]);
  resolve();
  await new Promise(setImmediate);
  expect(pending).toEqual([true]);
});

test("an answer that grew too fast says so", () => {
  const { log, broken } = opened();
  log.emit(contentDelta("x".repeat(32_000_001)));
  expect(broken).toMatchObject([
    { publicMessage: "The answer grew faster than it could be saved, so it was stopped." },
  ]);
});
