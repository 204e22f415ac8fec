import type { Turn } from "../loop/turn.ts";
import type { Model, Usage } from "../protocol/model.ts";
import type { RunFact } from "../protocol/statistics.ts";

export interface RunFigures {
  note(fact: RunFact): void;
  subscribe(listener: (fact: RunFact) => void): void;
}

/** What runs and models do, for whoever counts. */
export function createRunFigures(): RunFigures {
  const listeners: ((fact: RunFact) => void)[] = [];
  return {
    note(fact) {
      for (const listener of listeners) listener(fact);
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}

/** The same model; how long each question took and what it used is noted under its vendor. */
export function measuredModel(model: Model, provider: string, note: RunFigures["note"]): Model {
  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const begun = performance.now();
      let firstMs: number | undefined;
      let outcome: "finished" | "failed" | "aborted" = "aborted";
      let usage: Usage | undefined;
      try {
        await model.stream(
          request,
          (event) => {
            if (event.type === "finish") outcome = "finished";
            else if (event.type === "failure") outcome = signal.aborted ? "aborted" : "failed";
            else if (event.type === "usage") usage = event.usage;
            else firstMs ??= performance.now() - begun;
            emit(event);
          },
          signal,
        );
      } finally {
        note({ type: "question", provider, outcome, durationMs: performance.now() - begun, firstMs, usage });
      }
    },
  };
}

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
