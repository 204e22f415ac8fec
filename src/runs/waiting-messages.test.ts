import { describe, expect, it } from "vitest";
import type { Files } from "../protocol/files.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { doneEvent, endOf, openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import {
  asOwnMessage,
  changeMessage,
  nextRequest,
  sendIntoRun,
  unusedMessages,
  withdrawMessage,
} from "./run-inputs.ts";

const stored = {
  id: "file_1",
  userId: "ada",
  name: "notes.txt",
  mimeType: "text/plain",
  size: 3,
  createdAt: "",
};
const files = {
  own: async () => stored,
  signedUrl: (id: string) => `/files/${id}`,
} as Partial<Files> as Files;
const tookEffect = {
  code: "CONFLICT",
  publicMessage: "This message is no longer waiting: it took effect or was withdrawn.",
};

async function activeRun() {
  const store = await temporaryStore();
  const run = await openedRun(store);
  const parts = { store, files };
  const send = (message: string, change: object = {}) =>
    sendIntoRun(parts, run, { message, when: "after", ...change });
  const waiting = () => unusedMessages(parts, run.id);
  return { store, run, parts, send, waiting };
}

async function ended(store: Store, { id }: Run): Promise<Run> {
  const run = (await store.getRun(id)) ?? expect.fail();
  await store.finishRun(endOf(run, 2, [doneEvent(run)]));
  return (await store.getRun(id)) ?? expect.fail();
}

describe("a message to a run", () => {
  it("waits with what is attached, in the order in which it was sent", async () => {
    const { send, waiting } = await activeRun();
    const first = await send("One");
    const second = await send(" ", { attachments: [{ fileId: "file_1" }], when: "now", interrupt: true });
    expect(first).toEqual({ messageId: expect.stringMatching(/^msg_/) });
    const createdAt = expect.any(String);
    expect(await waiting()).toEqual([
      { messageId: first.messageId, message: "One", when: "after", state: "waiting", createdAt },
      {
        messageId: second.messageId,
        message: "",
        attachments: [
          { fileId: "file_1", mimeType: "text/plain", name: "notes.txt", size: 3, url: "/files/file_1" },
        ],
        when: "now",
        interrupt: true,
        state: "waiting",
        createdAt,
      },
    ]);
  });

  it("interrupts only if it is used now, and has words unless something is attached", async () => {
    const { store, run, send, waiting } = await activeRun();
    await send(" ", { interrupt: true });
    const [only] = await waiting();
    expect(only).toMatchObject({ message: " " });
    expect(only?.interrupt).toBeUndefined();
    const [input] = await store.listInputs(run.id);
    expect(input?.parts).toEqual([{ type: "text", text: " ", messageId: input?.messageId }]);
  });

  it("is sent once under one key", async () => {
    const { run, parts, waiting } = await activeRun();
    const send = (key: string) => sendIntoRun(parts, run, { message: "One", when: "after" }, key);
    const first = await send("a");
    expect(first.messageId).toMatch(/^msg_[0-9a-f]{24}$/);
    expect(await send("a")).toEqual({ ...first, joined: true });
    expect((await send("b")).messageId).not.toBe(first.messageId);
    expect(await waiting()).toHaveLength(2);
  });

  it("is refused where twenty wait, or where the run is over", async () => {
    const { store, run, parts, send } = await activeRun();
    for (let at = 0; at < 20; at++) await send(`${at}`);
    await expect(send("One more")).rejects.toMatchObject({
      code: "CONFLICT",
      publicMessage: "20 messages wait for this run already. Withdraw one, or wait until they were read.",
    });
    const over = await ended(store, await openedRun(store));
    await expect(sendIntoRun(parts, over, { message: "Hi", when: "now" })).rejects.toMatchObject({
      code: "CONFLICT",
      publicMessage: "This run is over. Send the message to its session instead.",
      details: { sessionId: over.sessionId },
    });
    expect(run.id).not.toBe(over.id);
  });

  it("can be changed while it waits: its words, its time and its place", async () => {
    const { run, parts, send, waiting } = await activeRun();
    const { messageId: one } = await send("One", { attachments: [{ fileId: "file_1" }] });
    const { messageId: two } = await send("Two");
    const changed = await changeMessage(parts, run, one, { message: "Uno" });
    expect(changed).toMatchObject({ messageId: one, message: "Uno", when: "after" });
    expect(changed.attachments).toHaveLength(1);
    expect(await changeMessage(parts, run, two, { when: "now" })).toMatchObject({
      message: "Two",
      when: "now",
    });
    await changeMessage(parts, run, two, { position: 0 });
    expect((await waiting()).map(({ messageId }) => messageId)).toEqual([two, one]);
  });

  it("cannot be changed or withdrawn once it took effect", async () => {
    const { store, run, parts, send, waiting } = await activeRun();
    const none = { code: "NOT_FOUND", publicMessage: "There is no such message to this run." };
    await expect(changeMessage(parts, run, "msg_none", { message: "?" })).rejects.toMatchObject(none);
    await expect(withdrawMessage(store, run, "msg_none")).rejects.toMatchObject(none);
    const { messageId } = await send("One");
    await withdrawMessage(store, run, messageId);
    expect(await waiting()).toEqual([]);
    await expect(withdrawMessage(store, run, messageId)).rejects.toMatchObject(tookEffect);
    await expect(changeMessage(parts, run, messageId, { message: "?" })).rejects.toMatchObject(tookEffect);
    const left = await send("Two");
    const over = await ended(store, run);
    await expect(changeMessage(parts, over, left.messageId, { position: 0 })).rejects.toMatchObject(
      tookEffect,
    );
    await expect(withdrawMessage(store, over, "msg_none")).rejects.toMatchObject(tookEffect);
    await store.returnInputs(run.id);
    expect(await waiting()).toMatchObject([{ messageId: left.messageId, state: "returned" }]);
  });
});

it("the next turn has the person's message and everything that the turn before was asked with", () => {
  const parts = [
    { type: "text" as const, text: "Hi", messageId: "m" },
    { type: "image" as const, mimeType: "image/png", fileId: "f", messageId: "m" },
  ];
  const input = {
    messageId: "m",
    runId: "r",
    when: "after" as const,
    state: "waiting" as const,
    parts,
    createdAt: "",
  };
  const newest = asOwnMessage(input);
  expect(newest).toEqual({
    id: "m",
    role: "user",
    parts: [
      { type: "text", text: "Hi" },
      { type: "image", mimeType: "image/png", fileId: "f" },
    ],
  });
  const kept = {
    model: "m",
    tools: ["t"],
    clientTools: [],
    reasoningEffort: "low" as const,
    verbosity: "low" as const,
    parameters: { temperature: 1 },
    systemPrompt: "s",
    instructions: "i",
    settings: { temperature: 0 },
    approvalMs: 1,
    maxToolCalls: 2,
    attended: false,
  };
  const before = { ...kept, message: "First", parentId: "p", regenerate: "a", history: [] };
  const run = { sessionId: "s", messageId: "a" } as Run;
  expect(nextRequest(before, run, newest)).toEqual({ ...kept, sessionId: "s", parentId: "a", newest });
});
