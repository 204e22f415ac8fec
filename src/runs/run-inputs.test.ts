import { expect, it } from "vitest";
import type { Chat } from "../protocol/chat.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { startTackle } from "./testing/tackle.ts";

/** The demo model writes slowly, so that there is time to speak to it. */
const SLOWLY = { settings: { TACKLE_DEMO_TOKENS_PER_SECOND: "40" } };

async function untilIdle(chat: Chat, sessionId: string): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    quiet = (await chat.getSession(sessionId)).activeRunId === undefined ? quiet + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function restOf(chat: Chat, runId: string): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const { event } of chat.follow(runId)) events.push(event);
  return events;
}

it("uses what is sent into a run in it, and what waits for its end as turns of their own, in order", async () => {
  const { chat } = await startTackle(SLOWLY);
  const { runId, sessionId } = await chat.send({ message: "Write a poem about the sea." });
  const now = await chat.steer(runId, { message: "What time is it in Tokyo?", when: "now" });
  const first = await chat.steer(runId, { message: "And in Berlin?", when: "after" });
  const second = await chat.steer(runId, { message: "And in Rome?", when: "after" });
  expect((await chat.waitingMessages(runId)).map(({ messageId }) => messageId)).toEqual(
    expect.arrayContaining([first.messageId, second.messageId]),
  );
  await chat.changeMessage(runId, second.messageId, { message: "And in Paris?", position: 0 });
  const events = await restOf(chat, runId);
  expect(events.filter(({ type }) => type === "user_message")).toMatchObject([
    { messageId: now.messageId, when: "now" },
  ]);
  await untilIdle(chat, sessionId);
  const messages = await chat.messages(sessionId);
  const asked = messages.filter(({ role }) => role === "user").map(({ id, content }) => [id, content]);
  expect(asked.slice(1)).toEqual([
    [second.messageId, "And in Paris?"],
    [first.messageId, "And in Berlin?"],
  ]);
  expect(messages[1]).toMatchObject({
    messagesIntoRun: [{ messageId: now.messageId, message: "What time is it in Tokyo?" }],
  });
  const exported = await chat.exportSession(sessionId, "md");
  expect(exported).toContain("> **You, meanwhile:** What time is it in Tokyo?");
  const found = await chat.listSessions({ query: "Tokyo" });
  expect(found.map(({ id }) => id)).toEqual([sessionId]);
});

it("refuses messages to a run that is over, and changes of what took effect", async () => {
  const { chat } = await startTackle();
  const { runId } = await chat.send({ message: "Hello" });
  await restOf(chat, runId);
  await expect(chat.steer(runId, { message: "More", when: "now" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  await expect(chat.changeMessage(runId, "msg_x", { when: "now" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  await expect(chat.steer("run_x", { message: "More", when: "now" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

it("gives back what waits for a run that is stopped, and starts nothing", async () => {
  const { chat } = await startTackle({ settings: { TACKLE_DEMO_TOKENS_PER_SECOND: "2" } });
  const { runId, sessionId } = await chat.send({ message: "Write a poem about the sea." });
  const { messageId } = await chat.steer(runId, { message: "And another one.", when: "after" });
  await chat.cancel(runId);
  await restOf(chat, runId);
  await untilIdle(chat, sessionId);
  expect(await chat.waitingMessages(runId)).toMatchObject([{ messageId, state: "returned" }]);
  expect(await chat.messages(sessionId)).toHaveLength(2);
  await chat.withdrawMessage(runId, messageId);
  expect(await chat.waitingMessages(runId)).toEqual([]);
});

it("interrupts the model at once if the person wants so", async () => {
  const { chat } = await startTackle({ settings: { TACKLE_DEMO_TOKENS_PER_SECOND: "2" } });
  const { runId } = await chat.send({ message: "Write a poem about the sea." });
  const began = performance.now();
  await chat.steer(runId, { message: "Stop. Say hello.", when: "now", interrupt: true });
  for await (const { event } of chat.follow(runId)) if (event.type === "user_message") break;
  expect(performance.now() - began).toBeLessThan(4_000);
  await chat.cancel(runId);
  await restOf(chat, runId);
});

it("lists what waits for the person over all sessions, and takes an answer from anywhere", async () => {
  const { chat } = await startTackle();
  const { runId, sessionId } = await chat.send({ message: "Ask me which color I like: red, green or blue" });
  for await (const { event } of chat.follow(runId)) if (event.type === "question_required") break;
  const [question] = await chat.questions();
  expect(question).toMatchObject({ kind: "question", runId, sessionId, options: ["red", "green", "blue"] });
  await chat.answer(runId, question?.toolCallId ?? "", "green");
  const events = await restOf(chat, runId);
  expect(events.find(({ type }) => type === "question_answered")).toMatchObject({ answer: "green" });
  expect(await chat.questions()).toEqual([]);
});
