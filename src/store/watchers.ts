/** Who in this process waits for news of which run. */
export function createWatchers() {
  const watchers = new Map<string, Set<() => void>>();
  return {
    /** `wake` must not throw. Answers how to stop. */
    watch(runId: string, wake: () => void): () => void {
      // A function of its own for each call, so that watching twice with one callback is two watches.
      const entry = () => wake();
      const entries = watchers.get(runId) ?? new Set();
      watchers.set(runId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && watchers.get(runId) === entries) watchers.delete(runId);
      };
    },
    wake(runId: string): void {
      for (const entry of [...(watchers.get(runId) ?? [])]) entry();
    },
  };
}
