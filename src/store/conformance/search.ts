import { expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import { textMessage } from "../../protocol/messages.ts";
import type { Store } from "../../protocol/store.ts";
import { doneEvent, endOf, openedRun, type StoreHarness, unique } from "./harness.ts";

/** Writes a conversation of one question and one answer. */
async function say(store: Store, sessionId: string, question: string, answer: string, userId = "ada") {
  const run = await openedRun(store, {
    sessionId,
    userId,
    newSession: (await store.getSession(sessionId)) ? undefined : { title: `About ${sessionId}` },
    userMessage: textMessage(unique("message"), "user", question),
  });
  await store.finishRun(endOf(run, 2, [contentDelta(answer), doneEvent(run)]));
  return run;
}

/** Search: words of any script, exact after every change, and nothing of others. */
export function searchBehavior(harness: () => StoreHarness): void {
  const find = async (query: string, userId = "ada") => {
    const { store } = harness();
    await store.startIndexing();
    for (;;) {
      const { results, complete } = await store.search(userId, { query, limit: 20 });
      if (complete) return results;
    }
  };
  const found = async (query: string, userId = "ada") =>
    (await find(query, userId)).map(({ kind, sessionId }) => `${kind} ${sessionId}`).sort();

  test("a search finds titles, questions, answers, artifacts and the names of files, with the words marked", async () => {
    const { store } = harness();
    await store.createSession({ id: "herons", userId: "ada", title: "All about Herons" });
    await say(store, "birds", "Where do grey herons nest?", "In colonies,\nhigh **up** in trees.");
    await store.saveArtifact({
      id: "art",
      userId: "ada",
      type: "html",
      title: "Heron map",
      code: "<p>nests</p>",
      issues: [],
    });
    await store.addFile(
      { id: "file_1", userId: "ada", name: "heron-notes.pdf", mimeType: "application/pdf", size: 1 },
      10,
    );
    expect((await find("heron")).map(({ kind }) => kind).sort()).toEqual([
      "artifact",
      "conversation",
      "file",
      "message",
    ]);
    const [answer] = await find("high up");
    expect(answer).toMatchObject({
      kind: "message",
      sessionId: "birds",
      role: "assistant",
      title: "About birds",
    });
    expect(answer?.snippet).toBe("In colonies, high up in trees.");
    expect(answer?.highlights?.map(({ start, end }) => answer.snippet?.slice(start, end))).toEqual([
      "high",
      "up",
    ]);
    const [title] = (await find("all herons")).filter(({ kind }) => kind === "conversation");
    expect(title?.titleHighlights).toEqual([
      { start: 0, end: 3 },
      { start: 10, end: 16 },
    ]);
    expect(await find("heron", "bob")).toEqual([]);
  });

  test("words are found by their beginning, without case and diacritics, and in scripts without spaces", async () => {
    const { store } = harness();
    await say(store, "one", "Mobília à Paris: crème brûlée", "Straße, ΑΘΗΝΑ, foo_bar-baz 2.4.1");
    await say(store, "two", "東京タワーの高さは？", "ประเทศไทย и Ёлка");
    for (const query of [
      "mobil",
      "MOBILIA",
      "creme brulee",
      "strasse",
      "αθηνα",
      "foo_bar",
      "2.4",
      '"crème brûlée"',
    ])
      expect(await found(query), query).toEqual(["message one"]);
    for (const query of ["東京", "京タ", "京", "タワーの高", "ไทย", "елка"])
      expect(await found(query), query).toEqual(["message two"]);
    for (const query of ["bilia", "東タ", '"brûlée crème"', "нет"])
      expect(await found(query), query).toEqual([]);
  });

  test("hostile queries find nothing, or what they mean literally", async () => {
    const { store } = harness();
    await say(store, "one", "cats AND dogs", "NEAR(cats, 3) OR text:birds*");
    const hostile = [
      '"',
      '""',
      "' OR 1=1 --",
      "cats\0dogs",
      "*",
      "^cats",
      "text:",
      "(",
      "%",
      "\\",
      "cats NOT",
      "\ud800",
    ];
    for (const query of [...hostile, "x".repeat(10_000), "a ".repeat(5_000), '"'.repeat(999)])
      await expect(find(query), query.slice(0, 20)).resolves.toBeInstanceOf(Array);
    expect(await found("cats AND")).toEqual(["message one"]);
    expect(await found("NEAR(cats")).toEqual(["message one"]);
  });

  test("what is renamed, deleted or moves to another person is found as it is now", async () => {
    const { store } = harness();
    await say(store, "one", "An apricot tart", "Sweet.", "guest");
    expect(await found("apricot", "guest")).toEqual(["message one"]);
    await store.renameSession("one", "Baking at dawn");
    expect(await found("dawn", "guest")).toEqual(["conversation one"]);
    expect(await found("about", "guest")).toEqual([]);
    await store.adoptUser("guest", "ada");
    expect(await found("apricot", "guest")).toEqual([]);
    expect(await found("apricot")).toEqual(["message one"]);
    expect(await found("dawn")).toEqual(["conversation one"]);
    await store.deleteSession("one");
    for (const query of ["apricot", "dawn", "sweet"]) expect(await found(query)).toEqual([]);
    await store.addFile(
      { id: "file_2", userId: "ada", name: "quince.txt", mimeType: "text/plain", size: 1 },
      10,
    );
    expect(await find("quince")).toMatchObject([{ kind: "file", fileId: "file_2" }]);
    await store.removeFile("file_2");
    expect(await find("quince")).toEqual([]);
  });

  test("all branches are searched, and those that are not shown say so", async () => {
    const { store } = harness();
    const first = await say(store, "one", "The first wording", "Yes.");
    const asked = (await store.listMessages("one"))[0];
    const run = await openedRun(store, {
      sessionId: "one",
      newSession: undefined,
      parentId: null,
      userMessage: textMessage(unique("message"), "user", "The second wording"),
    });
    await store.finishRun(endOf(run, 2, [contentDelta("No."), doneEvent(run)]));
    expect(first.messageId).not.toBe(run.messageId);
    expect(await find("wording")).toMatchObject([{ kind: "message" }, { kind: "message" }]);
    expect((await find("first"))[0]).toMatchObject({ messageId: asked?.id, otherBranch: true });
    expect((await find("second"))[0]).not.toHaveProperty("otherBranch");
  });

  test("temporary sessions and those of child runs are not found; archived ones are", async () => {
    const { store } = harness();
    await store.createSession({ id: "secret", userId: "ada", title: "A walrus", temporary: true });
    await say(store, "secret", "Tell me about the walrus", "It has tusks.");
    const root = await say(store, "root", "Walrus?", "Yes");
    const parent = { parent: { runId: root.id, callId: "call" } };
    await openedRun(store, {
      sessionId: "child",
      ...parent,
      userMessage: textMessage(unique("message"), "user", "walrus"),
    });
    expect(await found("walrus")).toEqual(["message root"]);
    await store.archiveSession("root", true);
    expect((await find("walrus"))[0]).toMatchObject({ sessionId: "root", archived: true });
  });

  test("a fork of a comparison is neither listed nor found until it is kept", async () => {
    const { store } = harness();
    const messages = [
      {
        ...textMessage("fork_asked", "user", "Where do walruses live?"),
        createdAt: new Date(0).toISOString(),
      },
    ];
    const fork = { id: "fork", userId: "ada", title: "A walrus", messages };
    const made = await store.importSession({ ...fork, temporary: true, compared: true });
    expect(made).toMatchObject({ temporary: true, compared: true });
    const listed = async () => (await store.listSessions("ada", { limit: 9 })).map(({ id }) => id);
    expect(await listed()).toEqual([]);
    expect(await found("walrus")).toEqual([]);
    await store.keepSession("fork");
    const kept = await store.getSession("fork");
    expect(kept?.temporary ?? kept?.compared).toBeUndefined();
    expect(await listed()).toEqual(["fork"]);
    expect((await found("walrus")).sort()).toEqual(["conversation fork", "message fork"]);
  });

  test("the index is kept over a restart, and follows what was written meanwhile", async () => {
    const { store, reopen } = harness();
    await say(store, "one", "before the pause", "Fine.");
    expect(await found("pause")).toEqual(["message one"]);
    await say(store, "two", "during the pause", "Fine.");
    const again = await reopen();
    const search = () => again.search("ada", { query: "pause", limit: 20 });
    expect((await search()).results.map(({ sessionId }) => sessionId).sort()).toEqual(["one", "two"]);
    await again.startIndexing();
    await expect.poll(async () => (await search()).complete).toBe(true);
  });
}
