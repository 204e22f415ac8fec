import type { Model, ModelWarning, Usage } from "../protocol/model.ts";
import type { RunFact } from "../protocol/statistics.ts";

export interface RunMetrics {
  note(fact: RunFact): void;
  subscribe(listener: (fact: RunFact) => void): void;
}

/** Passes facts about runs and models to its subscribers. */
export function createRunMetrics(): RunMetrics {
  const listeners: ((fact: RunFact) => void)[] = [];
  return {
    note(fact) {
      for (const listener of listeners) listener(fact);
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}

/** Measures the duration and usage of each request, by vendor, and reports its warnings. */
export function measuredModel(
  model: Model,
  provider: string,
  note: RunMetrics["note"],
  onWarning: (warning: ModelWarning, model: string) => void,
): Model {
  const { embed } = model;
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
            else if (event.type === "warning") onWarning(event, model.id);
            else firstMs ??= performance.now() - begun;
            emit(event);
          },
          signal,
        );
      } finally {
        note({ type: "question", provider, outcome, durationMs: performance.now() - begun, firstMs, usage });
      }
    },
    ...(embed && {
      async embed(request, signal) {
        const begun = performance.now();
        let usage: Usage | undefined;
        try {
          const embeddings = await embed(request, signal);
          usage = embeddings.usage;
          return embeddings;
        } finally {
          const outcome = usage ? "finished" : signal.aborted ? "aborted" : "failed";
          note({ type: "question", provider, outcome, durationMs: performance.now() - begun, usage });
        }
      },
    }),
  };
}
