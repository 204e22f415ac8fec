import { expect, test } from "vitest";
import type { AccountEvent } from "../../protocol/account-events.ts";
import { textMessage } from "../../protocol/messages.ts";
import type { OpenRun } from "../../protocol/run-records.ts";
import { doneEvent, endOf, openedRun, type StoreHarness, unique } from "./harness.ts";

const DAY = 86_400_000;

/** What deletion and retention reach, and what they leave. */
export function erasingBehavior(harness: () => StoreHarness): void {
  const upload = (changes: { sessionId?: string } = {}) => ({
    id: unique("file"),
    userId: "u",
    name: "notes.txt",
    mimeType: "text/plain",
    size: 10,
    ...changes,
  });

  /** A session with an ended run that refers to files. */
  async function sessionWith(files: string[], changes: Partial<OpenRun> = {}): Promise<string> {
    const { store } = harness();
    const run = await openedRun(store, { userId: "u", files, ...changes });
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    return run.sessionId;
  }

  test("a file goes with the last session that uses it, and other files stay", async () => {
    const { store } = harness();
    const [shared, own, unused] = [upload(), upload(), upload()];
    for (const file of [shared, own, unused]) await store.addFile(file, 1_000);
    const first = await sessionWith([shared.id, own.id]);
    const second = await sessionWith([shared.id]);
    await store.deleteSession(first);
    expect(await store.listFileLeftovers(9)).toEqual([own.id]);
    expect(await store.getFile(shared.id)).toMatchObject({ id: shared.id });
    await store.deleteSession(second);
    expect((await store.listFileLeftovers(9)).sort()).toEqual([own.id, shared.id].sort());
    expect((await store.listFiles({ userId: "u" }, 9)).map(({ id }) => id)).toEqual([unused.id]);
  });

  test("a file that was made in a session stays while another session uses it", async () => {
    const { store } = harness();
    const maker = await sessionWith([]);
    const made = upload({ sessionId: maker });
    await store.addFile(made, 1_000);
    const user = await sessionWith([made.id]);
    await store.deleteSession(maker);
    expect(await store.getFile(made.id)).toMatchObject({ sessionId: user });
    await store.deleteSession(user);
    expect(await store.listFileLeftovers(9)).toEqual([made.id]);
  });

  test("bytes of a client's history are due with the last session that sent them", async () => {
    const { store } = harness();
    const aside = unique("file");
    await store.expectFile(aside, 30 * DAY);
    const sessions = [await sessionWith([aside]), await sessionWith([aside])];
    await store.deleteSession(sessions[0] ?? "");
    expect(await store.listFileLeftovers(9)).toEqual([]);
    await store.deleteSession(sessions[1] ?? "");
    expect(await store.listFileLeftovers(9)).toEqual([aside]);
  });

  test("a file in a message that waits is deleted with its session", async () => {
    const { store } = harness();
    const file = upload();
    await store.addFile(file, 1_000);
    const run = await openedRun(store, { userId: "u" });
    const { id, name, mimeType, size } = file;
    const parts = [{ type: "text" as const, text: "", file: { id, name, mimeType, size } }];
    await store.addInput({ messageId: unique("msg"), runId: run.id, when: "after", parts }, 9);
    await store.deleteSession(run.sessionId);
    expect(await store.listFileLeftovers(9)).toEqual([file.id]);
  });

  test("the versions of an artifact go with the session that made them", async () => {
    const { store } = harness();
    const [one, other] = [await openedRun(store, { userId: "u" }), await openedRun(store, { userId: "u" })];
    const facts = { id: "art_1", userId: "u", type: "code" as const, title: "t", issues: [] };
    const save = ({ sessionId, id: runId }: typeof one, code: string) =>
      store.saveArtifact({ ...facts, code, sessionId, runId, callKey: code });
    await save(one, "first");
    await save(other, "second");
    await store.deleteSession(one.sessionId);
    expect((await store.listArtifactVersions("art_1")).map(({ code }) => code)).toEqual(["second"]);
    await store.deleteSession(other.sessionId);
    expect(await store.listArtifactVersions("art_1")).toEqual([]);
  });

  test("a copy of an artifact stays when the original is deleted, and has no version of a later run", async () => {
    const { store } = harness();
    const run = await openedRun(store, { userId: "u" });
    const facts = { id: "art_1", userId: "u", type: "code" as const, title: "t", issues: [] };
    const byRun = { ...facts, sessionId: run.sessionId, runId: run.id };
    await store.saveArtifact({ ...byRun, code: "made", callKey: "1" });
    await store.saveArtifact({ ...facts, code: "by hand" });
    await store.saveArtifact({ ...byRun, code: "later", callKey: "2" });
    const copy = { id: "art_2", copyOf: "art_1", ownerId: "u", version: 1 };
    const stolen = { ...copy, id: "art_3", ownerId: "v" };
    await store.importSession({ id: "s", userId: "u", title: "t", messages: [], artifacts: [copy, stolen] });
    await store.deleteSession(run.sessionId);
    expect(await store.listArtifactVersions("art_1")).toEqual([]);
    expect(await store.listArtifactVersions("art_3")).toEqual([]);
    expect(await store.listArtifactVersions("art_2")).toMatchObject([
      { version: 1, code: "made", sessionId: "s", userId: "u" },
      { version: 2, code: "by hand" },
    ]);
    await store.deleteSession("s");
    expect(await store.listArtifactVersions("art_2")).toEqual([]);
  });

  test("what an account was told of a deleted session is gone, and nothing but its end is told later", async () => {
    const { store } = harness();
    const [run, kept] = [await openedRun(store, { userId: "u" }), await openedRun(store, { userId: "u" })];
    const titled = (sessionId: string, title: string): AccountEvent => ({ type: "title", sessionId, title });
    await store.tellAccount("u", titled(run.sessionId, "secret"));
    await store.tellAccount("u", titled(kept.sessionId, `"sessionId":"${run.sessionId}"`));
    await store.deleteSession(run.sessionId);
    await store.tellAccount("u", titled(run.sessionId, "too late"));
    await store.tellAccount("u", { type: "session_deleted", sessionId: run.sessionId });
    const { events } = await store.readAccount("u", 0);
    expect(events.map(({ json }) => JSON.parse(json).type)).toEqual([
      "session_deleted",
      "title",
      "session_deleted",
    ]);
    expect(JSON.stringify(events)).not.toMatch(/secret|too late/);
  });

  test("no child run begins once the session of its parent was deleted", async () => {
    const { store } = harness();
    const run = await openedRun(store, { userId: "u" });
    await store.deleteSession(run.sessionId);
    const child = openedRun(store, { userId: "u", parent: { runId: run.id, callId: "call_1" } });
    await expect(child).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await store.stats()).sessions).toBe(0);
  });

  test("a request that was under way when its account was deleted leaves nothing behind", async () => {
    const { store } = harness();
    await store.startErasure({ kind: "account", id: "u" });
    expect(await store.unfinishedErasures()).toEqual([{ kind: "account", id: "u" }]);
    await expect(openedRun(store, { userId: "u" })).rejects.toThrow();
    await store.deleteUser("u");
    expect(await store.unfinishedErasures()).toEqual([]);
    await expect(openedRun(store, { userId: "u" })).rejects.toThrow();
    await expect(store.createSession({ id: "s", userId: "u", title: "t" })).rejects.toThrow();
    await expect(store.addFile(upload(), 1_000)).rejects.toThrow();
    expect(await store.stats()).toMatchObject({ sessions: 0, messages: 0, runs: 0 });
    await openedRun(store, { userId: "other" });
  });

  test("deleting twice, and completing a deletion that a crash cut short, is harmless", async () => {
    const { store } = harness();
    const id = await sessionWith([]);
    await store.startErasure({ kind: "session", id });
    const reopened = await harness().reopen();
    expect(await reopened.unfinishedErasures()).toEqual([{ kind: "session", id }]);
    for (let time = 0; time < 2; time++) await reopened.deleteSession(id);
    expect(await reopened.getSession(id)).toBeUndefined();
    expect(await reopened.unfinishedErasures()).toEqual([]);
  });

  test("sessions that nobody used for long are cleared, the oldest first, but never with an active run", async () => {
    const { store, advance } = harness();
    const active = await openedRun(store, { userId: "u" });
    const old = [await sessionWith([]), await sessionWith([])];
    advance(10 * DAY);
    const recent = await sessionWith([]);
    const again = await openedRun(store, {
      userId: "u",
      sessionId: recent,
      newSession: undefined,
      userMessage: textMessage(unique("msg"), "user", "again"),
    });
    expect(await store.clearSessions(9 * DAY, 1)).toEqual([{ id: old[0], userId: "u" }]);
    expect((await store.clearSessions(9 * DAY, 9)).map(({ id }) => id)).toEqual([old[1]]);
    expect(await store.clearSessions(0, 9)).toEqual([]);
    await store.finishRun(endOf(again, 2, [doneEvent(again)]));
    expect((await store.clearSessions(0, 9)).map(({ id }) => id)).toEqual([recent]);
    expect(await store.getSession(active.sessionId)).toBeDefined();
  });

  test("old files are cleared, unless a session with an active run uses them", async () => {
    const { store, advance } = harness();
    const [old, used] = [upload(), upload()];
    for (const file of [old, used]) await store.addFile(file, 1_000);
    const run = await openedRun(store, { userId: "u", files: [used.id] });
    advance(10 * DAY);
    const recent = upload();
    await store.addFile(recent, 1_000);
    expect(await store.clearFiles(9 * DAY, 9)).toBe(1);
    expect(await store.listFileLeftovers(9)).toEqual([old.id]);
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect(await store.clearFiles(9 * DAY, 9)).toBe(1);
    expect((await store.listFiles({ userId: "u" }, 9)).map(({ id }) => id)).toEqual([recent.id]);
  });
}
