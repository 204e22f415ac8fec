import { expect, test } from "vitest";
import type { StoreHarness } from "./harness.ts";

/** Uses counted in sliding windows. */
export function limitBehavior(harness: () => StoreHarness): void {
  test("of 200 concurrent uses exactly the limit is admitted", async () => {
    const { store } = harness();
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, () => store.takeLimit("ada", "chat", 37, 60_000)),
    );
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(37);
    const remaining = verdicts.filter(({ allowed }) => allowed).map((verdict) => verdict.remaining);
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 37 }, (_, index) => index));
  });

  test("a refused use is admitted exactly at the time that it was given", async () => {
    const { store, advance } = harness();
    const take = () => store.takeLimit("ada", "chat", 2, 10_000);
    const first = await take();
    expect(first).toMatchObject({ allowed: true, limit: 2, remaining: 1, retryAfter: 0 });
    advance(4_500);
    expect(await take()).toMatchObject({ allowed: true, remaining: 0, resetAt: first.resetAt });
    advance(1);
    expect(await take()).toEqual({
      allowed: false,
      limit: 2,
      remaining: 0,
      resetAt: first.resetAt,
      retryAfter: 6,
    });
    advance(5_498);
    expect(await take()).toMatchObject({ allowed: false, retryAfter: 1 });
    advance(1);
    expect(await take()).toMatchObject({ allowed: true, remaining: 0, resetAt: first.resetAt + 4_500 });
    expect(await take()).toMatchObject({ allowed: false, retryAfter: 5 });
  });

  test("a refused use is not counted, and a lowered limit waits until enough uses have left the window", async () => {
    const { store, advance } = harness();
    for (let use = 0; use < 3; use++) {
      await store.takeLimit("ada", "chat", 3, 10_000);
      advance(1_000);
    }
    for (let use = 0; use < 5; use++)
      expect((await store.takeLimit("ada", "chat", 3, 10_000)).allowed).toBe(false);
    expect(await store.takeLimit("ada", "chat", 1, 10_000)).toMatchObject({ allowed: false, retryAfter: 9 });
    advance(9_000);
    expect(await store.takeLimit("ada", "chat", 1, 10_000)).toMatchObject({ allowed: true });
  });

  test("a limit of zero admits nothing", async () => {
    const { store } = harness();
    expect(await store.takeLimit("ada", "chat", 0, 10_000)).toMatchObject({ allowed: false, retryAfter: 10 });
  });

  test("subjects and names are counted separately, even with windows of different length", async () => {
    const { store, advance } = harness();
    expect((await store.takeLimit("ada", "chat", 1, 60_000)).allowed).toBe(true);
    expect((await store.takeLimit("bob", "chat", 1, 1_000)).allowed).toBe(true);
    expect((await store.takeLimit("ada", "search", 1, 1_000)).allowed).toBe(true);
    advance(1_000);
    expect((await store.takeLimit("bob", "chat", 1, 1_000)).allowed).toBe(true);
    expect((await store.takeLimit("ada", "chat", 1, 60_000)).allowed).toBe(false);
  });

  test("peeking at a limit counts nothing and returns what taking would return", async () => {
    const { store, advance } = harness();
    const look = () => store.peekLimit("ada", "chat", 2, 10_000);
    expect(await look()).toMatchObject({ allowed: true, remaining: 2 });
    expect(await look()).toMatchObject({ allowed: true, remaining: 2 });
    await store.takeLimit("ada", "chat", 2, 10_000);
    advance(1_000);
    expect(await look()).toMatchObject({ allowed: true, limit: 2, remaining: 1, retryAfter: 0 });
    await store.takeLimit("ada", "chat", 2, 10_000);
    const found = await look();
    expect(found).toMatchObject({ allowed: false, remaining: 0, retryAfter: 9 });
    expect(await store.takeLimit("ada", "chat", 2, 10_000)).toEqual(found);
  });

  test("a use that is given back can be taken again", async () => {
    const { store, advance } = harness();
    const take = () => store.takeLimit("ada", "chat", 2, 10_000);
    await take();
    advance(1_000);
    await take();
    await store.refundLimit("ada", "chat");
    await store.refundLimit("bob", "chat");
    expect(await take()).toMatchObject({ allowed: true, remaining: 0 });
    expect(await take()).toMatchObject({ allowed: false, retryAfter: 9 });
  });
}
