import type { RunNews } from "../protocol/store.ts";

const NOBODY: ReadonlySet<(news: RunNews) => void> = new Set();

/** Who in this process waits for news of which run. */
export function createWatchers() {
  const watchers = new Map<string, Set<(news: RunNews) => void>>();

  /** Answers whether somebody watched. */
  function wake(runId: string, news: RunNews): boolean {
    const entries = watchers.get(runId) ?? NOBODY;
    for (const entry of entries) entry(news);
    return entries !== NOBODY;
  }

  return {
    /** `wake` must not throw. Answers how to stop. */
    watch(runId: string, wake: (news: RunNews) => void): () => void {
      // A function of its own for each call, so that watching twice with one callback is two watches.
      const entry = (news: RunNews) => wake(news);
      const entries = watchers.get(runId) ?? new Set();
      watchers.set(runId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && watchers.get(runId) === entries) watchers.delete(runId);
      };
    },
    wake,
    wakeAll(news: RunNews, except?: string): void {
      for (const runId of [...watchers.keys()]) if (runId !== except) wake(runId, news);
    },
  };
}

export type Watchers = ReturnType<typeof createWatchers>;
