import { describe, expect, it } from "vitest";
import type { AuditFact } from "../protocol/audit.ts";
import type { BackgroundCommand, BackgroundCommands } from "../protocol/commands.ts";
import { draftSetting } from "../protocol/drafts.ts";
import type { Files } from "../protocol/files.ts";
import { MAX_MESSAGE_CHARACTERS } from "../protocol/message-limits.ts";
import { textMessage } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import { emptyRun } from "../protocol/reduce.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import type { Workspace, WorkspaceListing } from "../protocol/workspace.ts";
import { openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createLocalChat, type LocalChatParts } from "./local-chat.ts";
import type { Runner } from "./runner.ts";

const ada: Principal = { id: "ada", kind: "account" };
const place = { sessionId: "ses_s" };

/** Ada's chat, with a session `s` in which a question has two answers. */
async function chatOf(change: Partial<LocalChatParts> = {}, principal = ada, entrance?: string) {
  const store = await temporaryStore();
  await store.importSession({
    id: "ses_s",
    userId: "ada",
    title: "Trip",
    headId: "a",
    messages: [
      textMessage("q", "user", "Where to?"),
      { ...textMessage("a", "assistant", "Oslo."), parentId: "q", model: "some/model" },
      { ...textMessage("b", "assistant", "Rome."), parentId: "q" },
    ],
  });
  const facts: AuditFact[] = [];
  const started: Parameters<Runner["start"]>[] = [];
  const cancelled: string[] = [];
  const tidied: number[] = [];
  const parts = {
    store,
    files: {
      signedUrl: (id: string) => `/files/${id}`,
      tidy: async () => void tidied.push(1),
      async put(bytes: AsyncIterable<Uint8Array>, { name, userId }: { name: string; userId: string }) {
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes) pieces.push(piece);
        return { id: `${userId} ${name} ${Buffer.concat(pieces)}`, mimeType: "text/plain" };
      },
    } as Partial<Files> as Files,
    runner: {
      async start(...given: Parameters<Runner["start"]>) {
        started.push(given);
        return { runId: "r", sessionId: "ses_s", messageId: "m", model: "m", joined: false };
      },
      cancel: async (id: string) => void cancelled.push(id),
    } as Partial<Runner> as Runner,
    callContexts: {},
    audit: {
      record: async (fact: AuditFact) => void facts.push(fact),
      note: (fact: AuditFact) => facts.push(fact),
    },
    ...change,
  } as Partial<LocalChatParts> as LocalChatParts;
  const chat = createLocalChat(parts, principal, entrance);
  const told = async () => (await store.readAccount("ada", 0)).events.map(({ json }) => JSON.parse(json));
  return { chat, store, facts, started, cancelled, tidied, told };
}

describe("sending", () => {
  it("starts a run with the request and what goes with it", async () => {
    const { chat, started } = await chatOf({ system: "Be brief." });
    await chat.send({ message: "Hi" });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await chat.send(
      { message: "Hi" },
      {
        idempotencyKey: "k",
        requestId: "req",
        traceparent,
        folder: "/home",
        system: "Rhyme.",
        schema: { type: "object" },
        maxSteps: 3,
      },
    );
    expect(started).toEqual([
      [ada, { message: "Hi", systemPrompt: "Be brief." }, {}],
      [
        ada,
        {
          message: "Hi",
          systemPrompt: "Rhyme.",
          settings: { responseFormat: { type: "json", name: "answer", schema: { type: "object" } } },
        },
        {
          idempotencyKey: "k",
          requestId: "req",
          traceparent,
          folder: "/home",
          limits: expect.objectContaining({ maxIterations: 3 }),
        },
      ],
    ]);
  });

  it("takes a message of any length, and no unknown option", async () => {
    const { chat, started } = await chatOf();
    for (const length of [MAX_MESSAGE_CHARACTERS, MAX_MESSAGE_CHARACTERS + 1]) {
      const message = "x".repeat(length);
      await chat.send({ message });
      expect(started.at(-1)?.[1]).toEqual({ message });
    }
    const wrong = { message: "x".repeat(MAX_MESSAGE_CHARACTERS + 1), reasoningEffort: "huge" };
    await expect(chat.send(wrong as ChatRequest)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(chat.send({ message: "Hi" }, { wrong: true } as object)).rejects.toThrow("wrong");
    await expect(
      chat
        .follow("r", { wrong: true } as object)
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toThrow("wrong");
    expect(() => chat.feed({ wrong: true } as object)).toThrow("wrong");
  });
});

describe("a session's owner", () => {
  it("archives, pins, renames and moves it, and every page of theirs is told", async () => {
    const { chat, store, told } = await chatOf();
    await store.addProject({ id: "prj", userId: "ada", value: { name: "", instructions: "" } }, 5);
    expect(await chat.archiveSession("ses_s", true)).toMatchObject({ archived: true });
    expect(await chat.countArchived()).toBe(1);
    await chat.archiveSession("ses_s", false);
    expect(await chat.pinSession("ses_s", true)).toMatchObject({ pinned: true });
    await chat.archiveSession("ses_s", false);
    expect(await chat.renameSession("ses_s", "Norway")).toMatchObject({ title: "Norway" });
    expect(await chat.moveSession("ses_s", "prj")).toMatchObject({ projectId: "prj" });
    await chat.pinSession("ses_s", false);
    expect(await chat.moveSession("ses_s", null)).not.toHaveProperty("projectId");
    await expect(chat.moveSession("ses_s", "prj_none")).rejects.toMatchObject({ code: "NOT_FOUND" });
    const pinned = (is: boolean) => ({ type: "session_pinned", ...place, pinned: is });
    expect(await told()).toEqual([
      { ...pinned(false), archived: true },
      { ...pinned(false), archived: false },
      pinned(true),
      { ...pinned(true), archived: false },
      { type: "session_renamed", ...place, title: "Norway" },
      pinned(true),
      pinned(false),
      pinned(false),
    ]);
  });

  it("says how it is answered, and takes that back", async () => {
    const { chat, told } = await chatOf();
    const parameters = { temperature: 0.5 };
    expect(await chat.setParameters("ses_s", parameters)).toMatchObject({ parameters });
    expect(await chat.setParameters("ses_s", {})).not.toHaveProperty("parameters");
    await chat.setParameters("ses_s", parameters);
    expect(await chat.setParameters("ses_s", null)).not.toHaveProperty("parameters");
    await expect(chat.setParameters("ses_s", { temperature: 99 })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    const changed = { type: "session_pinned", ...place, pinned: false };
    expect(await told()).toEqual([
      { ...changed, parameters },
      { ...changed, parameters: {} },
      { ...changed, parameters },
      { ...changed, parameters: {} },
    ]);
  });

  it("creates one with a title, in a folder, in a project", async () => {
    const { chat, store, told } = await chatOf();
    await store.addProject({ id: "prj", userId: "ada", value: { name: "", instructions: "" } }, 5);
    const plain = await chat.createSession();
    expect(plain).toMatchObject({ title: "New session", userId: "ada" });
    expect(plain).not.toHaveProperty("titledBy");
    const named = await chat.createSession({ title: "Mine", folder: "/home", projectId: "prj" });
    expect(named).toMatchObject({ title: "Mine", titledBy: "person", projectId: "prj" });
    await expect(chat.createSession({ projectId: "prj_none" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await told()).toEqual([
      { type: "session_created", sessionId: plain.id, title: "New session" },
      { type: "session_created", sessionId: named.id, title: "Mine" },
    ]);
  });

  it("copies it from a message on, for a while or for good", async () => {
    const { chat, told } = await chatOf();
    const kept = await chat.forkSession("ses_s", "a");
    const temporary = await chat.forkSession("ses_s", "a", { temporary: true });
    expect(await told()).toEqual([{ type: "session_created", sessionId: kept.id, title: kept.title }]);
    expect(temporary).toMatchObject({ temporary: true });
    expect(await chat.keepSession(temporary.id)).not.toHaveProperty("temporary");
    expect(await chat.keepSession(kept.id)).toMatchObject({ id: kept.id });
    expect((await told()).slice(1)).toEqual([
      { type: "session_created", sessionId: temporary.id, title: temporary.title },
    ]);
    expect((await chat.tree("ses_s")).map(({ id, shown }) => [id, shown])).toEqual([
      ["q", true],
      ["a", true],
      ["b", undefined],
    ]);
  });

  it("imports others, and every page is told", async () => {
    const { chat, told } = await chatOf();
    const [imported] = await chat.importSessions(JSON.parse(await chat.exportSession("ses_s", "json")));
    expect(await told()).toEqual([{ type: "session_created", sessionId: imported?.id, title: "Trip" }]);
  });

  it("rates its answers, and sees that with them", async () => {
    const { chat } = await chatOf();
    await chat.giveFeedback("a", { value: 1, note: "Yes." });
    const [question, answer] = await chat.messages("ses_s");
    expect(answer).toMatchObject({ id: "a", feedback: { value: 1, note: "Yes." } });
    expect(question).not.toHaveProperty("feedback");
  });

  it("sees after which message it was shortened", async () => {
    const { chat, store } = await chatOf();
    const compaction = { messages: 1, tokensBefore: 9, tokensAfter: 3, reason: "asked" as const };
    await store.saveContext({
      id: "c",
      sessionId: "ses_s",
      messageId: "a",
      view: {},
      compaction,
      askedAfter: "a",
    });
    const [question, answer] = await chat.messages("ses_s");
    expect(answer?.compacted).toEqual(compaction);
    expect(question?.compacted).toBeUndefined();
    expect(await chat.summaries("ses_s")).toEqual([]);
  });

  it("exports the whole results of calls that were too long for the model", async () => {
    const { chat, store } = await chatOf();
    const run = await openedRun(store, { sessionId: "ses_s", newSession: undefined });
    const call = (toolCallId: string, omitted?: { bytes: number; lines: number }) => ({
      type: "tool" as const,
      call: {
        toolCallId,
        toolName: "read",
        arguments: {},
        textOffset: 0,
        status: "succeeded" as const,
        output: "cut",
        ...(omitted === undefined ? {} : { omitted }),
      },
    });
    const cut = { bytes: 9, lines: 1 };
    const state = { ...emptyRun(), blocks: [call("long", cut), call("gone", cut), call("short")] };
    await store.keepResult(run.id, "long", "all of it");
    await store.keepResult(run.id, "short", "never read");
    await store.finishRun({
      runId: run.id,
      epoch: run.epoch,
      firstSeq: 2,
      events: [],
      steps: [],
      status: "done",
      message: { id: run.messageId, runId: run.id, model: "m", parts: [], state },
    });
    const exported = JSON.parse(await chat.exportSession("ses_s", "json"));
    const calls = exported.messages.at(-1).toolCalls as { output: string }[];
    expect(calls.map(({ output }) => output)).toEqual(["all of it", "cut", "cut"]);
    expect(await chat.exportSession("ses_s", "md")).not.toContain("all of it");
    await expect(chat.readResult(run.id, "none")).rejects.toMatchObject({
      code: "NOT_FOUND",
      publicMessage: "There is no result of such a call in this run.",
    });
  });

  it("deletes it with its draft, its run and its commands, and every page is told", async () => {
    const ended: string[] = [];
    const background = { endSession: async (id: string) => void ended.push(id) };
    const callContexts = { background } as Partial<LocalChatParts["callContexts"]>;
    const { chat, store, told, facts, cancelled, tidied } = await chatOf({
      callContexts: callContexts as LocalChatParts["callContexts"],
    });
    const run = await openedRun(store, { sessionId: "ses_s", newSession: undefined });
    await store.putSetting("ada", draftSetting("ses_s"), { text: "Hm" });
    await chat.deleteSession("ses_s");
    expect(cancelled).toEqual([run.id]);
    expect(await store.getSession("ses_s")).toBeUndefined();
    expect(await store.getSettings("ada")).toEqual({});
    expect(ended).toEqual(["ses_s"]);
    expect(facts).toEqual([
      { actor: "ada", action: "erasure.done", subject: { kind: "session" }, sessionId: "ses_s" },
    ]);
    expect(await told()).toEqual([{ type: "session_deleted", ...place }]);
    expect(tidied).toEqual([1]);
  });

  it("deletes all at once, also those in the archive, and counts them", async () => {
    const { chat, store, cancelled } = await chatOf();
    for (const id of ["ses_1", "ses_2", "ses_old"])
      await store.createSession({ id, userId: "ada", title: "" });
    await store.archiveSession("ses_old", true);
    await store.createSession({ id: "ses_theirs", userId: "eve", title: "" });
    expect(await chat.deleteAllSessions()).toBe(4);
    expect(cancelled).toEqual([]);
    expect(await chat.listSessions()).toEqual([]);
    expect(await chat.listSessions({ archived: true })).toEqual([]);
    expect(await store.getSession("ses_theirs")).toBeDefined();
  });

  it("deletes more than two hundred at once", async () => {
    const { chat, store } = await chatOf();
    for (let at = 0; at < 401; at++) await store.createSession({ id: `s${at}`, userId: "ada", title: "" });
    expect(await chat.deleteAllSessions()).toBe(402);
    expect(await chat.listSessions()).toEqual([]);
  });
});

describe("lists", () => {
  it("have fifty sessions unless told otherwise, and at most two hundred", async () => {
    const { chat, store } = await chatOf();
    for (let at = 0; at < 205; at++) await store.createSession({ id: `s${at}`, userId: "ada", title: "" });
    expect(await chat.listSessions()).toHaveLength(50);
    expect(await chat.listSessions({ limit: 3 })).toHaveLength(3);
    expect(await chat.listSessions({ limit: 1_000 })).toHaveLength(200);
    expect(await chat.listSessions({ query: " " })).toHaveLength(50);
    expect((await chat.listSessions({ query: "Trip" })).map(({ id }) => id)).toEqual(["ses_s"]);
  });

  it("of a search are as long as asked for, and from the archive where that is asked for", async () => {
    const { chat, store } = await chatOf();
    for (const id of ["a", "b", "old"]) await store.createSession({ id, userId: "ada", title: "Yaks" });
    await store.archiveSession("old", true);
    const found = async (options: object) =>
      (await chat.listSessions({ query: "Yaks", ...options })).map(({ id }) => id).sort();
    expect(await found({})).toEqual(["a", "b"]);
    expect(await found({ limit: 1 })).toHaveLength(1);
    expect(await found({ archived: true })).toEqual(["old"]);
  });

  it("of what was found open the files", async () => {
    const { chat, store } = await chatOf();
    await store.addFile(
      { id: "file_1", userId: "ada", name: "norway.txt", mimeType: "text/plain", size: 3 },
      1_000,
    );
    const { results } = await chat.search("Oslo");
    expect(results).toMatchObject([{ sessionId: "ses_s" }]);
    expect(results[0]).not.toHaveProperty("url");
    const files = (await chat.search("norway")).results.filter(({ fileId }) => fileId !== undefined);
    for (const file of files) expect(file).toMatchObject({ url: "/files/file_1" });
  });
});

describe("what else a person does", () => {
  it("is allowed by where they come in, with which key", async () => {
    const listing: WorkspaceListing = {
      folders: ["/home"],
      instructions: [],
      skills: [],
      trusted: true,
      warnings: [],
    };
    const workspace = {
      list: async () => listing,
      trust: async ({ id }: Principal, hash = "", trusted = true) => ({
        ...listing,
        hash: `${id} ${hash}`,
        trusted,
      }),
    } as Partial<Workspace> as Workspace;
    const { chat, facts } = await chatOf({ workspace });
    expect(await chat.workspace()).toBe(listing);
    expect(await chat.trustWorkspace("hash", true)).toEqual({ ...listing, hash: "ada hash", trusted: true });
    expect(facts).toMatchObject([
      { actor: "ada", action: "trust.changed", subject: { hash: "hash", trusted: true, via: "program" } },
    ]);
    const keyed = await chatOf({ workspace }, { ...ada, key: { id: "key_1" } }, "web");
    await keyed.chat.trustWorkspace("hash", false);
    expect(keyed.facts).toMatchObject([{ subject: { trusted: false, via: "web, key key_1" } }]);
  });

  it("attaches files, calls tools and stops commands", async () => {
    const called: unknown[] = [];
    const { chat } = await chatOf({
      callTool: async (...given) => {
        called.push(given);
        return {} as Awaited<ReturnType<LocalChatParts["callTool"]>>;
      },
    });
    expect(await chat.attach({ name: "a.txt", bytes: Buffer.from("Hi") })).toEqual({
      fileId: "ada a.txt Hi",
      mimeType: "text/plain",
    });
    const signal = new AbortController().signal;
    const progress = () => {};
    await chat.callTool("echo", { a: 1 }, { signal, progress });
    await chat.callTool("echo", {});
    expect(called).toEqual([
      [ada, "echo", { a: 1 }, signal, { progress }],
      [ada, "echo", {}, expect.any(AbortSignal), {}],
    ]);
    expect(await chat.commands("ses_s")).toEqual([]);
    await expect(chat.stopCommand("ses_s", "c")).rejects.toMatchObject({
      code: "NOT_FOUND",
      publicMessage: "There are no background commands.",
    });
    const known = (command: string): BackgroundCommand => ({
      commandId: "c",
      command,
      state: "running",
      startedAt: "",
    });
    const background = {
      list: (sessionId: string) => [known(sessionId)],
      stop: async (sessionId: string, id: string) => known(`${sessionId} ${id}`),
    } as Partial<BackgroundCommands> as BackgroundCommands;
    const callContexts = { background } as LocalChatParts["callContexts"];
    const busy = (await chatOf({ callContexts })).chat;
    expect(await busy.commands("ses_s")).toEqual([known("ses_s")]);
    expect(await busy.stopCommand("ses_s", "c")).toEqual(known("ses_s c"));
  });

  it("hears of everything in their account", async () => {
    const { chat } = await chatOf();
    const leave = new AbortController();
    const heard: unknown[] = [];
    const listening = (async () => {
      for await (const one of chat.feed({ signal: leave.signal })) {
        heard.push(one);
        if (heard.length === 1) await chat.renameSession("ses_s", "Norway");
        else leave.abort();
      }
    })();
    await listening;
    expect(heard).toEqual([
      { id: 1, event: { type: "ready" } },
      { id: 2, event: { type: "session_renamed", ...place, title: "Norway" } },
    ]);
  });
});
