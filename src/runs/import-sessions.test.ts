import { expect, it } from "vitest";
import { temporaryStore } from "../store/testing/temporary.ts";
import { importSessions } from "./import-sessions.ts";

const ada = { id: "ada", kind: "account" } as const;
const exported = {
  format: "tackle.session",
  version: 1,
  session: { title: "A trip", headId: "b", createdAt: "2020-01-01T00:00:00.000Z" },
  messages: [
    { id: "a", role: "user", content: "Where to?", createdAt: "2020-01-01T00:00:00.000Z" },
    { id: "b", parentId: "a", role: "assistant", content: "Oslo.", model: "some/model" },
    { id: "c", parentId: "a", role: "assistant", content: "Rome." },
  ],
};

it("writes the conversation under new ids, as the person's own, with its branches", async () => {
  const store = await temporaryStore();
  const [session] = await importSessions(store, ada, exported);
  const id = session?.id ?? "";
  expect(session).toMatchObject({ userId: "ada", title: "A trip", createdAt: "2020-01-01T00:00:00.000Z" });
  expect(id).toMatch(/^ses_/);
  const [a, b, c] = await store.listAllMessages(id);
  expect([a?.id, b?.id, c?.id].every((one) => one?.startsWith("msg_"))).toBe(true);
  expect(new Set([a?.id, b?.id, c?.id]).size).toBe(3);
  expect([a?.parentId, b?.parentId, c?.parentId]).toEqual([undefined, a?.id, a?.id]);
  expect((await store.getSession(id))?.headId).toBe(b?.id);
  expect(a).toMatchObject({ createdAt: "2020-01-01T00:00:00.000Z" });
  expect(a?.parts).toEqual([{ type: "text", text: "Where to?", origin: "import" }]);
});

it("shows an answer as if it had been given here", async () => {
  const store = await temporaryStore();
  const [session] = await importSessions(store, ada, exported);
  const [a, b, c] = await store.listAllMessages(session?.id ?? "");
  expect(a?.state).toBeUndefined();
  expect(b).toMatchObject({
    role: "assistant",
    model: "some/model",
    state: {
      text: "Oslo.",
      model: "some/model",
      messageId: b?.id,
      sessionId: session?.id,
      finishReason: "stop",
      iterations: 1,
      toolCalls: 0,
      title: "",
      runId: "",
    },
  });
  expect(c?.model).toBeUndefined();
  expect(c?.state).toMatchObject({ text: "Rome.", model: "" });
});

it("writes nothing where one of several conversations cannot be read", async () => {
  const store = await temporaryStore();
  await expect(importSessions(store, ada, [exported, { hello: "world" }])).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
  expect(await store.listSessions("ada", { limit: 10 })).toEqual([]);
});
