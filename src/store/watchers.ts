import type { RunNews } from "../protocol/store.ts";

type Wake = (news: RunNews) => void;

const NOBODY: ReadonlySet<Wake> = new Set();

/** Who in this process waits for news of which run. */
export function createWatchers() {
  /** Most watch for wishes alone: a run that is written here has nobody to wake with its own events. */
  const watchers: Record<RunNews, Map<string, Set<Wake>>> = { events: new Map(), asked: new Map() };

  function tell(kind: RunNews, runId: string, news: RunNews): boolean {
    const entries = watchers[kind].get(runId) ?? NOBODY;
    for (const entry of entries) entry(news);
    return entries !== NOBODY;
  }

  /** Answers whether somebody watched for it. */
  function wake(runId: string, news: RunNews): boolean {
    const all = tell("events", runId, news);
    return news === "asked" ? tell("asked", runId, news) || all : all;
  }

  return {
    /** For wishes alone where `only` says so. `wake` must not throw. Answers how to stop. */
    watch(runId: string, wake: Wake, only?: "asked"): () => void {
      const kind = only ?? "events";
      // A function of its own for each call, so that watching twice with one callback is two watches.
      const entry = (news: RunNews) => wake(news);
      const entries = watchers[kind].get(runId) ?? new Set();
      watchers[kind].set(runId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && watchers[kind].get(runId) === entries) watchers[kind].delete(runId);
      };
    },
    wake,
    wakeAll(news: RunNews, except?: string): void {
      const watched = new Set([...watchers.events.keys(), ...watchers.asked.keys()]);
      for (const runId of watched) if (runId !== except) wake(runId, news);
    },
  };
}

export type Watchers = ReturnType<typeof createWatchers>;
