import { beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { Attempts, type Model, type ModelEvent, type ModelRequest } from "../protocol/model.ts";
import type { Store } from "../protocol/store.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createBreakers } from "./breaker.ts";
import { withBreaker } from "./model-breaker.ts";
import { handClock } from "./testing/guarded.ts";

let store: Store;
let clock: ReturnType<typeof handClock>;
beforeEach(async () => {
  clock = handClock();
  store = await temporaryStore({ now: clock.now });
});

describe("a model behind its breaker", () => {
  const down: ModelEvent = { type: "failure", failure: new Failure("UPSTREAM_ERROR", "Down.") };
  const fine: ModelEvent = { type: "finish", reason: "stop", parts: [] };

  function modelThat(script: () => ModelEvent[]) {
    let asked = 0;
    const model: Model = {
      id: "openai/gpt-4o",
      info: { name: "gpt-4o" },
      async stream(_, emit) {
        asked += 1;
        for (const event of script()) emit(event);
      },
    };
    const breakers = createBreakers({ store, now: clock.now });
    const behind = withBreaker(model, breakers, { label: "OpenAI" });
    const withKey = (ownKey: string) => withBreaker(model, breakers, { label: "OpenAI", ownKey });
    return { behind, withKey, asked: () => asked };
  }

  async function ask(model: Model, wanted: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
    const events: ModelEvent[] = [];
    await model.stream(
      { messages: [], tools: [], ...wanted },
      (event) => events.push(event),
      new AbortController().signal,
    );
    return events;
  }

  it("is not called after three failures, until a probe succeeds", async () => {
    let answer: ModelEvent = down;
    const { behind, asked } = modelThat(() => [answer]);
    for (let question = 0; question < 3; question++) expect(await ask(behind)).toEqual([down]);
    const [refusal] = await ask(behind);
    expect(refusal).toMatchObject({
      type: "failure",
      failure: { code: "BREAKER_OPEN", retryAfter: 30, publicMessage: expect.stringContaining("OpenAI") },
    });
    expect(asked()).toBe(3);
    expect(await store.listBreakers()).toMatchObject([{ name: "model:openai/gpt-4o:chat", state: "open" }]);
    answer = fine;
    clock.advance(30_000);
    expect(await ask(behind)).toEqual([fine]);
    expect(await ask(behind)).toEqual([fine]);
  });

  it("still chats while the vendor's images fail, and the other way round", async () => {
    const images = { imageOutput: true };
    for (const [failing, working, name] of [
      [images, {}, "model:openai/gpt-4o:image"],
      [{}, images, "model:openai/gpt-4o:chat"],
    ] as const) {
      let answer: ModelEvent = down;
      const { behind } = modelThat(() => [answer]);
      for (let question = 0; question < 3; question++) await ask(behind, failing);
      answer = fine;
      expect(await ask(behind, failing)).toMatchObject([
        { type: "failure", failure: { code: "BREAKER_OPEN" } },
      ]);
      expect(await ask(behind, working)).toEqual([fine]);
      expect(await store.listBreakers()).toMatchObject([{ name, state: "open" }]);
      await store.reportBreaker(name, { outcome: "succeeded" });
    }
  });

  it("makes all attempts at an answer, and counts them once", async () => {
    const { behind, asked } = modelThat(() => [down]);
    for (let turn = 1; turn <= 3; turn++) {
      const attempts = new Attempts("chat", "ada");
      for (let attempt = 0; attempt < 4; attempt++) expect(await ask(behind, { attempts })).toEqual([down]);
      await attempts.end();
      expect(await store.listBreakers()).toMatchObject([{ failures: turn }]);
    }
    expect(asked()).toBe(12);
    expect(await ask(behind)).toMatchObject([{ failure: { code: "BREAKER_OPEN" } }]);
  });

  it("lets the attempts of an admitted answer go on while others open the breaker", async () => {
    let answer: ModelEvent = down;
    const { behind } = modelThat(() => [answer]);
    const attempts = new Attempts("chat", "");
    expect(await ask(behind, { attempts })).toEqual([down]);
    for (let turn = 0; turn < 3; turn++) await ask(behind);
    expect(await store.listBreakers()).toMatchObject([{ state: "open" }]);
    expect(await ask(behind, { attempts })).toEqual([down]);
    answer = fine;
    expect(await ask(behind, { attempts })).toEqual([fine]);
    await attempts.end();
    expect(await store.listBreakers()).toEqual([]);
  });

  it("does not count attempts that the person stopped, but counts those that took too long", async () => {
    const { behind } = modelThat(() => [down]);
    const attempts = new Attempts("chat", "ada");
    const stop = new AbortController();
    await behind.stream({ messages: [], tools: [], attempts }, () => {}, stop.signal);
    stop.abort();
    await attempts.end();
    expect(await store.listBreakers()).toEqual([]);
    const slow = new Attempts("rewrite", "ada");
    const late = AbortSignal.timeout(0);
    await behind.stream({ messages: [], tools: [], attempts: slow }, () => {}, late);
    await expect.poll(() => late.aborted).toBe(true);
    await slow.end();
    expect(await store.listBreakers()).toMatchObject([{ name: "model:openai/gpt-4o:rewrite", failures: 1 }]);
  });

  it("has a breaker for each purpose and each person's own key, without storing the key", async () => {
    const { behind, withKey } = modelThat(() => [down]);
    const fail = async (model: Model, purpose: Attempts["purpose"], caller: string) => {
      const attempts = new Attempts(purpose, caller);
      const [event] = await ask(model, { attempts });
      await attempts.end();
      return event?.type === "failure" ? event.failure.code : undefined;
    };
    for (let turn = 0; turn < 3; turn++) await fail(behind, "rewrite", "ada");
    for (let turn = 0; turn < 3; turn++) await fail(withKey("sk-very-secret"), "chat", "ada");
    expect(await fail(behind, "rewrite", "ada")).toBe("BREAKER_OPEN");
    expect(await fail(withKey("sk-very-secret"), "chat", "ada")).toBe("BREAKER_OPEN");
    expect(await fail(behind, "chat", "ada")).toBe("UPSTREAM_ERROR");
    expect(await fail(withKey("sk-of-bob"), "chat", "bob")).toBe("UPSTREAM_ERROR");
    const names = (await store.listBreakers()).map(({ name }) => name);
    expect(names).toHaveLength(4);
    expect(names.join()).not.toContain("secret");
    expect(names).toContainEqual(expect.stringMatching(/^model:openai\/gpt-4o:chat:key-[\w-]{12}$/));
  });

  it.each([
    ["a bad key", new Failure("UPSTREAM_ERROR", "Bad key.", { retryable: false })],
    ["a conversation that is too long", new Failure("CONTEXT_TOO_LARGE", "Too long.")],
    ["an empty answer", new Failure("UPSTREAM_ERROR", "Empty.", { details: { emptyAnswer: true } })],
    ["a person who stops it", new Failure("CANCELLED", "Stopped.")],
    ["a vendor that limits us", new Failure("UPSTREAM_ERROR", "Slow.", { details: { upstreamStatus: 429 } })],
  ])("stays open to questions after %s", async (_, failure) => {
    const { behind, asked } = modelThat(() => [{ type: "failure", failure }]);
    for (let question = 0; question < 5; question++) await ask(behind);
    expect(asked()).toBe(5);
  });

  it("is not called if the breaker cannot be read", async () => {
    const failing: Store = { ...store, takeBreaker: () => Promise.reject(new Error("the disk is gone")) };
    const breakers = createBreakers({ store: failing, now: clock.now });
    const { behind, asked } = modelThat(() => [fine]);
    const unsure = withBreaker(behind, breakers, { label: "Z.ai" });
    expect(await ask(unsure)).toMatchObject([{ type: "failure", failure: { code: "RESOURCE_EXHAUSTED" } }]);
    expect(asked()).toBe(0);
  });

  it("releases its probe when the model throws", async () => {
    for (let failure = 0; failure < 3; failure++)
      await store.reportBreaker("model:openai/gpt-4o:chat", {
        outcome: "failed",
        caller: "ada",
        alone: true,
      });
    clock.advance(30_000);
    let throws = true;
    const { behind } = modelThat(() => {
      if (throws) throw new Error("broken promise");
      return [fine];
    });
    await expect(ask(behind)).rejects.toThrow("broken promise");
    throws = false;
    expect(await ask(behind)).toEqual([fine]);
  });

  it.each([
    ["is not asked for vectors after three failures", new Failure("UPSTREAM_ERROR", "Down."), false, 3],
    ["is still asked for vectors after texts that it refuses", new Failure("INVALID_INPUT", "No."), false, 5],
    ["is still asked for vectors after callers who left", new Failure("UPSTREAM_ERROR", "Down."), true, 5],
  ] as const)("%s", async (_, failure, isGone, times) => {
    let asked = 0;
    const model: Model = {
      id: "openai/text-embedding-3-small",
      info: { name: "text-embedding-3-small" },
      stream: async () => {},
      async embed() {
        asked += 1;
        throw failure;
      },
    };
    const behind = withBreaker(model, createBreakers({ store, now: clock.now }), { label: "OpenAI" });
    const signal = isGone ? AbortSignal.abort() : new AbortController().signal;
    for (let question = 0; question < 5; question++)
      await behind.embed?.({ input: ["a"], encoding: "float", caller: "ada" }, signal).catch(() => {});
    expect(asked).toBe(times);
  });
});
