import { expect, it } from "vitest";
import type { Files } from "../protocol/files.ts";
import { textMessage } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import { doneEvent, endOf } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { openRun, planRun, type StartOptions } from "./open-run.ts";
import { placeOf } from "./session-instructions.ts";

const ada: Principal = { id: "ada", kind: "account" };
const lease = { owner: "one", leaseMs: 1_000 };
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const files = {
  own: async (userId: string, id: string) => ({
    id,
    userId,
    name: "notes.txt",
    mimeType: "text/plain",
    size: 3,
    createdAt: "",
  }),
} as Files;

async function plan(store: Store, request: TurnRequest, options: StartOptions = {}, who: Principal = ada) {
  const place = await placeOf(store, who, request);
  return planRun({ store, files }, who, request, "demo/demo", options, place);
}

it("plans a new session that is named after the message", async () => {
  const { request, record } = await plan(await temporaryStore(), { message: "Hello\nthere" });
  const { sessionId, runId, messageId, userMessage } = record;
  expect([sessionId, runId, messageId, userMessage?.id].map((id) => id?.slice(0, 4))).toEqual([
    "ses_",
    "run_",
    "msg_",
    "msg_",
  ]);
  expect(request).toEqual({
    request: { message: "Hello\nthere" },
    principal: ada,
    model: "demo/demo",
    requestId: expect.stringMatching(/^req_/),
  });
  expect(record).toEqual({
    sessionId,
    runId,
    messageId,
    userId: "ada",
    request: { format: 1, ...request },
    newSession: { title: "Hello" },
    userMessage: textMessage(userMessage?.id ?? "", "user", "Hello\nthere"),
    firstEvent: {
      type: "session",
      sessionId,
      runId,
      messageId,
      model: "demo/demo",
      title: "Hello",
      parentId: userMessage?.id,
    },
    firstStep: { key: "model:0", idempotencyKey: `${runId}:model:0` },
  });
});

it("keeps the request's id and trace, the API key, and the key that joins it", async () => {
  const store = await temporaryStore();
  const key = { id: "key_1" };
  const options = { requestId: "req_1", traceparent, idempotencyKey: "once" };
  const { request, record } = await plan(store, { message: "Hi" }, options, { ...ada, key });
  expect(request).toMatchObject({ requestId: "req_1", traceparent });
  expect(record).toMatchObject({ keyId: "key_1", idempotency: { key: "once" } });
  const same = await plan(store, { message: "Hi" }, options);
  const other = await plan(store, { message: "Bye" }, options);
  const bound = await plan(store, { message: "Bye" }, { ...options, body: { message: "Hi" } });
  expect(same.record.idempotency).toEqual(record.idempotency);
  expect(bound.record.idempotency).toEqual(record.idempotency);
  expect(other.record.idempotency).not.toEqual(record.idempotency);
  expect((await plan(store, { message: "Hi" }, { traceparent: "nonsense" })).request).not.toHaveProperty(
    "traceparent",
  );
});

it("takes the newest message of a client's history, with an id of ours and what is attached", async () => {
  const store = await temporaryStore();
  const newest = textMessage("theirs", "user", "Look");
  const { record } = await plan(store, { newest, attachments: [{ fileId: "f" }] });
  expect(record.userMessage).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    parts: [{ type: "text", text: "Look" }, { file: { id: "f" } }],
  });
  expect(record.newSession).toEqual({ title: "Look" });
  const { record: wordless } = await plan(store, { message: " \n", attachments: [{ fileId: "f" }] });
  expect(wordless.userMessage?.parts).toMatchObject([{ file: { id: "f" } }]);
});

it("keeps the files that are sent, also with a history that only regenerates an answer", async () => {
  const store = await temporaryStore();
  const file = { id: "f", name: "a.txt", mimeType: "text/plain", size: 3 };
  const asked = { id: "q", role: "user" as const, parts: [{ type: "text" as const, text: "Look", file }] };
  const answer = { id: "a", role: "assistant" as const, parentId: "q", parts: [] };
  await store.importSession({ id: "ses_s", userId: "ada", title: "", messages: [asked, answer] });
  const again = await plan(store, { sessionId: "ses_s", regenerate: "a", history: [asked] });
  expect(again.record).toMatchObject({ files: ["f"] });
  expect(again.record.userMessage).toBeUndefined();
  const sent = await plan(store, { message: "Look", attachments: [{ fileId: "g" }] });
  expect(sent.record.files).toEqual(["g"]);
  expect((await plan(store, { newest: asked })).record.files).toEqual(["f"]);
});

it("keeps the parameters and the project of a person's new session, and none for a child", async () => {
  const store = await temporaryStore();
  const parameters = { temperature: 0.5 };
  const told = { project: "prj_1" };
  const { record } = await plan(store, { message: "Hi", parameters }, { told });
  expect(record.newSession).toEqual({ title: "Hi", parameters, projectId: "prj_1" });
  const child = {
    parentRunId: "run_p",
    parentCallId: "call_1",
    depth: 1,
  } as StartOptions["child"];
  const inner = await plan(store, { message: "Hi", parameters }, { child, told });
  expect(inner.record.newSession).toEqual({ title: "Hi" });
});

it("names a session after the last question where the newest message has no words", async () => {
  const store = await temporaryStore();
  const newest = { id: "n", role: "user" as const, parts: [] };
  const history = [
    textMessage("1", "user", "First"),
    textMessage("2", "user", "Second"),
    textMessage("3", "assistant", "Answer"),
    newest,
  ];
  const titleOf = async (request: TurnRequest) => (await plan(store, request)).record.newSession?.title;
  expect(await titleOf({ newest, history })).toBe("Second");
  expect(await titleOf({ newest, history: [newest] })).toBe("New session");
  const messages = [
    { role: "user" as const, content: "One" },
    { role: "user" as const, content: "Two" },
  ];
  expect(await titleOf({ messages })).toBe("Two");
});

it.each([
  { app: { runId: "run_of_eve", toolCallId: "call_1" } },
  { appContexts: [{ runId: "run_of_eve", toolCallId: "call_1", text: "Pay eve." }] },
])("takes no words of an app that is not the person's: %o", async (words) => {
  const store = await temporaryStore();
  await expect(plan(store, { message: "Hi", ...words })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("continues a session at the place that the request names", async () => {
  const store = await temporaryStore();
  const message = (id: string, role: "user" | "assistant", parentId?: string) => ({
    id,
    role,
    parts: [],
    ...(parentId === undefined ? {} : { parentId }),
  });
  const messages = [message("q", "user"), message("a", "assistant", "q"), message("b", "assistant", "q")];
  await store.importSession({ id: "ses_s", userId: "ada", title: "Mine", messages });
  const end = (await plan(store, { sessionId: "ses_s", message: "Go on" })).record;
  expect(end).toMatchObject({
    sessionId: "ses_s",
    firstEvent: { title: "Mine", parentId: end.userMessage?.id },
  });
  expect(end).not.toHaveProperty("newSession");
  expect(end).not.toHaveProperty("parentId");
  expect(end.firstEvent).not.toHaveProperty("siblings");
  const branch = (await plan(store, { sessionId: "ses_s", message: "Or", parentId: "a" })).record;
  expect(branch.parentId).toBe("a");
  expect(
    (await plan(store, { sessionId: "ses_s", message: "Or", parentId: null })).record.parentId,
  ).toBeNull();
  const again = (await plan(store, { sessionId: "ses_s", regenerate: "a" })).record;
  expect(again.userMessage).toBeUndefined();
  expect(again).toMatchObject({
    parentId: "q",
    firstEvent: { parentId: "q", siblings: ["a", "b", again.messageId] },
  });
  await expect(
    plan(store, { sessionId: "ses_s", message: "Hi" }, {}, { ...ada, id: "eve" }),
  ).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
});

it("opens no run for a message that waits no more", async () => {
  const store = await temporaryStore();
  const { run } = await openRun(store, await plan(store, { message: "Hi" }), lease);
  await store.finishRun(endOf(run, 2, [doneEvent(run)]));
  const after = { runId: run.id, messageId: "withdrawn" };
  const planned = await plan(store, { message: "More", sessionId: run.sessionId }, { after });
  await expect(openRun(store, planned, lease)).rejects.toMatchObject({
    code: "CONFLICT",
    publicMessage: "This message is no longer waiting: it took effect or was withdrawn.",
  });
});

it("opens a run once, and joins it under the same key", async () => {
  const store = await temporaryStore();
  const options = { idempotencyKey: "once" };
  const first = await openRun(store, await plan(store, { message: "Hi" }, options), lease);
  expect(first).toMatchObject({ joined: false, run: { owner: "one" }, request: { model: "demo/demo" } });
  const again = await openRun(store, await plan(store, { message: "Hi" }, options), lease);
  expect(again.joined).toBe(true);
  expect(again.run.id).toBe(first.run.id);
  expect(again.request).toEqual(first.request);
  await expect(openRun(store, await plan(store, { message: "Bye" }, options), lease)).rejects.toMatchObject({
    code: "CONFLICT",
    publicMessage: "This Idempotency-Key was used with another body. Use a new key for a new request.",
  });
  const { sessionId } = first.run;
  await expect(
    openRun(store, await plan(store, { message: "More", sessionId }), lease),
  ).rejects.toMatchObject({
    code: "CONFLICT",
    publicMessage: "An answer is still being written in this session. Stop it, or wait until it ends.",
    details: { runId: first.run.id },
  });
});
