import { describe, expect, it } from "vitest";
import { project } from "../loop/context.ts";
import type { Summarize } from "../loop/summary.ts";
import { memoryLog, says, scriptedModel, turnOver } from "../loop/testing/scripted.ts";
import type { ModelCatalogue } from "../protocol/catalogue.ts";
import type { Compaction } from "../protocol/context.ts";
import { Failure } from "../protocol/failure.ts";
import type { DirectUsage } from "../protocol/ledger.ts";
import type { Budgets, UsedUp } from "../protocol/limits.ts";
import { textMessage, textOf } from "../protocol/messages.ts";
import type { Model, Usage } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { answerOf, doneEvent, endOf, openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { branchHistory } from "./history.ts";
import { type CompactParts, compactSession, saveContextOf } from "./shorten-session.ts";

const ada: Principal = { id: "ada", kind: "account" };
const WINDOW = 10_000;
const NOTES = "## Goal\nSee the whole of Norway by train.";
const spent: Usage = { inputTokens: 100, outputTokens: 20 };
const long = (word: string) => `${word} `.repeat(200);

/** Asks and answers in the session `s`. */
async function turn(store: Store, question: string, usage?: Usage, model = "test/scripted"): Promise<Run> {
  const known = await store.getSession("s");
  const run = await openedRun(store, {
    sessionId: "s",
    newSession: known ? undefined : { title: "s" },
    userMessage: textMessage(`ask ${question}`, "user", long(question)),
    messageId: `answer ${question}`,
    request: { request: {}, principal: ada, model: "test/scripted", requestId: "r" },
  });
  const parts = [{ type: "text" as const, text: long(`${question}!`) }];
  const message = { ...answerOf(run, []), parts, model, ...(usage ? { usage } : {}) };
  await store.finishRun({ ...endOf(run, 2, [doneEvent(run)]), message });
  return run;
}

interface Options extends Partial<CompactParts> {
  summarize?: Summarize;
  isChatModel?: boolean;
  factor?: number;
  used?: UsedUp;
  limited?: boolean;
  models?: ModelCatalogue;
}

/** A session with two turns that can be shortened. */
async function session(usage?: Usage, options: Options = {}) {
  const { isChatModel = false, factor = 1, used, limited = true, ...change } = options;
  const store = await temporaryStore();
  await turn(store, "fjords");
  const last = await turn(store, "trains", usage);
  const asked: Parameters<Summarize>[0][] = [];
  const recorded: DirectUsage[] = [];
  const { model } = scriptedModel([says("never asked")], { contextWindow: WINDOW });
  const summarize: Summarize = async (question) => {
    asked.push(question);
    return { text: NOTES, usage: spent, model: "side/model" };
  };
  const parts: CompactParts = {
    store: { ...store, recordUsage: async (one) => void recorded.push(one) },
    models: { resolve: () => model } as Partial<ModelCatalogue> as ModelCatalogue,
    contexts: {
      memoryOf: () => ({
        factor: () => factor,
        noteUsage: () => {},
        window: (declared = 0) => declared,
        noteWindow: () => {},
      }),
      labels: () => [],
      summarizer: () => ({ ask: options.summarize ?? summarize, isChatModel }),
    },
    budgets: { limited: async () => limited, usedUp: async () => used } as Partial<Budgets> as Budgets,
    runner: { turnOf: () => Promise.reject(new Failure("NOT_FOUND", "Its model is gone.")) },
    keysOf: async () => ({}),
    ...change,
  };
  const compacted = async (focus?: string, who = ada) => {
    const found = await store.getSession("s");
    if (!found) throw new Error("There is no session.");
    return compactSession(parts, who, found, focus);
  };
  return { store, parts, last, model, asked, recorded, compacted };
}

describe("shortening a session", () => {
  it("replaces everything but the newest turn by a summary, and keeps it", async () => {
    const { store, asked, recorded, compacted } = await session();
    const history = await branchHistory(store, "s");
    const whole = project(history, {}, WINDOW).tokens;
    const compaction = await compacted("the trains");
    const kept = await store.getContext("s");
    const after = project(history, kept?.view ?? {}, WINDOW);
    expect(after.messages.map(textOf)).toEqual([
      expect.stringContaining("See the whole of Norway by train."),
      long("trains"),
      long("trains!"),
    ]);
    expect(compaction).toEqual({
      messages: 2,
      tokensBefore: whole,
      tokensAfter: after.tokens,
      reason: "asked",
      cost: { model: "side/model", inputTokens: 100, outputTokens: 20 },
    });
    expect(after.tokens).toBeLessThan(whole);
    expect(kept).toMatchObject({
      id: expect.stringMatching(/^ctx_/),
      sessionId: "s",
      messageId: "ask trains",
      askedAfter: "answer trains",
      compaction,
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.system).toContain("the trains");
    expect(recorded).toEqual([
      { id: kept?.id, userId: "ada", tool: "compact", model: "side/model", usage: spent },
    ]);
  });

  it("starts from what the vendor counted after the last answer, by the factor of the model", async () => {
    const { store, compacted } = await session({ ...spent, contextTokens: 3_000 }, { factor: 2 });
    const history = await branchHistory(store, "s");
    const { tokensBefore, tokensAfter } = await compacted();
    const view = (await store.getContext("s"))?.view ?? {};
    const saved = 2 * (project(history, {}, WINDOW).tokens - project(history, view, WINDOW).tokens);
    expect({ tokensBefore, tokensAfter }).toEqual({ tokensBefore: 3_000, tokensAfter: 3_000 - saved });
    const estimated = await session(undefined, { factor: 2 });
    expect((await estimated.compacted()).tokensBefore).toBe(2 * project(history, {}, WINDOW).tokens);
  });

  it("never reports less than nothing, nor fractions", async () => {
    const { compacted } = await session({ ...spent, contextTokens: 1 });
    expect(await compacted()).toMatchObject({ tokensBefore: 1, tokensAfter: 0 });
    const odd = await session(undefined, { factor: 1.03 });
    const { tokensBefore, tokensAfter } = await odd.compacted();
    expect([tokensBefore, tokensAfter].every(Number.isInteger)).toBe(true);
  });

  it("has nothing left to do the second time, and says what the first left", async () => {
    const { store, compacted, asked } = await session({ ...spent, contextTokens: 3_000 });
    const first = await compacted();
    const again: Compaction = {
      messages: 0,
      tokensBefore: first.tokensAfter,
      tokensAfter: first.tokensAfter,
      reason: "asked",
    };
    expect(await compacted()).toEqual(again);
    expect(asked).toHaveLength(1);
    await turn(store, "ferries", { ...spent, contextTokens: 2_500 });
    expect(await compacted()).toMatchObject({ messages: 2, tokensBefore: 2_500 });
    expect(asked[1]?.prompt).toContain("See the whole of Norway");
  });

  it("keeps less than the newest turn where that takes more than half of the window", async () => {
    const { model } = scriptedModel([], { contextWindow: 300 });
    const { store, compacted } = await session(undefined, {
      models: { resolve: () => model } as Partial<ModelCatalogue> as ModelCatalogue,
    });
    expect(await compacted()).toMatchObject({ messages: 2 });
    expect((await store.getContext("s"))?.view.summary?.before).toEqual({ messageId: "ask trains", part: 0 });
  });

  it("is refused while an answer is written", async () => {
    const { store, parts, asked } = await session();
    const run = await openedRun(store, { sessionId: "s", newSession: undefined });
    const busy = await store.getSession("s");
    expect(busy?.activeRunId).toBe(run.id);
    await expect(compactSession(parts, ada, busy ?? never())).rejects.toMatchObject({
      code: "CONFLICT",
      publicMessage: "An answer is still being written in this session. Stop it, or wait until it ends.",
    });
    expect(asked).toEqual([]);
  });

  it("is refused without money, and asks about it only where something limits it", async () => {
    const sentence = "Your budget is used up.";
    const later = await session(undefined, { used: { sentence, retryAfter: 60 } });
    await expect(later.compacted()).rejects.toMatchObject({
      code: "RATE_LIMITED",
      publicMessage: sentence,
      retryAfter: 60,
      retryable: true,
    });
    expect(later.asked).toEqual([]);
    const never = await session(undefined, { used: { sentence } });
    await expect(never.compacted()).rejects.toMatchObject({ code: "RATE_LIMITED", retryable: false });
    const unlimited = await session(undefined, { used: { sentence }, limited: false });
    expect(await unlimited.compacted()).toMatchObject({ messages: 2 });
  });

  it("books what a failed summary took, and keeps nothing of it", async () => {
    const { store, compacted, recorded } = await session(undefined, {
      summarize: async () => ({ text: "No.", usage: { ...spent, cachedTokens: 60, costUsd: 0.5 } }),
    });
    await expect(compacted(undefined, { ...ada, key: { id: "key_1" } })).rejects.toMatchObject({
      code: "UPSTREAM_ERROR",
    });
    expect(recorded).toMatchObject([
      { keyId: "key_1", model: "test/scripted", usage: { ...spent, cachedTokens: 60, costUsd: 0.5 } },
    ]);
    expect(await store.getContext("s")).toBeUndefined();
  });

  it("reports the cost with what came from the cache, and none where nothing was counted", async () => {
    const paid = await session(undefined, {
      summarize: async () => ({ text: NOTES, usage: { ...spent, cachedTokens: 60, costUsd: 0.5 } }),
    });
    expect((await paid.compacted()).cost).toEqual({
      model: "test/scripted",
      inputTokens: 100,
      outputTokens: 20,
      cachedTokens: 60,
      costUsd: 0.5,
    });
    const free = await session(undefined, {
      summarize: async () => ({ text: NOTES, usage: { inputTokens: 0, outputTokens: 0 } }),
    });
    expect(await free.compacted()).not.toHaveProperty("cost");
    expect(free.recorded).toEqual([]);
  });

  it("collects the person's words where no model writes summaries", async () => {
    const { store, compacted, parts } = await session();
    parts.contexts = { ...parts.contexts, summarizer: () => undefined };
    expect(await compacted()).toMatchObject({ messages: 2 });
    expect((await store.getContext("s"))?.view.summary).toMatchObject({
      notes: "",
      text: expect.stringContaining("fjords"),
    });
  });
});

describe("the model that is asked", () => {
  it("is the one that answered last, or the default one where that is gone", async () => {
    const { model, compacted, parts, store } = await session();
    const resolved: (string | undefined)[] = [];
    const gone = new Failure("INVALID_INPUT", "There is no such model.");
    const keys = { openai: "key" };
    parts.keysOf = async (userId) => (userId === "ada" ? keys : {});
    parts.models = {
      resolve(id: string | undefined, given: unknown) {
        resolved.push(id);
        expect(given).toBe(keys);
        if (id !== undefined) throw gone;
        return model;
      },
    } as Partial<ModelCatalogue> as ModelCatalogue;
    expect(await compacted()).toMatchObject({ messages: 2 });
    expect(resolved).toEqual(["test/scripted", undefined]);
    await turn(store, "ferries", undefined, "other/model");
    await compacted();
    expect(resolved.slice(2)).toEqual(["other/model", undefined]);
    const broken = new Error("broken");
    parts.models = throwing(broken);
    await expect(compacted()).rejects.toBe(broken);
    await store.importSession({
      id: "none",
      userId: "ada",
      title: "",
      headId: "m",
      messages: [textMessage("m", "user", "Hi")],
    });
    parts.models = throwing(gone);
    await expect(compactSession(parts, ada, (await store.getSession("none")) ?? never())).rejects.toBe(gone);
  });

  it("is asked right after its last answer, if that run can be repeated", async () => {
    const { model, requests } = scriptedModel([says(NOTES)], { contextWindow: WINDOW });
    const { last, compacted, parts, asked, store } = await session(undefined, { isChatModel: true });
    const summarizer = parts.contexts.summarizer(ada, model.id);
    const history = (await branchHistory(store, "s")).slice(0, -1);
    const repeated = (change: Partial<Model> = {}) =>
      turnOver(
        { ...model, ...change },
        {
          log: memoryLog(),
          change: {
            history,
            context: {
              changed: false,
              view: {},
              memory: parts.contexts.memoryOf("", ""),
              ...(summarizer ? { summarizer } : {}),
            },
          },
        },
      ).turn;
    const runs: string[] = [];
    parts.runner = {
      async turnOf({ id }) {
        runs.push(id);
        return repeated({ id: "other/model" });
      },
    };
    await compacted();
    expect(requests).toEqual([]);
    expect(asked).toHaveLength(1);
    await turn(store, "ferries");
    parts.runner = { turnOf: async () => repeated() };
    expect(await compacted()).toMatchObject({ cost: { model: "test/scripted", inputTokens: 10 } });
    expect(asked).toHaveLength(1);
    expect(requests[0]?.messages.map(textOf).slice(0, -1)).toEqual([
      expect.stringContaining("See the whole of Norway by train."),
      long("trains"),
      long("ferries!"),
    ]);
    expect(runs).toEqual([last.id]);
  });

  it("is not asked in place where the run cannot be repeated, but other errors are not hidden", async () => {
    const { compacted, parts, asked } = await session();
    const broken = new Error("the database is away");
    parts.runner = { turnOf: () => Promise.reject(broken) };
    await expect(compacted()).rejects.toBe(broken);
    parts.runner = { turnOf: () => Promise.reject(new Failure("NOT_FOUND", "Gone.")) };
    expect(await compacted()).toMatchObject({ messages: 2 });
    expect(asked).toHaveLength(1);
  });
});

it("a run keeps its own change under its id, however often", async () => {
  const { store, last, compacted } = await session();
  await compacted();
  const { view, compaction, messageId } = (await store.getContext("s")) ?? never();
  for (const tokensAfter of [1, 2])
    await saveContextOf(store, last, { view, messageId, compaction: { ...compaction, tokensAfter } });
  const kept = (await store.listContexts("s")).filter(({ id }) => id === `context_${last.id}`);
  expect(kept).toHaveLength(1);
});

function throwing(error: Error): ModelCatalogue {
  return {
    resolve() {
      throw error;
    },
  } as Partial<ModelCatalogue> as ModelCatalogue;
}

function never(): never {
  throw new Error("There is nothing there.");
}
