import { expect, it } from "vitest";
import type { ChatEvent } from "../protocol/events.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { openedRun } from "../store/conformance/harness.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createRetryPauses, tryNow } from "./retry-pauses.ts";

const RETRY: ChatEvent = {
  type: "retry_status",
  source: "model",
  attempt: 1,
  maxRetries: 3,
  retryAfterMs: 60_000,
  reason: "The model is busy.",
};
const running = new AbortController().signal;

async function append(store: Store, run: Run, firstSeq: number, ...events: object[]): Promise<void> {
  const json = events.map((event) => JSON.stringify(event));
  await store.commit([{ runId: run.id, epoch: run.epoch, firstSeq, events: json, steps: [] }], {
    durable: false,
  });
}

it("a run waits before it asks again, until the time is over or the person wants no more waiting", async () => {
  const store = await temporaryStore();
  const run = await openedRun(store);
  const notWaiting = { code: "CONFLICT", publicMessage: "This run is not waiting to try again." };
  await expect(tryNow(store, run)).rejects.toMatchObject(notWaiting);
  const sleep = createRetryPauses(store, run.id, []);
  await append(store, run, 2, RETRY);
  let awake = false;
  const pause = sleep(60_000, running).then(() => {
    awake = true;
  });
  await new Promise(setImmediate);
  expect(awake).toBe(false);
  await tryNow(store, run);
  await pause;
  await expect(tryNow(store, run)).rejects.toMatchObject(notWaiting);
  await sleep(10, running);
});

it("a process that takes the run over counts the waits before it", async () => {
  const store = await temporaryStore();
  const run = await openedRun(store);
  const said: ChatEvent = { type: "warning", code: "W", message: "" };
  await append(store, run, 2, RETRY, said, RETRY);
  await tryNow(store, run);
  const before = [
    { seq: 2, event: RETRY },
    { seq: 3, event: said },
  ];
  await createRetryPauses(store, run.id, before)(60_000, running);
  expect(await store.getApproval(run.id, "retry")).toMatchObject({ decision: "once", argumentsHash: "2" });
});
