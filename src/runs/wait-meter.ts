import type { Turn } from "../loop/turn.ts";

/** Tells what of a run's time was our own. */
export interface WaitMeter {
  /** The same turn; what it waits for others is counted, once however many it waits for. */
  metered(turn: Turn): Turn;
  /** Milliseconds since the meter was made, without those waits. */
  overheadMs(): number;
}

/** Begins to measure. */
export function createWaitMeter(): WaitMeter {
  const begun = performance.now();
  let waiting = 0;
  let since = 0;
  let waited = 0;

  async function during<Result>(wait: () => Promise<Result>): Promise<Result> {
    if (waiting++ === 0) since = performance.now();
    try {
      return await wait();
    } finally {
      if (--waiting === 0) waited += performance.now() - since;
    }
  }

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
    overheadMs: () => performance.now() - begun - waited,
  };
}
