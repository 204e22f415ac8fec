import { describe, expect, it } from "vitest";
import { calls, type Script, says } from "../loop/testing/scripted.ts";
import type { BackgroundCommands } from "../protocol/commands.ts";
import { Failure } from "../protocol/failure.ts";
import { textOf } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Registry } from "../protocol/registry.ts";
import { readEvents } from "../protocol/run-events.ts";
import type { Store } from "../protocol/store.ts";
import { openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { registryOf } from "./testing/registry.ts";
import { hanging, reaches, until, worker } from "./testing/worker.ts";

const ada: Principal = { id: "ada", kind: "account" };

/** A script that answers when it may. */
function held(text: string) {
  const [asked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const script: Script = async (emit) => {
    asked.resolve();
    await mayEnd.promise;
    for (const event of says(text)) emit(event);
  };
  return { script, asked: asked.promise, end: () => mayEnd.resolve() };
}

function send(store: Store, runId: string, messageId: string, when: "now" | "after" = "after") {
  const parts = [{ type: "text" as const, text: `${messageId}?`, messageId }];
  return store.addInput({ runId, messageId, when, parts }, 20);
}

const statesOf = async (store: Store, runId: string) =>
  (await store.listInputs(runId)).map(({ messageId, state }) => [messageId, state]);
const saidIn = async (store: Store, sessionId: string) => (await store.listMessages(sessionId)).map(textOf);
const isIdle = (runner: { activeRuns: number }) => until(() => (runner.activeRuns === 0 ? true : undefined));

describe("a message that waits for the end of a run", () => {
  it("starts the next turn, with the same limits, and says which message that answers", async () => {
    const store = await temporaryStore();
    const first = held("First.");
    const { runner, requests } = worker(store, [first.script, says("Second."), says("Third.")]);
    const { runId, sessionId } = await runner.start(ada, { message: "Hi" }, { limits: { maxToolCalls: 1 } });
    await first.asked;
    await send(store, runId, "two");
    await send(store, runId, "three");
    first.end();
    await until(async () => ((await saidIn(store, sessionId)).length === 6 ? true : undefined));
    await isIdle(runner);
    expect(await saidIn(store, sessionId)).toEqual(["Hi", "First.", "two?", "Second.", "three?", "Third."]);
    expect(requests).toHaveLength(3);
    const answer = (await store.listMessages(sessionId))[3];
    const next = await store.getRun(answer?.runId ?? "");
    expect(next).toMatchObject({ userId: "ada", request: { limits: { maxToolCalls: 1 } } });
    expect((await readEvents(store, answer?.runId ?? "")).map(({ event }) => event)[1]).toEqual({
      type: "user_message",
      messageId: "two",
      text: "two?",
      when: "after",
    });
  });

  it("starts it after those that the run itself was to hear", async () => {
    const store = await temporaryStore();
    const asked = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const refused: Script = async (emit) => {
      asked.resolve();
      await mayEnd.promise;
      for (const event of says("First.", "content_filter")) emit(event);
    };
    const { runner } = worker(store, [refused, says("Second."), says("Third.")]);
    const { runId, sessionId } = await runner.start(ada, { message: "Hi" });
    await asked.promise;
    await send(store, runId, "later");
    await send(store, runId, "urgent", "now");
    mayEnd.resolve();
    await until(async () => ((await saidIn(store, sessionId)).length === 6 ? true : undefined));
    await isIdle(runner);
    const said = await saidIn(store, sessionId);
    expect(said).toEqual(["Hi", "First.", "urgent?", "Second.", "later?", "Third."]);
  });

  it("is not looked for where nothing was sent", async () => {
    const store = await temporaryStore();
    const asked: string[] = [];
    const watched: Store = {
      ...store,
      claimInputs: (...run) => store.claimInputs(...run).finally(() => asked.push("claim")),
      listInputs: (runId) => store.listInputs(runId).finally(() => asked.push("list")),
    };
    const { runner } = worker(watched, [says("First.")]);
    const { sessionId } = await runner.start(ada, { message: "Hi" });
    await until(async () => ((await saidIn(store, sessionId)).length === 2 ? true : undefined));
    await isIdle(runner);
    expect(asked).toEqual([]);
  });

  it("comes back where the run was stopped or failed, and nothing is started", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    const stopped = worker(store, [script]);
    const { runId } = await stopped.runner.start(ada, { message: "Hi" });
    await asked;
    await send(store, runId, "two");
    await stopped.runner.cancel(runId);
    await isIdle(stopped.runner);
    expect(await statesOf(store, runId)).toEqual([["two", "returned"]]);
    const first = held("");
    const failing = worker(store, [
      async (emit, signal) => {
        if (typeof first.script === "function") await first.script(() => {}, signal);
        emit({ type: "failure", failure: new Failure("UPSTREAM_ERROR", "No.", { retryable: false }) });
      },
    ]);
    const failed = await failing.runner.start(ada, { message: "Hi" });
    await first.asked;
    await send(store, failed.runId, "three");
    first.end();
    await isIdle(failing.runner);
    expect(await statesOf(store, failed.runId)).toEqual([["three", "returned"]]);
    expect(failing.requests).toHaveLength(1);
  });

  it("comes back where the client has to answer first", async () => {
    const store = await temporaryStore();
    const mayEnd = Promise.withResolvers<void>();
    const { runner, requests } = worker(store, [
      async (emit) => {
        await mayEnd.promise;
        for (const event of calls({ name: "theirs", arguments: "{}" })) emit(event);
      },
    ]);
    const clientTools = [{ name: "theirs", description: "", parameters: { type: "object" } }];
    const { runId } = await runner.start(ada, { message: "Hi", clientTools });
    await send(store, runId, "two");
    mayEnd.resolve();
    await isIdle(runner);
    expect(await statesOf(store, runId)).toEqual([["two", "returned"]]);
    expect(requests).toHaveLength(1);
  });

  it("is started by the next process where this one ends first", async () => {
    const store = await temporaryStore();
    const first = held("First.");
    const { runner } = worker(store, [first.script]);
    const { runId, sessionId } = await runner.start(ada, { message: "Hi" });
    await first.asked;
    await send(store, runId, "two");
    const draining = runner.drain(60_000);
    first.end();
    await draining;
    await isIdle(runner);
    expect(await statesOf(store, runId)).toEqual([["two", "waiting"]]);
    await runner.recover();
    expect(await saidIn(store, sessionId)).toHaveLength(2);
    const second = worker(store, [says("Second.")], { owner: "two" });
    await second.runner.recover();
    await until(async () => ((await saidIn(store, sessionId)).length === 4 ? true : undefined));
    expect(await saidIn(store, sessionId)).toEqual(["Hi", "First.", "two?", "Second."]);
    await isIdle(second.runner);
  });

  it.each([
    ["comes back", new Failure("INVALID_INPUT", "There is no such model."), "returned", 1],
    ["waits on", new Failure("RESOURCE_EXHAUSTED", "Too much."), "waiting", 1],
    ["waits on", new Error("The database is away."), "waiting", 1],
    ["waits on silently", new Failure("CONFLICT", "Another turn has begun."), "waiting", 0],
  ])("%s where its turn cannot be started: %s", async (_, thrown, state, warnings) => {
    const store = await temporaryStore();
    const first = held("First.");
    let refused = false;
    const registry = registryOf({ list: () => [] });
    const refusing: Registry = {
      ...registry,
      for() {
        if (refused) throw thrown;
        return registry;
      },
    };
    const { runner, logged } = worker(store, [first.script], { registry: refusing });
    const { runId } = await runner.start(ada, { message: "Hi" });
    await first.asked;
    await send(store, runId, "two");
    refused = true;
    first.end();
    await isIdle(runner);
    expect(await statesOf(store, runId)).toEqual([["two", state]]);
    const warned = logged.filter((one) => one === "could not start the turn that waited for a run");
    expect(warned).toHaveLength(warnings);
  });
});

describe("a process that works on a run", () => {
  it("ends the run's background commands once another process has it, and says if that fails", async () => {
    const store = await temporaryStore();
    const { script, asked, stopped } = hanging();
    const ended: string[] = [];
    const { runner, logged } = worker(store, [script], {
      callContexts: {
        sandbox: { tier: "none", detail: "", improve: "" },
        contextFor: (principal) => ({ principal, roots: [], now: () => new Date() }),
        background: {
          async endRun(runId: string) {
            ended.push(runId);
            throw new Error("It hangs.");
          },
        } as Partial<BackgroundCommands> as BackgroundCommands,
      },
    });
    const { runId } = await runner.start(ada, { message: "Hi" });
    await asked;
    await store.releaseLeases("one");
    const second = worker(store, [says(" a time.")], { owner: "two" });
    await second.runner.recover();
    await runner.takeOver();
    await stopped;
    await reaches(store, runId, "done");
    await until(() => (logged.length > 0 ? true : undefined));
    expect(new Set(ended)).toEqual(new Set([runId]));
    expect(new Set(logged)).toEqual(new Set(["could not stop the commands of a run"]));
  });

  it("stops all child runs with their parent", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    const { runner } = worker(store, [script, hanging().script]);
    const parent = await runner.start(ada, { message: "Hi" });
    await asked;
    const child = {
      parentRunId: parent.runId,
      parentCallId: "call",
      root: { id: parent.runId, sessionId: parent.sessionId },
      depth: 1,
      situation: { outside: [], workspace: [], privateReads: [], suspicious: [], personTexts: [] },
      limits: {},
    };
    const started = await runner.start(ada, { message: "Find it." }, { child });
    await runner.cancel(parent.runId);
    await reaches(store, parent.runId, "cancelled");
    await reaches(store, started.runId, "cancelled");
  });

  it("still starts children while it drains, because the next process goes on with them", async () => {
    const store = await temporaryStore();
    const parent = await openedRun(store);
    const { runner } = worker(store, [says("Found.")]);
    await runner.drain(0);
    await expect(runner.start(ada, { message: "Hi" })).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    const child = {
      parentRunId: parent.id,
      parentCallId: "call",
      root: { id: parent.id, sessionId: parent.sessionId },
      depth: 1,
      situation: { outside: [], workspace: [], privateReads: [], suspicious: [], personTexts: [] },
      limits: {},
    };
    const { runId } = await runner.start(ada, { message: "Find it." }, { child });
    await reaches(store, runId, "done");
  });

  it("tells the account what it starts: the session first, and only a new one", async () => {
    const store = await temporaryStore();
    const { runner } = worker(store, [says("Hello.")]);
    const { runId, sessionId, messageId } = await runner.start(ada, { message: "Hi" });
    await reaches(store, runId, "done");
    const again = await runner.start(ada, { message: "More", sessionId });
    await reaches(store, again.runId, "done");
    await isIdle(runner);
    const told = (await store.readAccount("ada", 0)).events.map(({ json }) => JSON.parse(json));
    expect(told.filter(({ type }) => type !== "run_ended")).toEqual([
      { type: "session_created", sessionId, title: "Hi" },
      { type: "run_started", sessionId, runId, messageId },
      { type: "run_started", sessionId, runId: again.runId, messageId: again.messageId },
    ]);
  });

  it("says which run it could not read the state of, and goes on", async () => {
    const store = await temporaryStore();
    const { script, asked } = hanging();
    let away = false;
    const flaky: Store = {
      ...store,
      getRun: (id) => (away ? Promise.reject(new Error("away")) : store.getRun(id)),
    };
    const { runner, logged } = worker(flaky, [script]);
    const { runId } = await runner.start(ada, { message: "Hi" });
    await asked;
    away = true;
    await send(store, runId, "two", "now");
    await until(() => (logged.length > 0 ? true : undefined));
    expect(logged).toEqual(["could not read the state of a run"]);
    away = false;
    await runner.cancel(runId);
    await reaches(store, runId, "cancelled");
  });
});
