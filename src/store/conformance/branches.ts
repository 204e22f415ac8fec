import { expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import { textMessage } from "../../protocol/messages.ts";
import type { OpenRun, Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import { doneEvent, endOf, openedRun, type StoreHarness } from "./harness.ts";

/** Opens a run in the session `s`: its question is `ask NAME`, its answer `answer NAME`. */
function opened(store: Store, name: string, changes: Partial<OpenRun> = {}): Promise<Run> {
  return openedRun(store, {
    sessionId: "s",
    newSession: undefined,
    userMessage: textMessage(`ask ${name}`, "user", name),
    messageId: `answer ${name}`,
    ...changes,
  });
}

async function finish(store: Store, run: Run): Promise<void> {
  await store.finishRun(endOf(run, 2, [contentDelta(run.messageId), doneEvent(run)]));
}

async function turn(store: Store, name: string, changes: Partial<OpenRun> = {}): Promise<void> {
  await finish(store, await opened(store, name, changes));
}

/** Options for another answer to an existing question. */
function again(parentId: string): Partial<OpenRun> {
  return { userMessage: undefined, parentId };
}

async function shown(store: Store): Promise<string[]> {
  return (await store.listMessages("s")).map(({ id }) => id);
}

/** Branches of sessions: messages with the same parent. */
export function branchBehavior(harness: () => StoreHarness): void {
  async function withTwoTurns(): Promise<Store> {
    const { store } = harness();
    await store.createSession({ id: "s", userId: "ada", title: "s" });
    await turn(store, "one");
    await turn(store, "two");
    return store;
  }

  test("shared reads see what was added, other branches, and nothing that was deleted", async () => {
    const store = await withTwoTurns();
    const shared = async (upTo?: string) =>
      (await store.listMessages("s", { shared: true, ...(upTo ? { upTo } : {}) })).map(({ id }) => id);
    const firstTurns = ["ask one", "answer one", "ask two", "answer two"];
    expect(await shared()).toEqual(firstTurns);
    await turn(store, "three");
    expect(await shared()).toEqual([...firstTurns, "ask three", "answer three"]);
    expect(await shared("ask two")).toEqual(firstTurns.slice(0, 3));
    await turn(store, "other", { parentId: "answer one" });
    expect(await shared()).toEqual(["ask one", "answer one", "ask other", "answer other"]);
    expect(await shared("answer three")).toEqual([...firstTurns, "ask three", "answer three"]);
    await store.deleteSession("s");
    expect(await shared()).toEqual([]);
    expect(await shared("answer three")).toEqual([]);
  });

  test("by default a message follows the newest one, and there are no siblings", async () => {
    const store = await withTwoTurns();
    const messages = await store.listMessages("s");
    expect(messages.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["ask one", undefined],
      ["answer one", "ask one"],
      ["ask two", "answer one"],
      ["answer two", "ask two"],
    ]);
    expect(messages.every(({ siblings }) => siblings === undefined)).toBe(true);
    expect((await store.getSession("s"))?.headId).toBe("answer two");
    expect(await store.listAllMessages("s")).toEqual(messages);
    expect(await store.getMessage("ask two")).toEqual(messages[2]);
    expect(await store.getMessage("no such message")).toBeUndefined();
  });

  test("a shared reading has the same messages without siblings, also new ones, and none that were deleted", async () => {
    const store = await withTwoTurns();
    const alone = async () =>
      (await store.listMessages("s")).map(({ siblings: _siblings, ...message }) => message);
    expect(await store.listMessages("s", { shared: true })).toEqual(await alone());
    await turn(store, "again", again("ask two"));
    expect(await store.listMessages("s", { shared: true })).toEqual(await alone());
    expect(await store.listMessages("s", { shared: true, upTo: "ask two" })).toHaveLength(3);
    await store.deleteSession("s");
    expect(await store.listMessages("s", { shared: true })).toEqual([]);
  });

  test("a message after an earlier one begins a branch, which is shown; the other branch keeps everything", async () => {
    const store = await withTwoTurns();
    await turn(store, "two again", { parentId: "answer one" });
    expect(await shown(store)).toEqual(["ask one", "answer one", "ask two again", "answer two again"]);
    const messages = await store.listMessages("s");
    expect(messages.map(({ siblings }) => siblings)).toEqual([
      undefined,
      undefined,
      ["ask two", "ask two again"],
      undefined,
    ]);
    expect((await store.listAllMessages("s")).map(({ id }) => id)).toEqual([
      "ask one",
      "answer one",
      "ask two",
      "answer two",
      "ask two again",
      "answer two again",
    ]);
    await turn(store, "three");
    expect((await shown(store)).slice(3)).toEqual(["answer two again", "ask three", "answer three"]);
  });

  test("a branch may begin at the very first message", async () => {
    const store = await withTwoTurns();
    await turn(store, "other", { parentId: null });
    expect(await shown(store)).toEqual(["ask other", "answer other"]);
    const [first] = await store.listMessages("s");
    expect(first?.siblings).toEqual(["ask one", "ask other"]);
    expect(first?.parentId).toBeUndefined();
  });

  test("regenerating an answer does not repeat the question, and the new answer is one more sibling", async () => {
    const store = await withTwoTurns();
    const run = await opened(store, "two, better", again("ask two"));
    expect(run.parentId).toBe("ask two");
    expect(await store.getRun(run.id)).toEqual(run);
    expect(await shown(store)).toEqual(["ask one", "answer one", "ask two"]);
    await finish(store, run);
    expect(await shown(store)).toEqual(["ask one", "answer one", "ask two", "answer two, better"]);
    const answer = (await store.listMessages("s")).at(-1);
    expect(answer?.siblings).toEqual(["answer two", "answer two, better"]);
    expect(await store.listAllMessages("s")).toHaveLength(5);
  });

  test("an unfinished answer is among the siblings of the earlier answers", async () => {
    const store = await withTwoTurns();
    const run = await opened(store, "two, better", again("ask two"));
    const siblings = ["answer two", "answer two, better"];
    expect((await store.getMessage("answer two"))?.siblings).toEqual(siblings);
    await finish(store, run);
    expect((await store.getMessage("answer two"))?.siblings).toEqual(siblings);
  });

  test("choosing a message shows the newest branch through it", async () => {
    const store = await withTwoTurns();
    await turn(store, "three");
    await turn(store, "other", { parentId: "answer one" });
    expect(await store.showMessage("s", "ask two")).toBe(true);
    expect((await shown(store)).at(-1)).toBe("answer three");
    await turn(store, "four, after all", { parentId: "answer two" });
    expect(await store.showMessage("s", "ask three")).toBe(true);
    expect((await shown(store)).at(-1)).toBe("answer three");
    expect(await store.showMessage("s", "ask one")).toBe(true);
    expect((await shown(store)).at(-1)).toBe("answer four, after all");
    expect((await store.getSession("s"))?.headId).toBe("answer four, after all");
    await store.createSession({ id: "another", userId: "ada", title: "another" });
    expect(await store.showMessage("another", "ask one")).toBe(false);
    expect(await store.showMessage("s", "no such message")).toBe(false);
    expect((await store.getSession("another"))?.headId).toBeUndefined();
    expect((await shown(store)).at(-1)).toBe("answer four, after all");
  });

  test("a run continues in its branch while another is shown, and can be shown again before and after its end", async () => {
    const store = await withTwoTurns();
    const run = await opened(store, "two, better", again("ask two"));
    expect(await store.showMessage("s", "answer two")).toBe(true);
    expect((await shown(store)).at(-1)).toBe("answer two");
    expect(await store.showMessage("s", run.messageId)).toBe(true);
    expect((await shown(store)).at(-1)).toBe("ask two");
    await store.showMessage("s", "answer two");
    expect(await store.showMessage("s", "ask one")).toBe(true);
    expect((await shown(store)).at(-1)).toBe("ask two");
    await store.showMessage("s", "answer two");
    await finish(store, run);
    expect((await shown(store)).at(-1)).toBe("answer two");
    await store.showMessage("s", run.messageId);
    expect((await shown(store)).at(-1)).toBe("answer two, better");
  });

  test("pages are read from one branch, even if it is not shown", async () => {
    const store = await withTwoTurns();
    await turn(store, "other", { parentId: "answer one" });
    const ids = async (options: Parameters<Store["listMessages"]>[1]) =>
      (await store.listMessages("s", options)).map(({ id }) => id);
    expect(await ids({ limit: 3 })).toEqual(["answer one", "ask other", "answer other"]);
    expect(await ids({ limit: 1, before: "answer two" })).toEqual(["ask two"]);
    expect(await ids({ before: "ask two" })).toEqual(["ask one", "answer one"]);
    expect(await ids({ upTo: "answer two", limit: 2 })).toEqual(["ask two", "answer two"]);
    expect(await ids({ upTo: "no such message" })).toEqual([]);
    await store.createSession({ id: "another", userId: "ada", title: "another" });
    expect(await store.listMessages("another", { upTo: "answer two" })).toEqual([]);
    expect(await store.listMessages("another", { before: "answer two" })).toEqual([]);
  });

  test("if two requests begin a branch at the same moment, one is told that an answer is being written", async () => {
    const store = await withTwoTurns();
    const outcomes = await Promise.all(
      ["left", "right"].map((name) =>
        opened(store, name, { parentId: "answer one" }).then(
          () => "opened",
          (error: Error) => error.message,
        ),
      ),
    );
    expect(outcomes.sort()).toEqual(["opened", "the run was not opened: busy"]);
    expect(await store.listAllMessages("s")).toHaveLength(5);
  });

  test("branches are searched, survive a restart and are deleted with their session", async () => {
    const store = await withTwoTurns();
    await turn(store, "zebras", { parentId: null });
    await store.showMessage("s", "ask one");
    const { results } = await store.search("ada", { limit: 9, query: "zebras" });
    expect(results.map(({ messageId }) => messageId).sort()).toEqual(["answer zebras", "ask zebras"]);
    const before = await store.listAllMessages("s");
    const reopened = await harness().reopen();
    expect(await shown(reopened)).toEqual(["ask one", "answer one", "ask two", "answer two"]);
    expect(await reopened.listAllMessages("s")).toEqual(before);
    await reopened.deleteSession("s");
    expect(await reopened.listAllMessages("s")).toEqual([]);
  });
}
