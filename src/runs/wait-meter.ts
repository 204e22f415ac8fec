import type { Turn } from "../loop/turn.ts";
import { type During, WaitClock } from "../protocol/waits.ts";

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
