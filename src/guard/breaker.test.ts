import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { Failure, type FailureCode } from "../protocol/failure.ts";
import type { Store } from "../protocol/store.ts";
import type { Tool } from "../protocol/tool.ts";
import { temporaryDatabase, temporaryStore } from "../store/testing/temporary.ts";
import { type BreakerPass, createBreakers } from "./breaker.ts";
import { createGuard } from "./pipeline.ts";
import { policyFile } from "./policy.ts";
import { callThrough, contextOf, exampleTool, handClock } from "./testing/guarded.ts";
import { toolBreakers } from "./tool-breakers.ts";

const context = contextOf({ id: "local", kind: "owner" });
const guarded = { name: "tool:slow", label: "The tool 'slow'", caller: "ada" };
const byBob = { ...guarded, caller: "bob" };

let store: Store;
let clock: ReturnType<typeof handClock>;
let path: string;
beforeEach(async () => {
  clock = handClock();
  path = await temporaryDatabase();
  store = await temporaryStore({ path, now: clock.now });
});

function counting(inner: Store) {
  const calls = { take: 0, report: 0 };
  const counted: Store = {
    ...inner,
    takeBreaker: (...args) => {
      calls.take += 1;
      return inner.takeBreaker(...args);
    },
    reportBreaker: (...args) => {
      calls.report += 1;
      return inner.reportBreaker(...args);
    },
  };
  return { store: counted, calls };
}

async function passed(pass: Promise<BreakerPass>) {
  const answer = await pass;
  if (answer.open) throw new Error("the breaker is open");
  return answer;
}

describe("breakers over one store", () => {
  it("need no query while all is well, and are refreshed once a second", async () => {
    const { store: counted, calls } = counting(store);
    const breakers = createBreakers({ store: counted, now: clock.now });
    for (let call = 0; call < 100; call++) await (await passed(breakers.pass(guarded))).ended("succeeded");
    expect(calls).toEqual({ take: 1, report: 0 });
    clock.advance(1_000);
    await (await passed(breakers.pass(guarded))).ended("succeeded");
    expect(calls).toEqual({ take: 2, report: 0 });
  });

  it("open with the third failure, and say when to try again", async () => {
    const breakers = createBreakers({ store, now: clock.now });
    for (let failure = 0; failure < 3; failure++)
      await (await passed(breakers.pass(guarded))).ended("failed");
    clock.advance(11_000);
    const pass = await breakers.pass(guarded);
    expect(pass.open && pass.failure).toMatchObject({
      code: "BREAKER_OPEN",
      status: 503,
      retryable: true,
      retryAfter: 19,
      publicMessage: "The tool 'slow' keeps failing, so it is paused. Try again in 19 seconds.",
    });
    clock.advance(18_000);
    expect(await breakers.pass(guarded)).toMatchObject({
      failure: { publicMessage: expect.stringMatching(/Try again in 1 second\.$/) },
    });
  });

  it("count failures in a row, whatever was cached", async () => {
    const breakers = createBreakers({ store, now: clock.now });
    for (const outcome of ["failed", "failed", "succeeded", "failed", "failed"] as const)
      await (await passed(breakers.pass(guarded))).ended(outcome);
    expect((await breakers.pass(guarded)).open).toBe(false);
    expect(await breakers.list()).toEqual([{ name: "tool:slow", state: "closed", failures: 2 }]);
  });

  it("are shared between instances: one opens, the others refuse within a second, only one probes", async () => {
    const elsewhere = await temporaryStore({ path, now: clock.now });
    const here = createBreakers({ store, now: clock.now });
    const there = createBreakers({ store: elsewhere, now: clock.now });
    expect((await there.pass(guarded)).open).toBe(false);
    for (let failure = 0; failure < 3; failure++) await (await passed(here.pass(guarded))).ended("failed");
    clock.advance(1_000);
    expect((await there.pass(guarded)).open).toBe(true);
    clock.advance(29_000);
    const passes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 ? here : there).pass(guarded)),
    );
    const probes = passes.filter((pass) => !pass.open);
    expect(probes).toHaveLength(1);
    for (const probe of probes) if (!probe.open) await probe.ended("succeeded");
    expect([(await here.pass(guarded)).open, (await there.pass(guarded)).open]).toEqual([false, false]);
  });

  it("do not open for one of several callers, however often that one fails", async () => {
    const breakers = createBreakers({ store, now: clock.now });
    await (await passed(breakers.pass(byBob))).ended("succeeded");
    for (let failure = 0; failure < 5; failure++)
      await (await passed(breakers.pass(guarded))).ended("failed");
    await (await passed(breakers.pass(byBob))).ended("failed");
    expect((await breakers.pass(byBob)).open).toBe(true);
  });

  it("open for one caller if nobody else has come in ten minutes", async () => {
    const breakers = createBreakers({ store, now: clock.now });
    await (await passed(breakers.pass(byBob))).ended("succeeded");
    clock.advance(10 * 60_000);
    for (let failure = 0; failure < 3; failure++)
      await (await passed(breakers.pass(guarded))).ended("failed");
    expect((await breakers.pass(guarded)).open).toBe(true);
  });

  it("close with the first token of a probe, long before it ends", async () => {
    const breakers = createBreakers({ store, now: clock.now });
    for (let failure = 0; failure < 3; failure++)
      await (await passed(breakers.pass(guarded))).ended("failed");
    clock.advance(30_000);
    const probe = await passed(breakers.pass(guarded));
    expect((await breakers.pass(byBob)).open).toBe(true);
    probe.flows();
    expect((await breakers.pass(byBob)).open).toBe(false);
    await probe.ended("failed");
    expect(await breakers.list()).toEqual([]);
  });

  it("count no failure while an answer flows, on this instance or another", async () => {
    const elsewhere = await temporaryStore({ path, now: clock.now });
    const here = createBreakers({ store, now: clock.now });
    const there = createBreakers({ store: elsewhere, now: clock.now });
    const stream = await passed(here.pass(guarded));
    stream.flows();
    for (let failure = 0; failure < 5; failure++)
      await (await passed(here.pass(failure % 2 ? guarded : byBob))).ended("failed");
    expect(await here.list()).toEqual([]);
    for (let failure = 0; failure < 3; failure++)
      await (await passed(there.pass(failure % 2 ? guarded : byBob))).ended("failed");
    expect(await there.list()).toMatchObject([{ state: "open" }]);
    await expect.poll(() => there.list(), { timeout: 5_000 }).toEqual([]);
    await stream.ended("succeeded");
    for (let failure = 0; failure < 3; failure++)
      await (await passed(there.pass(failure % 2 ? guarded : byBob))).ended("failed");
    expect(await there.list()).toMatchObject([{ state: "open" }]);
  });

  it("hold a probe while its process lives", async () => {
    const renewed: string[] = [];
    const renewing: Store = { ...store, renewProbe: async (name) => void renewed.push(name) };
    const breakers = createBreakers({ store: renewing, now: clock.now });
    for (let failure = 0; failure < 3; failure++)
      await (await passed(breakers.pass(guarded))).ended("failed");
    clock.advance(30_000);
    const probe = await passed(breakers.pass(guarded));
    await expect.poll(() => renewed.length, { timeout: 5_000 }).toBeGreaterThan(1);
    await probe.ended("unknown");
    expect(renewed[0]).toBe("tool:slow");
  });

  it("store neither names of people nor keys", async () => {
    const breakers = createBreakers({ store, now: clock.now });
    await (await passed(breakers.pass({ ...guarded, caller: "user_secret" }))).ended("failed");
    expect(readFileSync(path, "latin1")).not.toContain("user_secret");
    expect(readFileSync(`${path}-wal`, "latin1")).not.toContain("user_secret");
  });

  it("do not fail a call whose outcome cannot be stored", async () => {
    const problems: unknown[] = [];
    const failing: Store = { ...store, reportBreaker: () => Promise.reject(new Error("the disk is gone")) };
    const breakers = createBreakers({
      store: failing,
      now: clock.now,
      onProblem: (thrown) => problems.push(thrown),
    });
    await (await passed(breakers.pass(guarded))).ended("failed");
    expect(problems).toHaveLength(1);
  });
});

describe("a tool behind its breaker", () => {
  const guardOf = () =>
    createGuard({
      policy: policyFile.parse({}),
      execution: { timeoutMs: 1_000, maxOutputCharacters: 1_000 },
      limits: toolBreakers(createBreakers({ store, now: clock.now })),
    });
  const codeOf = async (tool: Tool, args?: unknown, guard = guardOf()): Promise<FailureCode | "success"> => {
    try {
      await callThrough(guard, tool, context, args);
      return "success";
    } catch (thrown) {
      return guard.clean(thrown).code;
    }
  };
  const throwing = (thrown: () => unknown) =>
    exampleTool("breaks", {
      run: () => {
        throw thrown();
      },
    });

  const lost = (details: object) =>
    new Failure("UPSTREAM_ERROR", "Lost.", { retryable: false, details: { ...details, answerLost: true } });

  it.each<[string, () => unknown]>([
    ["its own error", () => new Error("Boom.")],
    ["UPSTREAM_ERROR", () => new Failure("UPSTREAM_ERROR", "Down.")],
    ["UPSTREAM_TIMEOUT", () => new Failure("UPSTREAM_TIMEOUT", "Slow.")],
    ["TOOL_TIMEOUT", () => new Failure("TOOL_TIMEOUT", "Slow.")],
    ["a lost answer that must not be asked for again", () => lost({})],
    [
      "an error of the upstream",
      () => new Failure("UPSTREAM_ERROR", "Oh.", { details: { upstreamStatus: 500 } }),
    ],
  ])("is refused after three times %s", async (_, thrown) => {
    const tool = throwing(thrown);
    for (let call = 0; call < 3; call++) expect(await codeOf(tool)).not.toBe("BREAKER_OPEN");
    expect(await codeOf(tool)).toBe("BREAKER_OPEN");
  });

  it.each<[string, () => unknown]>([
    ["INVALID_INPUT", () => new Failure("INVALID_INPUT", "No such page.")],
    ["TOOL_INVALID_ARGUMENTS", () => new Failure("TOOL_INVALID_ARGUMENTS", "What?")],
    ["code that does not work", () => new Failure("TOOL_FAILED", "“Chart” does not work.")],
    [
      "a model that fails, which has its own breaker",
      () => new Failure("UPSTREAM_ERROR", "Down.").withDetails({ upstream: "zai/glm-4.6" }),
    ],
    ["an empty answer", () => new Failure("UPSTREAM_ERROR", "Empty.", { details: { emptyAnswer: true } })],
    ["an empty answer that must not be asked for again", () => lost({ emptyAnswer: true })],
    [
      "a conflict at the upstream",
      () => new Failure("UPSTREAM_ERROR", "Again?", { details: { upstreamStatus: 409 } }),
    ],
    ["TOOL_DENIED", () => new Failure("TOOL_DENIED", "No.")],
    ["CANCELLED", () => new Failure("CANCELLED", "Stopped.")],
    ["NOT_FOUND", () => new Failure("NOT_FOUND", "Nothing there.")],
    ["RATE_LIMITED", () => new Failure("RATE_LIMITED", "Slow down.")],
    ["a refusal of the upstream", () => new Failure("UPSTREAM_ERROR", "Bad key.", { retryable: false })],
    [
      "an upstream that is limiting us",
      () => new Failure("UPSTREAM_ERROR", "Slow down.", { details: { upstreamStatus: 429 } }),
    ],
  ])("is not refused after any number of %s", async (_, thrown) => {
    const tool = throwing(thrown);
    for (let call = 0; call < 6; call++) expect(await codeOf(tool)).not.toBe("BREAKER_OPEN");
    expect(await store.listBreakers()).toEqual([]);
  });

  it("never runs while it is open, then is probed once: success closes it, failure opens it again", async () => {
    let runs = 0;
    let works = false;
    const tool = exampleTool("breaks", {
      run: () => {
        runs += 1;
        if (!works) throw new Error("Boom.");
        return "fine";
      },
    });
    const guard = guardOf();
    for (let call = 0; call < 6; call++) await codeOf(tool, {}, guard);
    expect(runs).toBe(3);
    clock.advance(30_000);
    expect(await codeOf(tool, {}, guard)).toBe("TOOL_FAILED");
    expect(await codeOf(tool, {}, guard)).toBe("BREAKER_OPEN");
    expect(runs).toBe(4);
    works = true;
    clock.advance(30_000);
    expect(await codeOf(tool, {}, guard)).toBe("success");
    expect(await codeOf(tool, {}, guard)).toBe("success");
    expect(await store.listBreakers()).toEqual([]);
  });

  it("releases its probe when a later layer refuses the call", async () => {
    for (let failure = 0; failure < 3; failure++)
      await store.reportBreaker("tool:breaks", { outcome: "failed", caller: "ada", alone: true });
    clock.advance(30_000);
    const [ofTool, ofUpstream] = toolBreakers(createBreakers({ store, now: clock.now }));
    if (!ofTool || !ofUpstream) throw new Error("two layers were expected");
    const denied = { allow: false as const, failure: new Failure("TOOL_DENIED", "No.") };
    const refusing = createGuard({
      policy: policyFile.parse({}),
      execution: { timeoutMs: 1_000, maxOutputCharacters: 1_000 },
      limits: [ofTool, ofUpstream, { name: "later", check: () => denied }],
    });
    const tool = exampleTool("breaks");
    expect(await codeOf(tool, {}, refusing)).toBe("TOOL_DENIED");
    expect(await codeOf(tool)).toBe("success");
  });

  it("counts failures only against the upstream that it names", async () => {
    const tool = exampleTool("web_fetch", {
      upstream: ({ host }) => String(host),
      run: ({ host }) => {
        if (host === "down.example") throw new Failure("UPSTREAM_TIMEOUT", "Slow.");
        return "a page";
      },
    });
    const guard = guardOf();
    for (let call = 0; call < 3; call++) await codeOf(tool, { host: "down.example" }, guard);
    expect(await codeOf(tool, { host: "down.example" }, guard)).toBe("BREAKER_OPEN");
    expect(await codeOf(tool, { host: "up.example" }, guard)).toBe("success");
    expect(await store.listBreakers()).toMatchObject([{ name: "upstream:down.example", state: "open" }]);
  });
});
