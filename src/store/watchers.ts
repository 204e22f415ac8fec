import type { RunSignal } from "../protocol/store.ts";

type Wake = (signal: RunSignal) => void;

/** Keeps the callbacks of this process that wait for signals about runs. */
export function createWatchers() {
  // Most callbacks watch for `control` alone: a run that is written here has nobody to wake with its own events.
  const watchers = { events: new Map<string, Set<Wake>>(), control: new Map<string, Set<Wake>>() };

  function notify(kind: RunSignal, runId: string, signal: RunSignal): boolean {
    const entries = watchers[kind].get(runId);
    for (const entry of entries ?? []) entry(signal);
    return entries !== undefined;
  }

  /** Returns whether anybody watched for it. */
  function wake(runId: string, signal: RunSignal): boolean {
    const all = notify("events", runId, signal);
    return signal === "control" ? notify("control", runId, signal) || all : all;
  }

  return {
    /** With `only`, calls back for control signals alone. `wake` must not throw. Returns a function that stops it. */
    watch(runId: string, wake: Wake, only?: "control"): () => void {
      const kind = only ?? "events";
      // A function of its own for each call, so that watching twice with one callback is two watches.
      const entry = (signal: RunSignal) => wake(signal);
      const entries = watchers[kind].get(runId) ?? new Set();
      watchers[kind].set(runId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && watchers[kind].get(runId) === entries) watchers[kind].delete(runId);
      };
    },
    wake,
    wakeAll(signal: RunSignal, except?: string): void {
      const watched = new Set([...watchers.events.keys(), ...watchers.control.keys()]);
      for (const runId of watched) if (runId !== except) wake(runId, signal);
    },
  };
}

export type Watchers = ReturnType<typeof createWatchers>;
