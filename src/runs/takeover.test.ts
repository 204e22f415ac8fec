import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { calls, type Script, says } from "../loop/testing/scripted.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import { reduceAll } from "../protocol/reduce.ts";
import { readEvents } from "../protocol/run-events.ts";
import { RELEASED_RUNS, type Store } from "../protocol/store.ts";
import { openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { answerIn, hanging, reaches, until, worker } from "./testing/worker.ts";

const ada: Principal = { id: "ada", kind: "account" };

describe("a run", () => {
  it("is worked on to its transcript, and counted", async () => {
    const store = await temporaryStore();
    const { runner, notes, errors } = worker(store, [says("Hello.")]);
    const { runId, sessionId, messageId, model } = await runner.start(ada, { message: "Hi" });
    expect(model).toBe("test/scripted");
    expect(runner.activeRuns).toBe(1);
    await reaches(store, runId, "done");
    await until(() => (runner.activeRuns === 0 ? true : undefined));
    const answer = await store.getMessage(messageId);
    expect(answer).toMatchObject({
      runId,
      model: "test/scripted",
      finishReason: "stop",
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(await answerIn(store, sessionId)).toBe("Hello.");
    expect((await readEvents(store, runId)).at(-1)?.event).toEqual({
      type: "done",
      finishReason: "stop",
      messageId,
      iterations: 1,
      toolCalls: 0,
    });
    const times = { overheadMs: expect.any(Number), durationMs: expect.any(Number) };
    expect(notes).toEqual([{ type: "run_ended", status: "done", ...times }]);
    expect(errors).toEqual([]);
  });

  it("that fails ends with a sentence, in the transcript and in the list of errors", async () => {
    const store = await temporaryStore();
    const refused = new Failure("UPSTREAM_ERROR", "The key is not valid.", { retryable: false });
    const { runner, errors, notes } = worker(store, [[{ type: "failure", failure: refused }]]);
    const { runId, messageId } = await runner.start(ada, { message: "Hi" }, { requestId: "req_1" });
    await reaches(store, runId, "error");
    await until(() => (errors.length > 0 ? true : undefined));
    expect(await store.getMessage(messageId)).toMatchObject({
      finishReason: "error",
      state: { error: { code: "UPSTREAM_ERROR", error: "The key is not valid.", requestId: "req_1" } },
    });
    expect(errors).toEqual([{ code: "UPSTREAM_ERROR", source: "model:test/scripted", requestId: "req_1" }]);
    expect(notes).toMatchObject([{ type: "run_ended", status: "error", error: "UPSTREAM_ERROR" }]);
  });

  it("that cannot be prepared asks no model and says why", async () => {
    const store = await temporaryStore();
    const asked: unknown[] = [];
    const { runner, requests, logged } = worker(store, [says("never")], {
      async admit(user) {
        asked.push(user);
        throw new Failure("FORBIDDEN", "You are suspended.");
      },
    });
    const { runId } = await runner.start(ada, { message: "Hi" }, { requestId: "req_1" });
    await reaches(store, runId, "error");
    expect(asked).toEqual([ada]);
    expect(requests).toEqual([]);
    const events = (await readEvents(store, runId)).map(({ event }) => event);
    expect(events[1]).toEqual({
      type: "error",
      error: "You are suspended.",
      code: "FORBIDDEN",
      requestId: "req_1",
      retryable: false,
    });
    expect(events[2]).toMatchObject({ type: "done", finishReason: "error", iterations: 0, toolCalls: 0 });
    expect(logged).toEqual(["a run failed"]);
  });

  it("that meets an unexpected error says so, without the error's own words", async () => {
    const store = await temporaryStore();
    const { runner } = worker(store, [says("never")], {
      async admit() {
        throw new Error("row 7 of accounts is broken");
      },
    });
    const { runId } = await runner.start(ada, { message: "Hi" });
    await reaches(store, runId, "error");
    const events = (await readEvents(store, runId)).map(({ event }) => event);
    expect(events[1]).toMatchObject({ type: "error", code: "INTERNAL" });
    expect(JSON.stringify(events)).not.toContain("row 7");
  });

  it("is recorded and traced where that is wanted", async () => {
    const store = await temporaryStore();
    const order: string[] = [];
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const { runner } = worker(store, [says("Hello.")], {
      record: async (turn, work) => {
        order.push("record");
        return work(turn);
      },
      trace: async (turn, run, parent, work) => {
        order.push(`trace ${run.userId} ${parent}`);
        return work(turn);
      },
    });
    const { runId } = await runner.start(ada, { message: "Hi" }, { traceparent });
    await reaches(store, runId, "done");
    expect(order).toEqual([`trace ada ${traceparent}`, "record"]);
  });

  it("that is joined is not worked on twice", async () => {
    const store = await temporaryStore();
    const { runner, requests } = worker(store, [says("Hello.")]);
    const options = { idempotencyKey: "once" };
    const first = await runner.start(ada, { message: "Hi" }, options);
    expect(await runner.start(ada, { message: "Hi" }, options)).toEqual({ ...first, joined: true });
    await reaches(store, first.runId, "done");
    expect(requests).toHaveLength(1);
  });
});

describe("stopping", () => {
  it("ends a run here, and keeps what was written", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    const { runner, notes } = worker(store, [script]);
    const { runId, sessionId } = await runner.start(ada, { message: "Hi" });
    await asked;
    await runner.cancel(runId);
    await reaches(store, runId, "cancelled");
    expect(await answerIn(store, sessionId)).toBe("Once upon");
    await until(() => notes[0]);
    expect(notes).toMatchObject([{ status: "cancelled" }]);
  });

  it("ends a run that another process works on", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    const { runner } = worker(store, [script]);
    const elsewhere = worker(store, [], { owner: "two" });
    const { runId } = await runner.start(ada, { message: "Hi" });
    await asked;
    await elsewhere.runner.cancel(runId);
    await reaches(store, runId, "cancelled");
  });

  it("is noticed by the next heartbeat where the wake-up was lost", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    const deaf: Store = { ...store, watch: () => () => {} };
    const { runner } = worker(deaf, [script], { leaseMs: 100 });
    const { runId } = await runner.start(ada, { message: "Hi" });
    await asked;
    await store.requestCancel(runId);
    await reaches(store, runId, "cancelled");
  });

  it("ends work on a run whose session is deleted", async () => {
    const store = await temporaryStore();
    const { script, asked, stopped } = hanging();
    const { runner } = worker(store, [script]);
    const { sessionId } = await runner.start(ada, { message: "Hi" });
    await asked;
    await store.deleteSession(sessionId);
    await stopped;
    await until(() => (runner.activeRuns === 0 ? true : undefined));
  });
});

describe("handing over", () => {
  it("lets another process finish what this one began, without an end in between", async () => {
    const store = await temporaryStore();
    const waiting = Promise.withResolvers<void>();
    const silent: Script = (_, signal) =>
      new Promise((resolve) => {
        waiting.resolve();
        signal.addEventListener("abort", () => resolve());
      });
    const first = worker(store, [silent]);
    const { runId, sessionId } = await first.runner.start(ada, { message: "Hi" });
    await waiting.promise;
    await first.runner.close();
    await first.runner.close();
    expect((await store.getRun(runId))?.status).toBe("running");
    const second = worker(store, [says("Taken over.")], { owner: "two" });
    await second.runner.recover();
    await reaches(store, runId, "done");
    expect(await answerIn(store, sessionId)).toBe("Taken over.");
    expect(second.notes[0]).toEqual({ type: "takeover" });
    const types = (await readEvents(store, runId)).map(({ event }) => event.type);
    expect(types).toEqual(["session", "content_delta", "usage", "done"]);
    expect(first.logged).toEqual([]);
  });

  it("is noticed at once by processes that hear of released runs, and half an answer is finished", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    const first = worker(store, [script]);
    const heard: (() => void)[] = [];
    const watch: Store["watch"] = (runId, wake, only) => {
      if (runId === RELEASED_RUNS) heard.push(() => wake("events"));
      return store.watch(runId, wake, only);
    };
    const second = worker({ ...store, watch }, [says(" a time.")], { owner: "two" });
    const { runId, sessionId } = await first.runner.start(ada, { message: "Hi" });
    await asked;
    await until(async () => ((await readEvents(store, runId)).length > 1 ? true : undefined));
    await first.runner.close();
    for (const wake of heard) wake();
    await reaches(store, runId, "done");
    expect(await answerIn(store, sessionId)).toBe("Once upon a time.");
    expect(second.requests).toMatchObject([{ continues: "Once upon" }]);
    const events = (await readEvents(store, runId)).map(({ event }) => event);
    expect(events.map(({ type }) => type)).toEqual([
      "session",
      "content_delta",
      "usage",
      "run_continued",
      "content_delta",
      "usage",
      "done",
    ]);
    expect(events[3]).toEqual({ type: "run_continued", reason: "crash" });
    const [step] = await store.readSteps(runId);
    expect(step?.idempotencyKey).toBe(`${runId}:model:0#1`);
    expect((await store.listMessages(sessionId)).at(-1)).toMatchObject({
      finishReason: "stop",
      parts: [{ type: "text", text: "Once upon a time." }],
    });
  });

  it("ends with the error where half an answer is not to be continued", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    const first = worker(store, [script]);
    const { runId, sessionId } = await first.runner.start(ada, { message: "Hi" });
    await asked;
    await until(async () => ((await readEvents(store, runId)).length > 1 ? true : undefined));
    await first.runner.close();
    const second = worker(store, [says("never asked")], { owner: "two", maxContinuations: 0 });
    await second.runner.recover();
    await reaches(store, runId, "error");
    expect(await answerIn(store, sessionId)).toBe("Once upon");
    expect(second.requests).toEqual([]);
  });

  it("asks again where only reasoning was visible, and does not show it twice", async () => {
    const store = await temporaryStore();
    const first = worker(store, [
      (emit, signal) =>
        new Promise((resolve) => {
          emit({ type: "reasoning_delta", text: "Let me think." });
          signal.addEventListener("abort", () => resolve());
        }),
    ]);
    const { runId } = await first.runner.start(ada, { message: "Hi" });
    await until(async () => ((await readEvents(store, runId)).length > 1 ? true : undefined));
    await first.runner.close();
    const second = worker(store, [[{ type: "reasoning_delta", text: "Let me think." }, ...says("Yes.")]], {
      owner: "two",
    });
    await second.runner.recover();
    await reaches(store, runId, "done");
    expect(second.requests[0]).not.toHaveProperty("continues");
    const { blocks } = reduceAll((await readEvents(store, runId)).map(({ event }) => event));
    expect(blocks).toMatchObject([
      { type: "reasoning", reasoning: { text: "Let me think.", complete: true } },
      { type: "text", text: "Yes." },
    ]);
  });

  it("takes nothing new once it drains, and waits for runs that are about to end", async () => {
    const store = await temporaryStore();
    const mayEnd = Promise.withResolvers<void>();
    const { runner } = worker(store, [
      async (emit) => {
        await mayEnd.promise;
        for (const event of says("In time.")) emit(event);
      },
    ]);
    const { runId } = await runner.start(ada, { message: "Hi" });
    let drained = false;
    const draining = runner.drain(60_000).then(() => {
      drained = true;
    });
    await expect(runner.start(ada, { message: "Hi" })).rejects.toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      publicMessage: "The server is shutting down. Try again in a moment.",
      retryable: true,
      retryAfter: 5,
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(drained).toBe(false);
    mayEnd.resolve();
    await draining;
    expect((await store.getRun(runId))?.status).toBe("done");
  });

  it("does not wait longer than it is given", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    const { runner } = worker(store, [script]);
    const { runId } = await runner.start(ada, { message: "Hi" });
    await asked;
    await runner.drain(10);
    expect((await store.getRun(runId))?.status).toBe("running");
  });

  it("does not wait for runs that wait for a person", async () => {
    const store = await temporaryStore();
    const { runner } = worker(store, [calls({ name: "save", arguments: "{}" }), says("Done.")]);
    const { runId } = await runner.start(ada, { message: "Hi" });
    await reaches(store, runId, "waiting");
    await runner.drain(60_000);
    expect((await store.getRun(runId))?.status).toBe("waiting");
  });
});

describe("taking over", () => {
  it("skips a run that this version cannot read, and says so once", async () => {
    const store = await temporaryStore();
    const future = { format: 99, request: {}, principal: ada, model: "m", requestId: "r" };
    const unreadable = await openedRun(store, { owner: "dead", request: future });
    const readable = await openedRun(store, {
      owner: "dead",
      request: { request: { message: "Hi" }, principal: ada, model: "m", requestId: "r" },
    });
    await store.releaseLeases("dead");
    const { runner, logged, notes } = worker(store, [says("Hello.")]);
    await runner.recover();
    await reaches(store, readable.id, "done");
    expect(logged).toEqual(["could not take over a run"]);
    expect((await store.getRun(unreadable.id))?.status).toBe("running");
    await store.releaseLeases("one");
    await runner.recover();
    expect(logged).toHaveLength(1);
    expect(notes.filter(({ type }) => type === "takeover").length).toBeGreaterThan(0);
  });

  it("happens with the heartbeat, and stops the owner that lost the run", async () => {
    const store = await temporaryStore();
    const { script, asked, stopped } = hanging();
    const first = worker(store, [script]);
    const { runId } = await first.runner.start(ada, { message: "Hi" });
    await asked;
    await store.releaseLeases("one");
    const second = worker(store, [says(" a time.")], { owner: "two", leaseMs: 100 });
    await reaches(store, runId, "done");
    expect(second.requests).toHaveLength(1);
    await store.renewLeases("one", 1_000);
    await first.runner.close();
    await stopped;
  });

  it("spares the runs of a live owner when the clock jumps, and takes them over when it stays silent", async () => {
    let jump = 0;
    const store = await temporaryStore({ now: () => Date.now() + jump });
    const { script, asked, stopped } = hanging();
    const first = worker(store, [script], { leaseMs: 2_000 });
    const { runId } = await first.runner.start(ada, { message: "Hi" });
    await asked;
    worker(store, [says(" a time.")], { owner: "two", leaseMs: 2_000 });
    await pause(1_200);
    jump = 3_600_000;
    await pause(2_500);
    expect(await store.getRun(runId)).toMatchObject({ status: "running", owner: "one", epoch: 1 });
    await first.runner.close();
    await stopped;
    await reaches(store, runId, "done");
  });

  it("happens again half a lease after the clock has jumped", async () => {
    let jump = 0;
    let passed = 0;
    let claims = 0;
    const real = await temporaryStore({ now: () => Date.now() + jump + passed });
    const claimRuns: Store["claimRuns"] = (...given) => {
      claims++;
      return real.claimRuns(...given);
    };
    const { runner } = worker({ ...real, claimRuns }, [], { leaseMs: 60_000 });
    const { now } = performance;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + passed);
    onTestFinished(() => clock.mockRestore());
    const claimsAfter = async (milliseconds: number) => {
      passed = milliseconds;
      await runner.takeOver();
      return claims;
    };
    expect(await claimsAfter(0)).toBe(1);
    jump = 3_600_000;
    expect([await claimsAfter(0), await claimsAfter(25_000), await claimsAfter(35_000)]).toEqual([1, 1, 2]);
  });

  it("goes on after a heartbeat that failed", async () => {
    const store = await temporaryStore();
    const failing: Store = { ...store, renewLeases: () => Promise.reject(new Error("away")) };
    const { logged } = worker(failing, [], { leaseMs: 100 });
    await until(() => (logged.length > 1 ? true : undefined));
    expect(logged[0]).toBe("could not renew the leases of runs");
  });

  it("renews nothing once the process is closed", async () => {
    const store = await temporaryStore();
    let renewals = 0;
    const renewLeases: Store["renewLeases"] = (...given) => {
      renewals++;
      return store.renewLeases(...given);
    };
    const { runner } = worker({ ...store, renewLeases }, [], { leaseMs: 20 });
    await until(() => (renewals > 1 ? true : undefined));
    await runner.close();
    const before = renewals;
    await pause(50);
    expect(renewals).toBe(before);
  });
});
