import { expect, test } from "vitest";
import type { Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import { doneEvent, endOf, openedRun, runToOpen, type StoreHarness, unique } from "./harness.ts";

const MOST = 3;

async function send(
  store: Store,
  { id: runId }: Run,
  when: "now" | "after",
  text = "Also this.",
): Promise<string> {
  const messageId = unique("message");
  const parts = [{ type: "text" as const, text, messageId }];
  expect(await store.addInput({ messageId, runId, when, parts }, MOST)).toBe("added");
  return messageId;
}

async function waitingIn(store: Store, runId: string): Promise<string[]> {
  const unused = (await store.listInputs(runId)).filter(
    ({ state }) => !["taken", "withdrawn"].includes(state),
  );
  return unused.map(({ messageId, state }) => `${messageId} ${state}`);
}

/** Messages that people send into runs. */
export function inputBehavior(harness: () => StoreHarness): void {
  test("a message waits in order until it is changed, moved or withdrawn", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const first = await send(store, run, "now");
    const second = await send(store, run, "after", "Then that.");
    expect(await store.listInputs(run.id)).toMatchObject([
      { messageId: first, when: "now", state: "waiting", parts: [{ text: "Also this." }] },
      { messageId: second, when: "after", state: "waiting", parts: [{ text: "Then that." }] },
    ]);
    const parts = [{ type: "text" as const, text: "Better." }];
    expect(await store.changeInput(run.id, second, { parts, when: "now" })).toBe(true);
    expect(await store.changeInput("another run", second, { parts })).toBe(false);
    await store.orderInputs(run.id, [second, first]);
    expect(await store.listInputs(run.id)).toMatchObject([
      { messageId: second, when: "now", parts: [{ text: "Better." }] },
      { messageId: first },
    ]);
    expect(await store.withdrawInput(run.id, second)).toBe(true);
    expect(await store.withdrawInput(run.id, second)).toBe(false);
    expect(await waitingIn(store, run.id)).toEqual([`${first} waiting`]);
  });

  test("a message that is sent twice is written once, and only so many wait", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const messageId = await send(store, run, "now");
    const again = { messageId, runId: run.id, when: "now" as const, parts: [] };
    expect(await store.addInput(again, MOST)).toBe("known");
    await send(store, run, "after");
    await send(store, run, "after");
    expect(await store.addInput({ ...again, messageId: unique("message") }, MOST)).toBe("full");
    expect(await store.listInputs(run.id)).toHaveLength(MOST);
  });

  test("a run that is over takes no messages", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    const input = { messageId: unique("message"), runId: run.id, when: "now" as const, parts: [] };
    expect(await store.addInput(input, MOST)).toBe("over");
  });

  test("what is claimed can no longer be changed, and a former owner claims nothing", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const now = await send(store, run, "now");
    await send(store, run, "after");
    expect(await store.claimInputs(run.id, run.epoch + 1)).toEqual([]);
    expect(await store.claimInputs(run.id, run.epoch)).toMatchObject([{ messageId: now, state: "claimed" }]);
    expect(await store.withdrawInput(run.id, now)).toBe(false);
    expect(await store.changeInput(run.id, now, { when: "after" })).toBe(false);
    // The next owner of the run claims what this one did not use.
    expect(await store.claimInputs(run.id, run.epoch)).toMatchObject([{ messageId: now }]);
  });

  test("a message is used up in the transaction that writes its step, if the writer owns the run", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const messageId = await send(store, run, "now");
    await store.claimInputs(run.id, run.epoch);
    const steps = [
      { key: "input:1", state: "started" as const, idempotencyKey: unique("key") },
      { key: "input:1", state: "finished" as const, result: { messages: [] }, takes: [messageId] },
    ];
    const batch = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: [], steps };
    const stale = await store.commit([{ ...batch, epoch: run.epoch + 1 }], { durable: true });
    expect(stale).toEqual({ fenced: [run.id] });
    expect(await waitingIn(store, run.id)).toEqual([`${messageId} claimed`]);
    expect(await store.commit([batch], { durable: true })).toEqual({ fenced: [] });
    expect(await waitingIn(store, run.id)).toEqual([]);
    expect(await store.claimInputs(run.id, run.epoch)).toEqual([]);
  });

  test("whoever ends a run learns whether something waits that it has not used", async () => {
    const { store } = harness();
    const [quiet, claimed, waiting] = [
      await openedRun(store),
      await openedRun(store),
      await openedRun(store),
    ];
    await send(store, claimed, "now");
    await store.claimInputs(claimed.id, claimed.epoch);
    await send(store, waiting, "after");
    const woken: string[] = [];
    for (const run of [quiet, claimed, waiting]) store.watch(run.id, () => woken.push(run.id), "control");
    for (const run of [quiet, claimed, waiting]) await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect(woken).toEqual([claimed.id, waiting.id]);
  });

  test("the next run takes one message once, and what else waits moves along", async () => {
    const { store } = harness();
    const run = await openedRun(store);
    const first = await send(store, run, "after");
    const second = await send(store, run, "after");
    expect(await store.runsWithUnusedInputs(10)).toEqual([]);
    await store.finishRun(endOf(run, 2, [doneEvent(run)]));
    expect(await store.runsWithUnusedInputs(10)).toEqual([run.id]);
    const next = () =>
      runToOpen({
        sessionId: run.sessionId,
        newSession: undefined,
        takes: { messageId: first, runId: run.id },
      });
    const outcomes = await Promise.all([store.openRun(next()), store.openRun(next())]);
    expect(outcomes.filter(({ outcome }) => outcome === "opened")).toHaveLength(1);
    const opened = outcomes.find((one) => one.outcome === "opened");
    if (opened?.outcome !== "opened") throw new Error("no run was opened");
    expect(await waitingIn(store, run.id)).toEqual([]);
    expect(await waitingIn(store, opened.run.id)).toEqual([`${second} waiting`]);
    await store.finishRun(endOf(opened.run, 2, [doneEvent(opened.run)]));
    expect(await store.openRun(next())).toEqual({ outcome: "withdrawn" });
    await store.returnInputs(opened.run.id);
    expect(await waitingIn(store, opened.run.id)).toEqual([`${second} returned`]);
    expect(await store.runsWithUnusedInputs(10)).toEqual([]);
    expect(await store.withdrawInput(opened.run.id, second)).toBe(true);
  });
}
