import { AsyncLocalStorage } from "node:async_hooks";
import type { Turn } from "../loop/turn.ts";
import type { During, RequestWaits } from "../protocol/waits.ts";

/** Adds up the time of waits. Parallel waits count once. */
class WaitClock {
  #waiting = 0;
  #since = 0;
  #waited = 0;

  readonly during: During = async (wait) => {
    if (this.#waiting++ === 0) this.#since = performance.now();
    try {
      return await wait();
    } finally {
      if (--this.#waiting === 0) this.#waited += performance.now() - this.#since;
    }
  };

  /** The milliseconds so far, including a wait that is not over. */
  waitedMs(): number {
    return this.#waited + (this.#waiting > 0 ? performance.now() - this.#since : 0);
  }
}

/** Measures the waits of requests. Work belongs to the request that started it. */
export function createRequestWaits(): RequestWaits {
  const clocks = new AsyncLocalStorage<WaitClock>();
  return {
    measure: (request) => clocks.run(new WaitClock(), request),
    during: (wait) => clocks.getStore()?.during(wait) ?? wait(),
    waitedMs: () => clocks.getStore()?.waitedMs() ?? 0,
  };
}

/** Measures how much of a run's time was our own overhead. */
export interface WaitMeter {
  /** Wraps a turn and counts the time that it waits for models, tools and people. Parallel waits count once. */
  metered(turn: Turn): Turn;
  /** Milliseconds since the start, without those waits. */
  overheadMs(): number;
  /** Milliseconds since the start. */
  totalMs(): number;
}

/** Starts measuring. `ofRequest` counts the same waits for the request that started the run. */
export function createWaitMeter(ofRequest: During = (wait) => wait()): WaitMeter {
  const begun = performance.now();
  const clock = new WaitClock();
  const during: During = (wait) => clock.during(() => ofRequest(wait));
  return {
    metered: (turn) => ({
      ...turn,
      model: {
        ...turn.model,
        stream: (request, emit, signal) => during(() => turn.model.stream(request, emit, signal)),
      },
      guard: { ...turn.guard, execute: (call, run) => during(() => turn.guard.execute(call, run)) },
      awaitDecision: (...asked) => during(() => turn.awaitDecision(...asked)),
      sleep: (...pause) => during(() => turn.sleep(...pause)),
    }),
    overheadMs: () => performance.now() - begun - clock.waitedMs(),
    totalMs: () => performance.now() - begun,
  };
}
