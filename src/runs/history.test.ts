import { expect, it } from "vitest";
import { type Message, textMessage, textOf } from "../protocol/messages.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import { answerOf, doneEvent, endOf, openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { historyBefore } from "./history.ts";

const texts = (messages: Message[]) => messages.map(textOf);

/** Asks in a session and answers, as a run with this request does. */
async function turn(
  store: Store,
  question: string,
  request: TurnRequest = {},
  parentId?: string,
): Promise<Run> {
  const known = await store.getSession("s");
  const run = await openedRun(store, {
    sessionId: "s",
    newSession: known ? undefined : { title: "s" },
    userMessage: textMessage(`ask ${question}`, "user", question),
    messageId: `answer ${question}`,
    ...(parentId === undefined ? {} : { parentId }),
    request: { request, principal: { id: "ada", kind: "account" }, model: "demo/demo", requestId: "r" },
  });
  const message = { ...answerOf(run, []), parts: [{ type: "text" as const, text: `${question}!` }] };
  await store.finishRun({ ...endOf(run, 2, [doneEvent(run)]), message });
  return run;
}

it("is the branch up to the message that the run answers", async () => {
  const store = await temporaryStore();
  await turn(store, "one");
  const two = await turn(store, "two");
  await turn(store, "three");
  const branch = await turn(store, "other", {}, "answer one");
  expect(texts(await historyBefore(store, two, {}))).toEqual(["one", "one!", "two"]);
  expect(texts(await historyBefore(store, branch, {}))).toEqual(["one", "one!", "other"]);
});

it("is what the client sends, where it sends one", async () => {
  const store = await temporaryStore();
  const run = await turn(store, "stored");
  const history = [textMessage("h", "user", "theirs")];
  expect(await historyBefore(store, run, { history })).toBe(history);
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
  ] as const;
  expect(await historyBefore(store, run, { messages: [...messages] })).toEqual([
    textMessage("history_0", "user", "a"),
    textMessage("history_1", "assistant", "b"),
  ]);
});

it("takes the newest message from the session where files are attached to it", async () => {
  const store = await temporaryStore();
  const run = await turn(store, "with a file");
  const history = [textMessage("h1", "user", "first"), textMessage("h2", "user", "with a file")];
  const given = await historyBefore(store, run, { history, attachments: [{ fileId: "f" }] });
  expect(given.map(({ id }) => id)).toEqual(["h1", "ask with a file"]);
});

it("includes what a client sent with the run that began the session", async () => {
  const store = await temporaryStore();
  const history = [
    textMessage("h1", "user", "before"),
    textMessage("h2", "assistant", "before!"),
    textMessage("h3", "user", "one"),
  ];
  await turn(store, "one", { history });
  const two = await turn(store, "two");
  expect(texts(await historyBefore(store, two, {}))).toEqual(["before", "before!", "one", "one!", "two"]);
});

it("includes what a client sent with the message that is answered again", async () => {
  const store = await temporaryStore();
  await turn(store, "one");
  const history = [textMessage("h1", "user", "before"), textMessage("h2", "user", "two")];
  const two = await turn(store, "two", { history });
  const again = { ...two, id: "another run" };
  expect(texts(await historyBefore(store, again, {}))).toEqual(["before", "two"]);
});
