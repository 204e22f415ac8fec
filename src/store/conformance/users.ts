import { expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import { doneEvent, endOf, openedRun, type StoreHarness } from "./harness.ts";

/** Operations on everything that belongs to a user. */
export function userBehavior(harness: () => StoreHarness): void {
  test("everything of a guest moves to its account: sessions, runs, usage, limits and settings", async () => {
    const { store } = harness();
    const run = await openedRun(store, { userId: "guest", idempotency: { key: "k", bodyHash: "h" } });
    await store.takeLimit("guest", "chat", 2, 60_000);
    await store.putSetting("guest", "theme", "dark");
    await store.putSetting("guest", "model", "demo/demo");
    await store.putSetting("ada", "model", "ada's own");
    await store.adoptUser("guest", "ada");
    expect(await store.listSessions("guest", { limit: 9 })).toEqual([]);
    expect((await store.listSessions("ada", { limit: 9 })).map(({ id }) => id)).toEqual([run.sessionId]);
    expect(await store.getRun(run.id)).toMatchObject({ userId: "ada", status: "running" });
    expect(await store.activeRuns("ada")).toEqual([run.id]);
    expect(await store.getSettings("ada")).toEqual({ theme: "dark", model: "ada's own" });
    expect(await store.getSettings("guest")).toEqual({});
    expect((await store.takeLimit("ada", "chat", 2, 60_000)).remaining).toBe(0);
    await store.finishRun(endOf(run, 2, [contentDelta("Hello"), doneEvent(run)]));
    expect(await store.listMessages(run.sessionId)).toHaveLength(2);
    expect(await store.activeRuns("ada")).toEqual([]);
  });

  test("the cost of a user's runs is summed over the window, and moves to an account", async () => {
    const { store, advance } = harness();
    for (const costUsd of [0.25, 0.5]) {
      const run = await openedRun(store, { userId: "ada" });
      const end = endOf(run, 2, [doneEvent(run)]);
      const usage = { inputTokens: 1, outputTokens: 1, costUsd };
      await store.finishRun({ ...end, message: { ...end.message, usage } });
      advance(1_000);
    }
    expect(await store.spentWithin("ada", 60_000)).toBeCloseTo(0.75);
    expect(await store.spentWithin("ada", 1_500)).toBeCloseTo(0.5);
    expect(await store.spentWithin("bob", 60_000)).toBe(0);
    expect(Object.fromEntries(await store.spentByEach(["ada", "bob"], 60_000))).toEqual({
      ada: 0.75,
      bob: 0,
    });
    expect(Object.fromEntries(await store.spentByEach([], 60_000))).toEqual({});
    await store.adoptUser("ada", "bob");
    expect(await store.spentWithin("bob", 60_000)).toBeCloseTo(0.75);
  });

  test("names of sessions move to the account, which keeps its own where both have one", async () => {
    const { store } = harness();
    const create = (id: string, userId: string, name: string) =>
      store.createSession({ id, userId, title: id, name });
    await create("own", "ada", "both");
    await create("guest's both", "guest", "both");
    await create("guest's only", "guest", "only");
    await store.adoptUser("guest", "ada");
    expect(await store.namedSession("ada", "both")).toMatchObject({ id: "own" });
    expect(await store.namedSession("ada", "only")).toMatchObject({ id: "guest's only" });
    expect(await store.listSessions("ada", { limit: 9 })).toHaveLength(3);
  });

  test("nothing is lost if the account already has the same sessions and keys", async () => {
    const { store } = harness();
    const idempotency = { key: "same", bodyHash: "h" };
    const own = await openedRun(store, { userId: "ada", idempotency });
    const guests = await openedRun(store, { userId: "guest", idempotency });
    await store.createSession({ id: "b", userId: "ada", title: "b" });
    await store.createSession({ id: "c", userId: "guest", title: "c" });
    await store.adoptUser("guest", "ada");
    const listed = await store.listSessions("ada", { limit: 9 });
    expect(listed.map(({ id }) => id).sort()).toEqual([own.sessionId, guests.sessionId, "b", "c"].sort());
    expect(new Set(listed.map(({ updatedAt }) => updatedAt)).size).toBe(4);
    const again = await store.openRun({
      ...own,
      runId: "new",
      request: {},
      idempotency,
      leaseMs: 1_000,
      firstEvent: {
        type: "session",
        sessionId: own.sessionId,
        runId: "new",
        messageId: own.messageId,
        model: "demo/demo",
        title: "t",
      },
    });
    expect(again).toMatchObject({ outcome: "joined", run: { id: own.id } });
  });

  test("what is deleted with a user is counted", async () => {
    const { store } = harness();
    const nothing = { conversations: 0, messages: 0, artifacts: 0, files: 0, bytes: 0 };
    const none = { ...nothing, projects: 0, members: 0, memories: 0, links: 0 };
    expect(await store.countOwned("ada")).toEqual(none);
    const run = await openedRun(store, { userId: "ada" });
    await store.finishRun(endOf(run, 2, [contentDelta("Hello"), doneEvent(run)]));
    await openedRun(store, { userId: "bob" });
    await store.createSession({ id: "hidden", userId: "ada", title: "Temporary", temporary: true });
    const file = { id: "file_9", userId: "ada", name: "a.txt", mimeType: "text/plain", size: 12 };
    await store.addFile(file, 100);
    await store.saveArtifact({ id: "art", userId: "ada", type: "html", title: "A", code: "<p>", issues: [] });
    expect(await store.countOwned("ada")).toEqual({
      ...none,
      conversations: 1,
      messages: 2,
      artifacts: 1,
      files: 1,
      bytes: 12,
    });
  });

  test("adopting oneself, or a user without data, changes nothing", async () => {
    const { store } = harness();
    await store.createSession({ id: "s", userId: "ada", title: "s" });
    await store.putSetting("ada", "theme", "dark");
    await store.adoptUser("ada", "ada");
    await store.adoptUser("nobody", "ada");
    expect(await store.listSessions("ada", { limit: 9 })).toHaveLength(1);
    expect(await store.getSettings("ada")).toEqual({ theme: "dark" });
  });

  test("deleting a user deletes all of its data and nothing else, and wakes its followers", async () => {
    const { store } = harness();
    const run = await openedRun(store, { userId: "ada" });
    const bobs = await openedRun(store, { userId: "bob" });
    await store.putSetting("ada", "theme", "dark");
    await store.putSetting("bob", "theme", "light");
    await store.takeLimit("ada", "chat", 1, 60_000);
    let woken = 0;
    store.watch(run.id, () => woken++);
    await store.deleteUser("ada");
    expect(woken).toBe(1);
    expect(await store.getRun(run.id)).toBeUndefined();
    expect(await store.getSession(run.sessionId)).toBeUndefined();
    expect(await store.getSettings("ada")).toEqual({});
    expect((await store.takeLimit("ada", "chat", 1, 60_000)).allowed).toBe(true);
    expect(await store.getRun(bobs.id)).toMatchObject({ userId: "bob" });
    expect(await store.getSettings("bob")).toEqual({ theme: "light" });
  });
}
