import { AsyncLocalStorage } from "node:async_hooks";
import { type RequestWaits, WaitClock } from "../protocol/waits.ts";

/** Measures the waits of requests. Work belongs to the request that started it. */
export function createRequestWaits(): RequestWaits {
  const clocks = new AsyncLocalStorage<WaitClock>();
  return {
    measure: (request) => clocks.run(new WaitClock(), request),
    during: (wait) => clocks.getStore()?.during(wait) ?? wait(),
    waitedMs: () => clocks.getStore()?.waitedMs() ?? 0,
  };
}
