import { toFailure } from "../protocol/failure.ts";
import type { Model, ModelWarning, Usage } from "../protocol/model.ts";
import type { RunFact } from "../protocol/statistics.ts";
import { modelNames } from "./trace/traced-model.ts";

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

/** Who is measured: the vendor by our id, and whether a person's own key is used. */
export interface Measured {
  provider: string;
  ownKey: boolean;
}

/** Measures the duration and usage of each request, by vendor, and reports its warnings. */
export function measuredModel(
  model: Model,
  { provider, ownKey }: Measured,
  note: RunMetrics["note"],
  onWarning: (warning: ModelWarning, model: string) => void,
): Model {
  const { embed } = model;
  const { vendor, model: name } = modelNames(model);
  // Somebody's own key may reach models whose names only that person should see.
  const about = { type: "question", provider, vendor, ...(!ownKey && { model: name }) } as const;
  return {
    id: model.id,
    info: model.info,
    async stream(request, emit, signal) {
      const begun = performance.now();
      let firstMs: number | undefined;
      let outcome: "finished" | "failed" | "aborted" = "aborted";
      let usage: Usage | undefined;
      let error: string | undefined;
      try {
        await model.stream(
          request,
          (event) => {
            if (event.type === "finish") outcome = "finished";
            else if (event.type === "failure") {
              outcome = signal.aborted ? "aborted" : "failed";
              error = event.failure.code;
            } else if (event.type === "usage") usage = event.usage;
            else if (event.type === "warning") onWarning(event, model.id);
            else firstMs ??= performance.now() - begun;
            emit(event);
          },
          signal,
        );
      } catch (thrown) {
        error = toFailure(thrown).code;
        throw thrown;
      } finally {
        const durationMs = performance.now() - begun;
        note({ ...about, operation: "chat", outcome, error, durationMs, firstMs, usage });
      }
    },
    ...(embed && {
      async embed(request, signal) {
        const begun = performance.now();
        let usage: Usage | undefined;
        let error: string | undefined;
        try {
          const embeddings = await embed(request, signal);
          usage = embeddings.usage;
          return embeddings;
        } catch (thrown) {
          error = toFailure(thrown).code;
          throw thrown;
        } finally {
          const outcome = usage ? "finished" : signal.aborted ? "aborted" : "failed";
          const durationMs = performance.now() - begun;
          note({ ...about, operation: "embeddings", outcome, error, durationMs, usage });
        }
      },
    }),
  };
}
