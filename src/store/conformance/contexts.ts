import { expect, test } from "vitest";
import type { StoredContext } from "../../protocol/context.ts";
import type { StoreHarness } from "./harness.ts";

/** How requests of a session are shortened. */
export function contextBehavior(harness: () => StoreHarness): void {
  const compaction = { messages: 2, tokensBefore: 900, tokensAfter: 100, reason: "window" as const };
  const context = (id: string, messageId: string, change: Partial<StoredContext> = {}): StoredContext => ({
    id,
    sessionId: "ses_1",
    messageId,
    view: { pruned: { messageId, part: 1 } },
    compaction,
    ...change,
  });
  const said = (id: string, parentId?: string) => ({
    id,
    role: "user" as const,
    parts: [{ type: "text" as const, text: id }],
    ...(parentId === undefined ? {} : { parentId }),
  });

  test("the newest one of a branch applies, and others do not", async () => {
    const { store } = harness();
    const messages = [said("a"), said("b", "a"), said("c", "b"), said("d", "b")];
    await store.importSession({ id: "ses_1", userId: "ada", title: "One", messages, headId: "c" });
    expect(await store.getContext("ses_1")).toBeUndefined();
    await store.saveContext(context("first", "b"));
    await store.saveContext(context("second", "c"));
    expect((await store.getContext("ses_1"))?.id).toBe("second");
    expect((await store.getContext("ses_1", "d"))?.id).toBe("first");
    expect(await store.getContext("ses_1", "a")).toBeUndefined();
    const listed = await store.listContexts("ses_1");
    expect(listed.map(({ id }) => id)).toEqual(["first", "second"]);
    expect(listed[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    await store.showMessage("ses_1", "d");
    expect((await store.listContexts("ses_1")).map(({ id }) => id)).toEqual(["first"]);
    expect(await store.listContexts("elsewhere")).toEqual([]);
    const reopened = await harness().reopen();
    expect(await reopened.getContext("ses_1", "d")).toEqual(context("first", "b"));
  });

  test("saving one again replaces it, and it is deleted with its session", async () => {
    const { store } = harness();
    await store.importSession({
      id: "ses_1",
      userId: "ada",
      title: "One",
      messages: [said("a")],
      headId: "a",
    });
    await store.saveContext(context("first", "a"));
    await store.saveContext(context("first", "a", { view: {} }));
    expect(await store.getContext("ses_1")).toEqual(context("first", "a", { view: {} }));
    expect(await store.listAskedContexts("ses_1")).toEqual([]);
    await store.saveContext(context("asked", "a", { askedAfter: "a" }));
    expect((await store.listAskedContexts("ses_1")).map(({ id, askedAfter }) => [id, askedAfter])).toEqual([
      ["asked", "a"],
    ]);
    await store.deleteSession("ses_1");
    expect(await store.listAskedContexts("ses_1")).toEqual([]);
  });

  test("messages are listed from one on", async () => {
    const { store } = harness();
    const messages = [said("a"), said("b", "a"), said("c", "b")];
    await store.importSession({ id: "ses_1", userId: "ada", title: "One", messages, headId: "c" });
    const ids = async (from: string) => (await store.listMessages("ses_1", { from })).map(({ id }) => id);
    expect(await ids("b")).toEqual(["b", "c"]);
    expect(await ids("elsewhere")).toEqual(["a", "b", "c"]);
  });
}
