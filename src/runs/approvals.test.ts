import { afterEach, expect, test, vi } from "vitest";
import type { Store } from "../protocol/store.ts";
import { awaitDecision } from "./approvals.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("waiting for a decision ends with the run, also where it is stopped while the store is being asked", async () => {
  vi.useFakeTimers(); // Nothing may have to wait for the next look.
  const stop = new AbortController();
  const store: Pick<Store, "watch" | "getApproval"> = {
    watch: () => () => {},
    async getApproval() {
      stop.abort();
      return undefined;
    },
  };
  const call = { runId: "run", toolCallId: "call", argumentsHash: "hash" };
  expect(await awaitDecision(store as Store, call, Date.now() + 60_000, stop.signal)).toBeUndefined();
});
