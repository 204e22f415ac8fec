import { expect, it } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { textMessage, textOf } from "../../protocol/messages.ts";
import { doneEvent, endOf, openedRun, type StoreHarness, unique } from "./harness.ts";

const ANSWER = "The lighthouse keeper counts the ships at noon, and writes every one of them down. ";
const QUESTION = "What does the lighthouse keeper do all day, when no ship is in sight?";

/** What a message repeats is stored once. */
export function packingBehavior(harness: () => StoreHarness): void {
  it("the text of a message is stored once: its parts and its state are read from it", async () => {
    const { store, runSql } = harness();
    const userMessage = textMessage(unique("message"), "user", QUESTION);
    const run = await openedRun(store, { userMessage });
    const said: ChatEvent[] = Array.from({ length: 30 }, () => contentDelta(ANSWER));
    await store.finishRun(endOf(run, 2, [...said, doneEvent(run)]));
    await runSql("UPDATE messages SET text = replace(replace(text, 'noon', 'dusk'), 'What', 'Which')");
    const question = await store.getMessage(userMessage.id);
    expect(question && textOf(question)).toBe(QUESTION.replace("What", "Which"));
    const answer = await store.getMessage(run.messageId);
    const changed = ANSWER.repeat(30).replaceAll("noon", "dusk");
    expect(answer && textOf(answer)).toBe(changed);
    expect(answer?.state?.text).toBe(changed);
    expect(answer?.state?.blocks).toEqual([{ type: "text", text: changed }]);
    const found = await store.search("ada", { query: "dusk", limit: 5 });
    expect(found.results.map(({ messageId }) => messageId)).toEqual([run.messageId]);
  });

  it("a run that has ended leaves no steps behind", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const batch = { runId: run.id, epoch: run.epoch, events: [] };
    await store.commit(
      [{ ...batch, firstSeq: 2, steps: [{ key: "model:0", state: "started", idempotencyKey: "k" }] }],
      { durable: true },
    );
    expect(await store.readSteps(run.id)).toHaveLength(1);
    const steps = [{ key: "model:0", state: "finished" as const, result: { reason: "stop", parts: [] } }];
    await store.finishRun({ ...endOf(run, 2, [doneEvent(run)]), steps });
    await store.foldEvents(10);
    expect(await store.readSteps(run.id)).toEqual([]);
  });
}
