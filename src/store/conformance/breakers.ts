import { expect, test } from "vitest";
import type { Store } from "../../protocol/store.ts";
import type { StoreHarness } from "./harness.ts";

const PROBE_MS = 5_000;
const COOL_DOWN_MS = 30_000;
const model = "model:openai/gpt-4o:chat";

/** Breakers that open after consecutive failures, then let one call at a time through as a probe. */
export function breakerBehavior(harness: () => StoreHarness): void {
  const take = (store = harness().store) => store.takeBreaker("tool:slow");
  const fail = (token?: string, caller = "ada", alone = true) =>
    harness().store.reportBreaker("tool:slow", { outcome: "failed", caller, alone, token });
  const succeed = (store = harness().store) => store.reportBreaker("tool:slow", { outcome: "succeeded" });
  const giveBack = (token: string) =>
    harness().store.reportBreaker("tool:slow", { outcome: "unknown", token });
  const open = async () => {
    for (let failure = 0; failure < 3; failure++) await fail();
  };
  const probe = async (store?: Store) => {
    const verdict = await take(store);
    if (verdict.state !== "probe") throw new Error(`a probe was expected, not ${verdict.state}`);
    return verdict.token;
  };

  test("three failures in a row open it, for exactly thirty seconds", async () => {
    const { store, advance } = harness();
    expect(await take()).toEqual({ state: "closed", failures: 0 });
    expect(await fail()).toEqual({ state: "closed", failures: 1 });
    expect(await fail()).toEqual({ state: "closed", failures: 2 });
    expect(await take()).toEqual({ state: "closed", failures: 2 });
    expect(await fail()).toEqual({ state: "open", retryAfter: 30 });
    expect(await take()).toEqual({ state: "open", retryAfter: 30 });
    expect(await store.takeBreaker("tool:other")).toEqual({ state: "closed", failures: 0 });
    advance(COOL_DOWN_MS - 1);
    expect(await take()).toEqual({ state: "open", retryAfter: 1 });
    advance(1);
    expect((await take()).state).toBe("probe");
  });

  test("a success in between resets the count", async () => {
    await fail();
    await fail();
    expect(await succeed()).toEqual({ state: "closed", failures: 0 });
    await fail();
    expect(await fail()).toEqual({ state: "closed", failures: 2 });
    expect(await fail()).toMatchObject({ state: "open" });
  });

  test("one of several callers cannot open it, two can", async () => {
    for (const failures of [1, 2, 3, 4])
      expect(await fail(undefined, "ada", false)).toEqual({ state: "closed", failures });
    expect(await fail(undefined, "bob", false)).toEqual({ state: "open", retryAfter: 30 });
    expect(await succeed()).toEqual({ state: "closed", failures: 0 });
    for (const [index, caller] of ["bob", "ada"].entries())
      expect(await fail(undefined, caller, false)).toEqual({ state: "closed", failures: index + 1 });
    expect(await fail(undefined, "ada", false)).toEqual({ state: "open", retryAfter: 30 });
  });

  test("a failed probe opens it again, whoever made it", async () => {
    await open();
    harness().advance(COOL_DOWN_MS);
    expect(await fail(await probe(), "ada", false)).toEqual({ state: "open", retryAfter: 30 });
  });

  test("of 50 calls at once after the cooldown exactly one is the probe", async () => {
    await open();
    harness().advance(COOL_DOWN_MS);
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => take()));
    expect(verdicts.filter(({ state }) => state === "probe")).toHaveLength(1);
    expect(verdicts.filter(({ state }) => state === "open")).toHaveLength(49);
  });

  test("a successful probe closes it, a failed one opens it for another thirty seconds", async () => {
    const { advance } = harness();
    await open();
    advance(COOL_DOWN_MS);
    expect(await fail(await probe())).toEqual({ state: "open", retryAfter: 30 });
    advance(COOL_DOWN_MS - 1);
    expect(await take()).toEqual({ state: "open", retryAfter: 1 });
    advance(1);
    await probe();
    expect(await succeed()).toEqual({ state: "closed", failures: 0 });
    expect(await fail()).toEqual({ state: "closed", failures: 1 });
  });

  test("an inconclusive probe lets the next one through at once", async () => {
    await open();
    harness().advance(COOL_DOWN_MS);
    await giveBack(await probe());
    expect((await take()).state).toBe("probe");
  });

  test("a probe that is renewed keeps its place, and one that is not loses it after five seconds", async () => {
    const { store, advance } = harness();
    await open();
    advance(COOL_DOWN_MS);
    const lost = await probe();
    for (let renewal = 0; renewal < 5; renewal++) {
      advance(PROBE_MS - 1);
      expect(await take()).toEqual({ state: "open", retryAfter: 1 });
      await store.renewProbe("tool:slow", lost);
    }
    advance(PROBE_MS);
    const next = await probe();
    await store.renewProbe("tool:slow", lost);
    expect(await fail(lost)).toMatchObject({ state: "open", retryAfter: 5 });
    expect(await fail(next)).toEqual({ state: "open", retryAfter: 30 });
  });

  test("failures of calls that began before it opened do not prolong it, their successes close it", async () => {
    const { advance } = harness();
    await open();
    advance(10_000);
    expect(await fail()).toEqual({ state: "open", retryAfter: 20 });
    advance(20_000);
    await probe();
    expect(await fail()).toEqual({ state: "open", retryAfter: 5 });
    expect(await succeed()).toEqual({ state: "closed", failures: 0 });
  });

  test("it is still open after a restart", async () => {
    await open();
    const reopened = await harness().reopen();
    expect(await take(reopened)).toMatchObject({ state: "open" });
    harness().advance(COOL_DOWN_MS);
    await probe(reopened);
    await succeed(reopened);
    expect(await take(reopened)).toEqual({ state: "closed", failures: 0 });
  });

  test("breakers with recent failures are listed, and old failures are forgotten", async () => {
    const { store, advance } = harness();
    await open();
    await store.reportBreaker(model, { outcome: "failed", caller: "ada", alone: true });
    expect(await store.listBreakers()).toEqual([
      { name: model, state: "closed", failures: 1 },
      { name: "tool:slow", state: "open", failures: 3 },
    ]);
    advance(COOL_DOWN_MS);
    expect((await store.listBreakers())[1]).toMatchObject({ state: "probing" });
    advance(24 * 60 * 60_000);
    await store.reportBreaker(model, { outcome: "failed", caller: "ada", alone: true });
    expect(await store.listBreakers()).toEqual([{ name: model, state: "closed", failures: 1 }]);
  });
}
