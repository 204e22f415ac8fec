import { expect, test } from "vitest";
import type { AccountEvent } from "../../protocol/account-events.ts";
import type { StoreHarness } from "./harness.ts";

/** The feeds of accounts, and who chose the titles of sessions. */
export function accountBehavior(harness: () => StoreHarness): void {
  const renamed = (title: string): AccountEvent => ({ type: "session_renamed", sessionId: "ses_1", title });

  test("the events of an account are numbered without gaps, also when they come at once, and survive a restart", async () => {
    const { store } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    expect(await store.readAccount("ada", 0)).toEqual({ newest: 0, events: [] });
    const titles = Array.from({ length: 20 }, (_, index) => `title ${index}`);
    await Promise.all(titles.map((title) => store.tellAccount("ada", renamed(title))));
    await store.tellAccount("bob", renamed("not Ada's"));
    const reopened = await harness().reopen();
    const { newest, events } = await reopened.readAccount("ada", 0);
    expect(newest).toBe(20);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(events.map(({ json }) => JSON.parse(json).title).sort()).toEqual(titles.sort());
    expect((await reopened.readAccount("ada", 18)).events.map(({ seq }) => seq)).toEqual([19, 20]);
    expect(await reopened.readAccount("ada")).toEqual({ newest: 20, events: [] });
  });

  test("several events are told at once, in their order", async () => {
    const { store } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    await store.tellAccount("ada", renamed("first"), renamed("second"));
    const { events } = await store.readAccount("ada", 0);
    expect(events.map(({ seq, json }) => [seq, JSON.parse(json).title])).toEqual([
      [1, "first"],
      [2, "second"],
    ]);
  });

  test("only the newest events are kept", async () => {
    const { store } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    const told = Array.from({ length: 510 }, (_, count) =>
      store.tellAccount("ada", renamed(`title ${count}`)),
    );
    await Promise.all(told);
    const { newest, events } = await store.readAccount("ada", 0);
    expect([newest, events[0]?.seq, events.length]).toEqual([510, 11, 500]);
  });

  test("an event wakes those who watch the account, and nobody else", async () => {
    const { store } = harness();
    const woken: string[] = [];
    const stops = ["ada", "bob"].map((id) => store.watchAccount(id, () => woken.push(id)));
    await store.tellAccount("ada", renamed("new"));
    expect(woken).toEqual(["ada"]);
    for (const stop of stops) stop();
  });

  test("a deleted user leaves no events, and whoever adopts a guest is told to load everything again", async () => {
    const { store } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    await store.tellAccount("ada", renamed("secret"));
    await store.deleteUser("ada");
    expect(await store.readAccount("ada", 0)).toEqual({ newest: 0, events: [] });
    await store.adoptUser("guest_1", "bob");
    expect((await store.readAccount("bob", 0)).events).toMatchObject([{ json: '{"type":"reload"}' }]);
  });

  test("a model titles a session once, and never over a person's own title", async () => {
    const { store } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "First words" });
    expect((await store.getSession("ses_1"))?.titledBy).toBeUndefined();
    const tries = await Promise.all(["One", "Two"].map((title) => store.titleSession("ses_1", title)));
    expect(tries.filter(Boolean)).toHaveLength(1);
    expect(await store.getSession("ses_1")).toMatchObject({ titledBy: "model" });
    await store.renameSession("ses_1", "Mine");
    expect(await store.titleSession("ses_1", "Three")).toBe(false);
    expect(await store.getSession("ses_1")).toMatchObject({ title: "Mine", titledBy: "person" });
    await store.createSession({ id: "ses_2", userId: "ada", title: "Chosen", titledBy: "person" });
    expect(await store.titleSession("ses_2", "Other")).toBe(false);
    expect(await store.titleSession("ses_none", "Other")).toBe(false);
  });
}
