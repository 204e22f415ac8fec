import { expect, test } from "vitest";
import type { StoreHarness } from "./harness.ts";

/** What clients of other protocols keep with a session. */
export function conversationBehavior(harness: () => StoreHarness): void {
  const most = { items: 4, bytes: 200 };
  const item = (id: string, text = id) => ({ id, item: { type: "message", text } });
  const idsIn = async (sessionId: string) =>
    (await harness().store.listItems(sessionId)).map(({ id, item: kept }) => (kept ? id : `-${id}`));

  async function open(): Promise<void> {
    const { store } = harness();
    for (const id of ["ses_1", "ses_2"]) await store.createSession({ id, userId: "ada", title: "One" });
  }

  test("items keep their order and their words, also after a restart", async () => {
    const { store, reopen } = harness();
    await open();
    expect(await store.addItems("ses_1", [item("b", "a\u0000\ud83d\ude00"), item("a")], most)).toBe(true);
    expect(await store.addItems("ses_1", [item("c")], most)).toBe(true);
    expect(await store.addItems("ses_2", [item("a")], most)).toBe(true);
    const [first, ...rest] = await (await reopen()).listItems("ses_1");
    expect(first).toEqual({ ...item("b", "a\u0000\ud83d\ude00"), at: expect.any(String) });
    expect(rest.map(({ id }) => id)).toEqual(["a", "c"]);
  });

  test("an item with the id of another replaces it, at the end", async () => {
    const { store } = harness();
    await open();
    await store.addItems("ses_1", [item("a"), item("b")], most);
    await store.addItems("ses_1", [item("a", "new")], most);
    expect(await idsIn("ses_1")).toEqual(["b", "a"]);
  });

  test("nothing is added beyond the bounds", async () => {
    const { store } = harness();
    await open();
    const five = ["a", "b", "c", "d", "e"].map((id) => item(id));
    expect(await store.addItems("ses_1", five, most)).toBe(false);
    expect(await store.addItems("ses_1", [item("a", "x".repeat(300))], most)).toBe(false);
    expect(await store.listItems("ses_1")).toEqual([]);
    expect(await store.addItems("ses_1", five.slice(0, 4), most)).toBe(true);
    expect(await store.addItems("ses_1", five.slice(4), most)).toBe(false);
  });

  test("a removed item is gone, and one of a turn is noted as removed", async () => {
    const { store } = harness();
    await open();
    await store.addItems("ses_1", [item("a"), item("b")], most);
    await store.removeItem("ses_1", "a");
    await store.removeItem("ses_1", "of a turn");
    await store.removeItem("ses_1", "of a turn 2");
    expect(await idsIn("ses_1")).toEqual(["b", "-of a turn", "-of a turn 2"]);
  });

  test("notes and items are deleted with their session and with their user", async () => {
    const { store } = harness();
    await open();
    for (const id of ["ses_1", "ses_2"]) {
      await store.saveConversation(id, { topic: "rain" });
      await store.saveConversation(id, { topic: "snow" });
      await store.addItems(id, [item("a")], most);
    }
    expect(await store.loadConversation("ses_1")).toEqual({ topic: "snow" });
    await store.deleteSession("ses_1");
    expect(await store.loadConversation("ses_1")).toBeUndefined();
    expect(await store.listItems("ses_1")).toEqual([]);
    expect(await idsIn("ses_2")).toEqual(["a"]);
    await store.deleteUser("ada");
    expect(await store.loadConversation("ses_2")).toBeUndefined();
    expect(await store.listItems("ses_2")).toEqual([]);
  });
}
