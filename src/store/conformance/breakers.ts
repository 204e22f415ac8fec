import { expect, test } from "vitest";
import type { Store } from "../../protocol/store.ts";
import type { StoreHarness } from "./harness.ts";

const LEASE_MS = 60_000;
const COOL_DOWN_MS = 30_000;

/** Breakers that open after consecutive failures, then let one call at a time through as a probe. */
export function breakerBehavior(harness: () => StoreHarness): void {
  const take = (store = harness().store) => store.takeBreaker("tool:slow", LEASE_MS);
  const fail = (token?: string, store = harness().store) => store.reportBreaker("tool:slow", "failed", token);
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
    expect(await store.takeBreaker("tool:other", LEASE_MS)).toEqual({ state: "closed", failures: 0 });
    advance(COOL_DOWN_MS - 1);
    expect(await take()).toEqual({ state: "open", retryAfter: 1 });
    advance(1);
    expect((await take()).state).toBe("probe");
  });

  test("a success in between resets the count, an inconclusive call does not", async () => {
    const { store } = harness();
    await fail();
    await fail();
    expect(await store.reportBreaker("tool:slow", "unknown")).toEqual({ state: "closed", failures: 2 });
    expect(await store.reportBreaker("tool:slow", "succeeded")).toEqual({ state: "closed", failures: 0 });
    await fail();
    expect(await fail()).toEqual({ state: "closed", failures: 2 });
    expect(await fail()).toMatchObject({ state: "open" });
  });

  test("of 50 calls at once after the cooldown exactly one is the probe", async () => {
    await open();
    harness().advance(COOL_DOWN_MS);
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => take()));
    expect(verdicts.filter(({ state }) => state === "probe")).toHaveLength(1);
    expect(verdicts.filter(({ state }) => state === "open")).toHaveLength(49);
  });

  test("a successful probe closes it, a failed one opens it for another thirty seconds", async () => {
    const { store, advance } = harness();
    await open();
    advance(COOL_DOWN_MS);
    expect(await fail(await probe())).toEqual({ state: "open", retryAfter: 30 });
    advance(COOL_DOWN_MS - 1);
    expect(await take()).toEqual({ state: "open", retryAfter: 1 });
    advance(1);
    const token = await probe();
    expect(await store.reportBreaker("tool:slow", "succeeded", token)).toEqual({
      state: "closed",
      failures: 0,
    });
    expect(await fail()).toEqual({ state: "closed", failures: 1 });
  });

  test("an inconclusive probe lets the next one through at once", async () => {
    const { store, advance } = harness();
    await open();
    advance(COOL_DOWN_MS);
    await store.reportBreaker("tool:slow", "unknown", await probe());
    expect((await take()).state).toBe("probe");
  });

  test("a probe that is never reported blocks it only until the lease ends", async () => {
    const { store, advance } = harness();
    await open();
    advance(COOL_DOWN_MS);
    const lost = await probe();
    advance(LEASE_MS - 1);
    expect((await take()).state).toBe("open");
    advance(1);
    const next = await probe();
    expect(await store.reportBreaker("tool:slow", "succeeded", lost)).toMatchObject({ state: "open" });
    expect(await store.reportBreaker("tool:slow", "succeeded", next)).toMatchObject({ state: "closed" });
  });

  test("calls that began before it opened neither close nor prolong it", async () => {
    const { store, advance } = harness();
    await open();
    advance(10_000);
    expect(await store.reportBreaker("tool:slow", "succeeded")).toEqual({ state: "open", retryAfter: 20 });
    expect(await fail()).toEqual({ state: "open", retryAfter: 20 });
    advance(20_000);
    const token = await probe();
    expect(await store.reportBreaker("tool:slow", "succeeded")).toMatchObject({ state: "open" });
    expect(await store.reportBreaker("tool:slow", "succeeded", token)).toMatchObject({ state: "closed" });
  });

  test("it is still open after a restart", async () => {
    await open();
    const reopened = await harness().reopen();
    expect(await take(reopened)).toMatchObject({ state: "open" });
    harness().advance(COOL_DOWN_MS);
    await reopened.reportBreaker("tool:slow", "succeeded", await probe(reopened));
    expect(await take(reopened)).toEqual({ state: "closed", failures: 0 });
  });

  test("breakers with recent failures are listed, and old failures are forgotten", async () => {
    const { store, advance } = harness();
    await open();
    await store.reportBreaker("model:openai:chat", "failed");
    expect(await store.listBreakers()).toEqual([
      { name: "model:openai:chat", state: "closed", failures: 1 },
      { name: "tool:slow", state: "open", failures: 3 },
    ]);
    advance(COOL_DOWN_MS);
    expect((await store.listBreakers())[1]).toMatchObject({ state: "probing" });
    advance(24 * 60 * 60_000);
    await store.reportBreaker("model:openai:chat", "failed");
    expect(await store.listBreakers()).toEqual([{ name: "model:openai:chat", state: "closed", failures: 1 }]);
  });
}
