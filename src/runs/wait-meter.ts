import type { Turn } from "../loop/turn.ts";

/** Measures how much of a run's time was our own overhead. */
export interface WaitMeter {
  /** Wraps a turn and counts the time that it waits for models, tools and people. Parallel waits count once. */
  metered(turn: Turn): Turn;
  /** Milliseconds since the start, without those waits. */
  overheadMs(): number;
}

/** Starts measuring. */
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
