import { expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { textMessage } from "../../protocol/messages.ts";
import { doneEvent, endOf, openedRun, type StoreHarness, unique } from "./harness.ts";

function artifactEvents(version: number, artifactCode: string): ChatEvent[] {
  const call = { toolCallId: `call ${version}`, toolName: "generate_artifact" };
  return [
    { type: "tool_call_start", ...call, arguments: {}, textOffset: 0 },
    {
      type: "artifact_complete",
      toolCallId: call.toolCallId,
      artifactId: "art",
      version,
      artifactType: "html",
      artifactTitle: "A page",
      artifactCode,
      previewUrl: "/artifacts/art",
      issues: [{ severity: "fixed", message: "A tag was open." }],
    },
  ];
}

/** Sessions, their messages, artifacts, and settings. */
export function sessionBehavior(harness: () => StoreHarness): void {
  test("a session is created, read and renamed, and shows its active run", async () => {
    const { store } = harness();
    const created = await store.createSession({ id: "s", userId: "ada", title: "First" });
    expect(created).toEqual(await store.getSession("s"));
    expect(created.activeRunId).toBeUndefined();
    await store.renameSession("s", "Second");
    const run = await openedRun(store, { sessionId: "s", newSession: undefined });
    expect(await store.getSession("s")).toMatchObject({ title: "Second", activeRunId: run.id });
    expect((await store.getSession("s"))?.waiting).toBeUndefined();
    const paused = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: [], steps: [] };
    await store.commit([{ ...paused, status: "waiting" }], { durable: true });
    expect(await store.listSessions("ada", { limit: 10 })).toMatchObject([
      { id: "s", activeRunId: run.id, waiting: true },
    ]);
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect((await store.getSession("s"))?.activeRunId).toBeUndefined();
    expect((await store.getSession("s"))?.waiting).toBeUndefined();
    expect(await store.getSession("nobody's")).toBeUndefined();
  });

  test("the sessions of child runs are not listed, and are deleted with those of their parents", async () => {
    const { store } = harness();
    const root = await openedRun(store, { sessionId: "root" });
    const parent = (run: { id: string }) => ({ parent: { runId: run.id, callId: "call" } });
    const child = await openedRun(store, { sessionId: "child", ...parent(root) });
    const grandchild = await openedRun(store, { sessionId: "grandchild", ...parent(child) });
    expect(await store.activeChildren(root.id)).toEqual([child.id]);
    expect(await store.listSessions("ada", { limit: 10 })).toMatchObject([{ id: "root" }]);
    await store.finishRun(endOf(grandchild, 2, [doneEvent(grandchild)]));
    expect(await store.activeChildren(child.id)).toEqual([]);
    await store.deleteSession("root");
    for (const id of ["root", "child", "grandchild"]) expect(await store.getSession(id)).toBeUndefined();
    expect(await store.getRun(grandchild.id)).toBeUndefined();
  });

  test("a name belongs to one user: the first use creates the session, also of several at once", async () => {
    const { store } = harness();
    const create = (id: string, userId: string) =>
      store.createSession({ id, userId, title: id, name: "test-session" });
    const created = await Promise.all(["s1", "s2", "s3"].map((id) => create(id, "ada")));
    const [first] = created;
    expect(first).toMatchObject({ userId: "ada", name: "test-session" });
    expect(created).toEqual([first, first, first]);
    expect(await store.namedSession("ada", "test-session")).toEqual(first);
    expect(await store.namedSession("bob", "test-session")).toBeUndefined();
    expect(await create("s4", "bob")).toMatchObject({ id: "s4", userId: "bob" });
    expect(await store.listSessions("ada", { limit: 9 })).toHaveLength(1);
    await store.deleteSession(first?.id ?? "");
    expect(await create("s5", "ada")).toMatchObject({ id: "s5", name: "test-session" });
    expect(await store.createSession({ id: "s6", userId: "ada", title: "none" })).not.toHaveProperty("name");
  });

  test("sessions that were begun in a folder are listed on their own", async () => {
    const { store } = harness();
    await store.createSession({ id: "a", userId: "ada", title: "a", folder: "/one" });
    await store.createSession({ id: "b", userId: "ada", title: "b" });
    await openedRun(store, { sessionId: "c", userId: "ada", newSession: { title: "c", folder: "/one" } });
    const ids = async (folder?: string) =>
      (await store.listSessions("ada", { limit: 9, ...(folder ? { folder } : {}) })).map(({ id }) => id);
    expect(await ids("/one")).toEqual(["c", "a"]);
    expect(await ids("/two")).toEqual([]);
    expect(await ids()).toEqual(["c", "b", "a"]);
  });

  test("pages of sessions have no gaps or duplicates, newest first, even within one millisecond", async () => {
    const { store } = harness();
    for (const id of ["a", "b", "c", "d", "e"]) await store.createSession({ id, userId: "ada", title: id });
    await store.createSession({ id: "other", userId: "bob", title: "other" });
    const seen: string[] = [];
    for (let before: string | undefined, page = 0; page < 3; page++) {
      const sessions = await store.listSessions("ada", { limit: 2, before });
      seen.push(...sessions.map((session) => session.id));
      before = sessions.at(-1)?.updatedAt;
    }
    expect(seen).toEqual(["e", "d", "c", "b", "a"]);
  });

  test("a session with a new message moves to the front", async () => {
    const { store } = harness();
    await store.createSession({ id: "a", userId: "ada", title: "a" });
    await store.createSession({ id: "b", userId: "ada", title: "b" });
    const run = await openedRun(store, { sessionId: "a", newSession: undefined });
    expect((await store.listSessions("ada", { limit: 9 })).map(({ id }) => id)).toEqual(["a", "b"]);
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect((await store.listSessions("ada", { limit: 9 })).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("archived and temporary sessions are not listed with the others", async () => {
    const { store } = harness();
    for (const id of ["a", "b", "c"]) await store.createSession({ id, userId: "ada", title: id });
    await store.createSession({ id: "t", userId: "ada", title: "t", temporary: true });
    expect(await store.getSession("t")).toMatchObject({ temporary: true });
    await store.pinSession("b", true);
    const ids = async (page: object) =>
      (await store.listSessions("ada", { limit: 9, ...page })).map(({ id }) => id);
    expect(await ids({})).toEqual(["c", "b", "a"]);
    for (const id of ["a", "b"]) await store.archiveSession(id, true);
    expect(await ids({})).toEqual(["c"]);
    expect(await ids({ pinned: true })).toEqual([]);
    expect(await ids({ archived: true })).toEqual(["b", "a"]);
    expect(await store.countArchived("ada")).toBe(2);
    expect(await store.getSession("a")).toMatchObject({ archived: true });
    await store.archiveSession("b", false);
    expect(await ids({ pinned: true })).toEqual(["b"]);
  });

  test("messages are listed oldest first, and paged backwards from a message", async () => {
    const { store } = harness();
    await store.createSession({ id: "s", userId: "ada", title: "s" });
    for (const text of ["one", "two", "three"]) {
      const userMessage = textMessage(`ask ${text}`, "user", text);
      const run = await openedRun(store, {
        sessionId: "s",
        newSession: undefined,
        userMessage,
        messageId: `answer ${text}`,
      });
      await store.finishRun(endOf(run, 2, [contentDelta(text), doneEvent(run)]));
    }
    const ids = async (options?: { limit?: number; before?: string }) =>
      (await store.listMessages("s", options)).map(({ id }) => id);
    const all = ["ask one", "answer one", "ask two", "answer two", "ask three", "answer three"];
    expect(await ids()).toEqual(all);
    expect(await ids({ limit: 2 })).toEqual(all.slice(4));
    expect(await ids({ limit: 3, before: "ask three" })).toEqual(all.slice(1, 4));
    expect(await ids({ before: "ask one" })).toEqual([]);
    expect(await ids({ before: "no such message" })).toEqual([]);
  });

  test("deleting a session deletes its messages, runs, events, steps and approvals, and wakes its followers", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const steps = [{ key: "model:0", state: "started" as const, idempotencyKey: unique("key") }];
    const batch = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: [], steps };
    await store.commit([batch], { durable: true });
    const decided = { runId: run.id, toolCallId: "c", decision: "once" as const, argumentsHash: "h" };
    await store.saveApproval(decided);
    let woken = 0;
    store.watch(run.id, () => woken++);
    await store.deleteSession(run.sessionId);
    expect(woken).toBe(1);
    expect(await store.getSession(run.sessionId)).toBeUndefined();
    expect(await store.getRun(run.id)).toBeUndefined();
    expect(await store.listMessages(run.sessionId)).toEqual([]);
    expect(await store.readEvents(run.id, 0, 10)).toEqual([]);
    expect(await store.readSteps(run.id)).toEqual([]);
    expect(await store.getApproval(run.id, "c")).toBeUndefined();
    expect(await store.commit([batch], { durable: true })).toEqual({ fenced: [run.id] });
    const stats = await store.stats();
    expect(stats).toMatchObject({ sessions: 0, messages: 0, runs: 0, activeRuns: 0 });
    expect(stats.bytes).toBeGreaterThan(0);
  });

  test("every version of an artifact can be read, and only its owner can add one", async () => {
    const { store } = harness();
    const makeVersion = async (version: number, code: string, userId = "ada", sessionId = "s") => {
      const known = await store.getSession(sessionId);
      const run = await openedRun(store, {
        sessionId,
        userId,
        newSession: known ? undefined : { title: "A title" },
      });
      await store.finishRun(endOf(run, 2, [...artifactEvents(version, code), doneEvent(run)]));
      return run;
    };
    const first = await makeVersion(1, "<p>one</p>");
    await makeVersion(2, "<p>two</p>");
    await makeVersion(2, "<p>never over another</p>");
    await makeVersion(3, "<p>not yours</p>", "bob", "bob's");
    expect(await store.getArtifact("art", 1)).toEqual({
      id: "art",
      sessionId: "s",
      userId: "ada",
      runId: first.id,
      version: 1,
      type: "html",
      title: "A page",
      code: "<p>one</p>",
      issues: [{ severity: "fixed", message: "A tag was open." }],
      createdAt: expect.stringMatching(/Z$/),
    });
    expect((await store.getArtifact("art"))?.code).toBe("<p>two</p>");
    expect((await store.listArtifactVersions("art")).map(({ version }) => version)).toEqual([1, 2]);
    expect(await store.listArtifacts("ada")).toMatchObject([
      { id: "art", version: 2, title: "A page", code: "" },
    ]);
    expect(await store.listArtifacts("bob")).toEqual([]);
    expect(await store.getArtifact("art", 3)).toBeUndefined();
    expect(await store.getArtifact("no such artifact")).toBeUndefined();
    await store.deleteSession("s");
    expect(await store.listArtifactVersions("art")).toEqual([]);
  });

  test("a version of an artifact can be written at once, only by its owner, even outside of any session", async () => {
    const { store } = harness();
    const draft = { id: "art", userId: "ada", type: "svg" as const, title: "A bird", issues: [] };
    const first = await store.saveArtifact({ ...draft, code: "<svg/>" });
    expect(first).toEqual({ ...draft, code: "<svg/>", version: 1, createdAt: expect.stringMatching(/Z$/) });
    await store.saveArtifact({ ...draft, code: "<svg>2</svg>", callKey: "call 2" });
    const again = await store.saveArtifact({ ...draft, code: "<svg>two</svg>", callKey: "call 2" });
    expect(again).toMatchObject({ version: 2, code: "<svg>two</svg>" });
    expect(await store.saveArtifact({ ...draft, userId: "bob", code: "not yours" })).toBeUndefined();
    const both = await Promise.all(["a", "b"].map((code) => store.saveArtifact({ ...draft, code })));
    expect(both.map((saved) => saved?.version).sort()).toEqual([3, 4]);
    expect(await store.listArtifactVersions("art")).toHaveLength(4);
    await store.adoptUser("ada", "carl");
    expect((await store.getArtifact("art"))?.userId).toBe("carl");
    await store.deleteUser("carl");
    expect(await store.getArtifact("art")).toBeUndefined();
  });

  test("a version that a call wrote at once is not written again at the end of its run", async () => {
    const { store } = harness();
    const run = await openedRun(store, { sessionId: "s", userId: "ada", newSession: { title: "A title" } });
    const issues = [{ severity: "fixed" as const, message: "A tag was open." }];
    const draft = { id: "art", sessionId: "s", userId: "ada", runId: run.id, type: "html" as const, issues };
    await store.saveArtifact({ ...draft, title: "A page", code: "<p>one</p>", callKey: "call 1" });
    await store.finishRun(endOf(run, 2, [...artifactEvents(1, "<p>one</p>"), doneEvent(run)]));
    expect(await store.listArtifactVersions("art")).toHaveLength(1);
    await store.deleteSession("s");
    expect(await store.getArtifact("art")).toBeUndefined();
  });

  test("an imported conversation is written whole, with its branches and times", async () => {
    const { store } = harness();
    const said = (id: string, role: "user" | "assistant", parentId?: string) => ({
      ...textMessage(id, role, `Text of ${id}`),
      ...(parentId === undefined ? {} : { parentId }),
    });
    const times = { createdAt: "2024-03-01T10:00:00.000Z", updatedAt: "2024-03-02T10:00:00.000Z" };
    const messages = [
      { ...said("q", "user"), createdAt: times.createdAt },
      said("a1", "assistant", "q"),
      said("a2", "assistant", "q"),
    ];
    const brought = { id: "s", userId: "ada", title: "From elsewhere", ...times, messages, headId: "a1" };
    expect(await store.importSession(brought)).toEqual({
      ...times,
      id: "s",
      userId: "ada",
      title: "From elsewhere",
      titledBy: "person",
      headId: "a1",
    });
    expect(await store.listMessages("s")).toMatchObject([
      { id: "q", createdAt: times.createdAt },
      { id: "a1", parentId: "q", siblings: ["a1", "a2"] },
    ]);
    // A page starts after the last session seen, so no two may have the same time.
    await store.importSession({ id: "t", userId: "ada", title: "Empty", ...times, messages: [] });
    const [first] = await store.listSessions("ada", { limit: 1 });
    expect(await store.listSessions("ada", { limit: 5, before: first?.updatedAt })).toHaveLength(1);
    const run = await openedRun(store, { sessionId: "s", newSession: undefined });
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect(await store.listMessages("s")).toHaveLength(4);
  });

  test("a session can be pinned, and pinned sessions can be listed separately", async () => {
    const { store } = harness();
    for (const id of ["s", "t"]) await store.createSession({ id, userId: "ada", title: id });
    await store.pinSession("s", true);
    expect(await store.listSessions("ada", { limit: 5, pinned: true })).toMatchObject([
      { id: "s", pinned: true },
    ]);
    expect(await store.listSessions("ada", { limit: 5 })).toHaveLength(2);
    await store.pinSession("s", false);
    expect(await store.getSession("s")).not.toHaveProperty("pinned");
    expect(await store.listSessions("ada", { limit: 5, pinned: true })).toEqual([]);
  });

  test("a session keeps how it is answered, from its creation or later, until that is forgotten", async () => {
    const { store } = harness();
    await store.createSession({ id: "s", userId: "ada", title: "s", parameters: { topP: 0.5 } });
    await openedRun(store, { sessionId: "t", newSession: { title: "t", parameters: { temperature: 0 } } });
    expect((await store.getSession("s"))?.parameters).toEqual({ topP: 0.5 });
    expect((await store.getSession("t"))?.parameters).toEqual({ temperature: 0 });
    await store.setParameters("s", { effort: "high", verbosity: "low" });
    const listed = await store.listSessions("ada", { limit: 5 });
    expect(listed.find(({ id }) => id === "s")?.parameters).toEqual({ effort: "high", verbosity: "low" });
    await store.setParameters("s", null);
    expect(await store.getSession("s")).not.toHaveProperty("parameters");
  });

  test("settings are stored for each user and for the server, and can be removed", async () => {
    const { store } = harness();
    await store.putSetting("ada", "theme", { dark: true });
    await store.putSetting("ada", "theme", { dark: false });
    await store.putSetting("ada", "model", "demo/demo");
    await store.putSetting("", "key", [1, "two", null]);
    expect(await store.getSettings("ada")).toEqual({ theme: { dark: false }, model: "demo/demo" });
    // With a journal on NATS, its name is included.
    const { event_journal: _, ...ofServer } = await store.getSettings("");
    expect(ofServer).toEqual({ key: [1, "two", null] });
    await store.putSetting("ada", "model", undefined);
    expect(await store.getSettings("ada")).toEqual({ theme: { dark: false } });
    expect(await store.getSettings("bob")).toEqual({});
  });

  test("settings of several users are read at once", async () => {
    const { store } = harness();
    await store.putSetting("ada", "theme", { dark: true });
    await store.putSetting("ada", "model", "demo/demo");
    await store.putSetting("bob", "model", "demo/other");
    await store.putSetting("eve", "model", "demo/hers");
    const found = await store.getSettingsOfEach(["ada", "bob", "nobody"], ["model", "theme"]);
    expect(Object.fromEntries(found)).toEqual({
      ada: { theme: { dark: true }, model: "demo/demo" },
      bob: { model: "demo/other" },
    });
    expect([
      ...(await store.getSettingsOfEach(["ada"], ["other"])),
      ...(await store.getSettingsOfEach([], ["model"])),
    ]).toEqual([]);
  });
}
