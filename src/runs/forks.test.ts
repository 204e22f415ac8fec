import { describe, expect, it } from "vitest";
import { emptyRun, type RunState, type ToolCallState } from "../protocol/reduce.ts";
import type { NewSession, Session } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import { openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { forkSession, treeOf } from "./forks.ts";

const ada = { id: "ada", kind: "account" } as const;
const DAY = "2020-01-01T00:00:00.000Z";

const text = (said: string) => ({ type: "text" as const, text: said });
const answer = (said: string, change: Partial<RunState> = {}): RunState => ({
  ...emptyRun(),
  text: said,
  blocks: [{ type: "text", text: said }],
  ...change,
});

/** A question with two answers, the first of which was asked about again. */
async function conversation(store: Store, change: Partial<NewSession> = {}): Promise<Session> {
  return store.importSession({
    id: "s",
    userId: "ada",
    title: "A trip",
    headId: "m4",
    messages: [
      { id: "m1", role: "user", parts: [text("Where to?")], createdAt: DAY },
      {
        id: "m2",
        parentId: "m1",
        role: "assistant",
        parts: [text("Oslo.")],
        model: "some/model",
        state: answer("Oslo.", { messageId: "m2", sessionId: "s", parentId: "m1", siblings: ["m2", "m3"] }),
        createdAt: DAY,
      },
      { id: "m3", parentId: "m1", role: "assistant", parts: [text("Rome.")], createdAt: DAY },
      { id: "m4", parentId: "m2", role: "user", parts: [text("Why?")], createdAt: DAY },
    ],
    ...change,
  });
}

const branchOf = (store: Store, { id }: Session) => store.listMessages(id);

describe("a fork", () => {
  it("holds the branch up to the message, under ids of its own", async () => {
    const store = await temporaryStore();
    const session = await conversation(store);
    const before = Date.now();
    const fork = await forkSession(store, ada, session, "m2");
    expect(fork).toMatchObject({ userId: "ada", title: "A trip" });
    expect(fork.id).toMatch(/^ses_/);
    expect(Date.parse(fork.createdAt)).toBeGreaterThanOrEqual(before - 1_000);
    const [question, said, ...others] = await branchOf(store, fork);
    expect(others).toEqual([]);
    expect(question).toMatchObject({ role: "user", parts: [text("Where to?")], createdAt: DAY });
    expect(question?.id).toMatch(/^msg_/);
    expect(question).not.toHaveProperty("parentId");
    expect(question).not.toHaveProperty("model");
    expect(said).toMatchObject({ role: "assistant", parentId: question?.id, model: "some/model" });
    expect(said?.state).toEqual(answer("Oslo.", { messageId: said?.id, sessionId: fork.id }));
    expect(await store.listAllMessages("s")).toHaveLength(4);
  });

  it("of a message that is not in the conversation is refused", async () => {
    const store = await temporaryStore();
    const session = await conversation(store);
    await store.importSession({
      id: "other",
      userId: "ada",
      title: "",
      messages: [{ id: "elsewhere", role: "user", parts: [text("Hi")] }],
    });
    for (const id of ["elsewhere", "nowhere"])
      await expect(forkSession(store, ada, session, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("counts as one of a guest's conversations", async () => {
    const store = await temporaryStore();
    const guest = { id: "ada", kind: "guest" } as const;
    const session = await conversation(store);
    for (let count = 1; count < 99; count++)
      await store.createSession({ id: `s${count}`, userId: "ada", title: "" });
    await forkSession(store, guest, session, "m2");
    await expect(forkSession(store, guest, session, "m2")).rejects.toMatchObject({
      code: "STORAGE_FULL",
      message: "A guest can keep 100 conversations. Delete some, or sign in to keep more.",
    });
    await forkSession(store, ada, session, "m2");
  });

  it("stays in the project of its conversation, with the same parameters", async () => {
    const store = await temporaryStore();
    const projectId = "prj_1";
    await store.addProject({ id: projectId, userId: "ada", value: { name: "Travel", instructions: "" } }, 5);
    await conversation(store);
    await store.moveSession("s", projectId);
    await store.setParameters("s", { temperature: 0.5 });
    const session = await store.getSession("s");
    if (!session) throw new Error("The session is missing.");
    const fork = await forkSession(store, ada, session, "m2");
    const kept = { projectId, parameters: { temperature: 0.5 } };
    expect(fork).toMatchObject(kept);
    expect(await store.getSession(fork.id)).toMatchObject(kept);
    const plain = await conversation(store, {
      id: "plain",
      messages: [{ id: "p1", role: "user", parts: [text("Hi")] }],
      headId: "p1",
    });
    const other = await forkSession(store, ada, plain, "p1");
    expect(other).not.toHaveProperty("projectId");
    expect(other).not.toHaveProperty("parameters");
  });

  it("may be temporary, for comparing answers", async () => {
    const store = await temporaryStore();
    const session = await conversation(store);
    const fork = await forkSession(store, ada, session, "m2", true);
    expect(fork).toMatchObject({ temporary: true, compared: true });
    const again = await forkSession(store, ada, fork, (await branchOf(store, fork))[1]?.id ?? "", true);
    expect(again.temporary).toBe(true);
    expect(again.compared ?? false).toBe(false);
    expect(await forkSession(store, ada, session, "m2")).not.toHaveProperty("temporary");
  });

  it("has copies of the artifacts that still belong to the owner, up to the version in the branch", async () => {
    const store = await temporaryStore();
    const call = (toolCallId: string, artifact: ToolCallState["artifact"]) => ({
      type: "tool" as const,
      call: {
        toolCallId,
        toolName: "generate_artifact",
        arguments: {},
        textOffset: 0,
        status: "succeeded" as const,
        ...(artifact ? { artifact } : {}),
      },
    });
    const made = { code: "<p>", complete: true, issues: [] };
    const previewUrl = "/artifacts/art_hers/preview?version=2&key=secret";
    const blocks = [
      call("c1", { ...made, artifactId: "art_hers", version: 1 }),
      call("c2", { ...made, artifactId: "art_hers", version: 2, previewUrl }),
      call("c3", { ...made, artifactId: "art_his", version: 1 }),
      call("c4", { ...made, artifactId: "art_half", complete: false }),
      call("c5", undefined),
    ];
    const { id: runId } = await openedRun(store, { userId: "ada" });
    for (const [callKey, id, userId] of [
      ["c1", "art_hers", "ada"],
      ["c2", "art_hers", "ada"],
      ["later", "art_hers", "ada"],
      ["c3", "art_his", "bob"],
      ["c4", "art_half", "ada"],
    ] as const)
      await store.saveArtifact({ id, userId, runId, callKey, type: "html", title: "", code: "", issues: [] });
    const session = await conversation(store, {
      headId: "m2",
      messages: [
        { id: "m1", role: "user", parts: [text("Make art_hers")] },
        {
          id: "m2",
          parentId: "m1",
          role: "assistant",
          parts: [text("See art_hers, art_his and art_half.")],
          state: answer("", { blocks }),
        },
      ],
    });
    const fork = await forkSession(store, ada, session, "m2");
    const said = await branchOf(store, fork);
    const copyId = /art_[\w-]+/.exec(JSON.stringify(said[0]?.parts))?.[0] ?? "";
    expect(copyId).not.toBe("art_hers");
    const whole = JSON.stringify(said);
    expect(whole).not.toContain("art_hers");
    expect(whole).not.toContain("key=secret");
    expect(whole).toContain(`/artifacts/${copyId}/preview?version=2"`);
    expect(whole).toContain("art_his");
    expect(whole).toContain("art_half");
    expect(await store.getArtifact(copyId)).toMatchObject({ userId: "ada", version: 2 });
  });
});

describe("the tree of a conversation", () => {
  it("has every message with its place, and says which are shown", async () => {
    const store = await temporaryStore();
    const session = await conversation(store);
    expect(await treeOf(store, session)).toEqual([
      { id: "m1", role: "user", text: "Where to?", createdAt: DAY, shown: true },
      {
        id: "m2",
        parentId: "m1",
        role: "assistant",
        text: "Oslo.",
        model: "some/model",
        createdAt: DAY,
        shown: true,
      },
      { id: "m3", parentId: "m1", role: "assistant", text: "Rome.", createdAt: DAY },
      { id: "m4", parentId: "m2", role: "user", text: "Why?", createdAt: DAY, shown: true },
    ]);
  });

  it("shows the beginning of each text in one line, without markup, and no system message", async () => {
    const store = await temporaryStore();
    const session = await conversation(store, {
      headId: "m3",
      messages: [
        { id: "m1", role: "system", parts: [text("Be brief.")] },
        { id: "m2", parentId: "m1", role: "user", parts: [text("  **One**\n\n| two |  `three`  ")] },
        { id: "m3", parentId: "m2", role: "assistant", parts: [text("")], state: answer("🙂".repeat(200)) },
      ],
    });
    expect((await treeOf(store, session)).map((node) => node.text)).toEqual([
      "One two three",
      "🙂".repeat(120),
    ]);
  });
});
