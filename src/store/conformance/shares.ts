import { expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { NewCopy } from "../../protocol/shares.ts";
import { doneEvent, endOf, openedRun, type StoreHarness, unique } from "./harness.ts";

const DAY = 86_400_000;
const BOUNDS = { links: 3, bytes: 10_000 };

/** Links to frozen copies, and what people think of answers. */
export function shareBehavior(harness: () => StoreHarness): void {
  async function answered(userId = "ada") {
    const { store } = harness();
    const run = await openedRun(store, { userId });
    await store.finishRun(endOf(run, 2, [contentDelta("Hello"), doneEvent(run)]));
    return run;
  }

  const copyOf = (text: string, headId = "head"): NewCopy => ({
    headId,
    copy: { title: text, messages: [{ role: "user", content: text, createdAt: new Date(0).toISOString() }] },
    facts: {
      title: text,
      messages: 1,
      artifacts: 0,
      keys: 0,
      steps: false,
      files: false,
      hideKeys: true,
    },
  });

  async function shared(text: string, changes: { userId?: string; sessionId?: string } = {}) {
    const { store } = harness();
    const sessionId = changes.sessionId ?? (await answered(changes.userId)).sessionId;
    const id = unique("share");
    const share = { id, userId: "ada", tokenHash: `hash of ${id}`, ...changes, sessionId };
    return store.addShare({ ...share, ...copyOf(text) }, 30 * DAY, BOUNDS);
  }

  test("a link is kept whole with its copy, also after a restart, and found by its hash alone", async () => {
    const { store, reopen } = harness();
    const share = await shared("odd \u0000 <b>😀</b>");
    expect(share).toMatchObject({ userId: "ada", headId: "head", facts: { title: "odd \u0000 <b>😀</b>" } });
    const again = await reopen();
    expect(await again.getShare(share?.id ?? "")).toEqual(share);
    expect(await again.findShare(`hash of ${share?.id}`)).toEqual({
      ...share,
      copy: copyOf("odd \u0000 <b>😀</b>").copy,
    });
    expect(await again.findShare(share?.id ?? "")).toBeUndefined();
    expect(store).toBeDefined();
  });

  test("a link ends by itself, and then its place is free", async () => {
    const { store, advance } = harness();
    const share = await shared("one");
    advance(30 * DAY + 1);
    expect(await store.getShare(share?.id ?? "")).toBeUndefined();
    expect(await store.findShare(`hash of ${share?.id}`)).toBeUndefined();
    expect(await store.listShares("ada")).toEqual([]);
    expect(await store.clearShares(10)).toBe(1);
    expect(await store.clearShares(10)).toBe(0);
  });

  test("a person has no more links and bytes than allowed, also at the same time", async () => {
    const { store } = harness();
    const { sessionId } = await answered();
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => shared("one", { sessionId })));
    expect(made.filter(Boolean)).toHaveLength(3);
    const [first] = await store.listShares("ada");
    await store.removeShare(first?.id ?? "");
    expect(await shared("x".repeat(10_000), { sessionId })).toBeUndefined();
    expect(await shared("small", { sessionId })).toBeDefined();
  });

  test("a copy can be replaced: the link stays, the bounds hold, and the end moves only if asked", async () => {
    const { store, advance } = harness();
    const share = await shared("before");
    advance(DAY);
    const id = share?.id ?? "";
    const replaced = await store.replaceCopy(id, copyOf("after", "newer"), undefined, BOUNDS);
    expect(replaced).toMatchObject({
      headId: "newer",
      expiresAt: share?.expiresAt,
      createdAt: share?.createdAt,
    });
    expect(replaced?.copiedAt).not.toBe(share?.copiedAt);
    expect((await store.findShare(`hash of ${id}`))?.copy.title).toBe("after");
    const longer = await store.replaceCopy(id, copyOf("after"), 30 * DAY, BOUNDS);
    expect(Date.parse(longer?.expiresAt ?? "") - Date.parse(share?.expiresAt ?? "")).toBe(DAY);
    expect(await store.replaceCopy(id, copyOf("x".repeat(20_000)), undefined, BOUNDS)).toBeUndefined();
    expect(await store.replaceCopy("unknown", copyOf("x"), undefined, BOUNDS)).toBeUndefined();
  });

  test("links go with their session and their person, and move with a guest", async () => {
    const { store } = harness();
    const { sessionId } = await answered();
    await shared("one", { sessionId });
    await store.deleteSession(sessionId);
    expect(await store.listShares("ada")).toEqual([]);
    await shared("two", { userId: "guest" });
    await store.adoptUser("guest", "ada");
    expect((await store.listShares("ada")).map(({ facts }) => facts.title)).toEqual(["two"]);
    await store.deleteUser("ada");
    expect(await store.listShares("ada")).toEqual([]);
  });

  test("feedback is one per person and message: it can be changed, taken back and counted", async () => {
    const { store, advance } = harness();
    const { sessionId, messageId } = await answered();
    const other = await answered();
    const said = { messageId, userId: "ada", model: "demo/demo" };
    await store.saveFeedback({ ...said, value: 1 });
    await store.saveFeedback({ ...said, value: -1, note: "wrong" });
    expect(await store.listFeedback(sessionId, "ada")).toEqual([
      { ...said, value: -1, note: "wrong", at: expect.stringMatching(/Z$/) },
    ]);
    expect(await store.listFeedback(sessionId, "bob")).toEqual([]);
    await store.saveFeedback({ ...said, messageId: other.messageId, model: "other/one", value: 1 });
    await store.saveFeedback({ ...said, userId: "bob", value: 1 });
    expect(await store.countFeedback(DAY)).toEqual([
      { at: expect.any(Number), model: "demo/demo", up: 1, down: 1 },
      { at: expect.any(Number), model: "other/one", up: 1, down: 0 },
    ]);
    const [slice] = await store.countFeedback(DAY);
    expect((slice?.at ?? 1) % 900_000).toBe(0);
    const [entry] = await store.listFeedback(sessionId, "ada");
    expect(Date.parse(entry?.at ?? "") - (slice?.at ?? 0)).toBeLessThan(900_000);
    expect((await store.listNotes(DAY, 9)).map(({ note }) => note)).toEqual(["wrong"]);
    await store.removeFeedback(messageId, "ada");
    expect(await store.listNotes(DAY, 9)).toEqual([]);
    advance(2 * DAY);
    expect(await store.countFeedback(DAY)).toEqual([]);
  });

  test("feedback goes with its message and its person, and moves with a guest", async () => {
    const { store } = harness();
    const [mine, guests] = [await answered(), await answered("guest")];
    const save = (messageId: string, userId: string) =>
      store.saveFeedback({ messageId, userId, model: "demo/demo", value: 1 });
    await save(mine.messageId, "ada");
    await save(guests.messageId, "guest");
    await store.adoptUser("guest", "ada");
    expect(await store.listFeedback(guests.sessionId, "ada")).toHaveLength(1);
    await store.deleteSession(mine.sessionId);
    expect(await store.countFeedback(DAY)).toMatchObject([{ model: "demo/demo", up: 1, down: 0 }]);
    await store.deleteUser("ada");
    expect(await store.countFeedback(DAY)).toEqual([]);
  });
}
