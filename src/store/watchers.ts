import type { FinishRun } from "../protocol/run-records.ts";
import type { RunSignal, Store } from "../protocol/store.ts";

type Wake = (signal: RunSignal) => void;

/** Keeps the callbacks of this process that wait for signals about runs. `onWatch` learns of each that waits for events. */
export function createWatchers(onWatch?: (runId: string) => void) {
  // Most callbacks watch for `control` alone: a process that writes a run does not have to be woken by its events.
  const watchers = { events: new Map<string, Set<Wake>>(), control: new Map<string, Set<Wake>>() };

  function notify(kind: RunSignal, runId: string, signal: RunSignal): boolean {
    const entries = watchers[kind].get(runId);
    for (const entry of entries ?? []) entry(signal);
    return entries !== undefined;
  }

  /** Returns whether there was a watcher for it. */
  function wake(runId: string, signal: RunSignal): boolean {
    const all = notify("events", runId, signal);
    return signal === "control" ? notify("control", runId, signal) || all : all;
  }

  return {
    /** With `only`, calls back for control signals alone. `wake` must not throw. Returns a function that stops it. */
    watch(runId: string, wake: Wake, only?: "control"): () => void {
      const kind = only ?? "events";
      // A new function for each call, so that watching twice with the same callback counts as two watches.
      const entry = (signal: RunSignal) => wake(signal);
      const entries = watchers[kind].get(runId) ?? new Set();
      watchers[kind].set(runId, entries.add(entry));
      if (kind === "events") onWatch?.(runId);
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && watchers[kind].get(runId) === entries) watchers[kind].delete(runId);
      };
    },
    wake,
    /** Returns what is watched for events. */
    watched: (): string[] => [...watchers.events.keys()],
    wakeAll(signal: RunSignal, except?: string): void {
      const watched = new Set([...watchers.events.keys(), ...watchers.control.keys()]);
      for (const runId of watched) if (runId !== except) wake(runId, signal);
    },
  };
}

/** What is watched for an account, beside the ids of runs. */
export function accountKey(userId: string): string {
  return `account:${userId}`;
}

export type Watchers = ReturnType<typeof createWatchers>;

/**
 * A store without watchers. It returns what tells which to wake: the ids of deleted runs, and whether something was sent into
 * an ended run that it has not used.
 */
export type UnwatchedStore = Omit<
  Store,
  "watch" | "watchAccount" | "finishRun" | "deleteSession" | "deleteUser"
> & {
  finishRun(finish: FinishRun): Promise<boolean>;
  deleteSession(id: string): Promise<string[]>;
  deleteUser(userId: string): Promise<string[]>;
};

/** Returns the store; its watchers in this process are woken by what it writes. */
export function withWatchers(store: UnwatchedStore, watchers: Watchers): Store {
  const wakeAll = (runIds: readonly string[], signal: RunSignal) => {
    for (const runId of new Set(runIds)) watchers.wake(runId, signal);
  };
  return {
    ...store,
    watch: watchers.watch,
    watchAccount: (userId, wake) => watchers.watch(accountKey(userId), wake),
    deleteSession: async (id) => wakeAll(await store.deleteSession(id), "control"),
    deleteUser: async (userId) => wakeAll(await store.deleteUser(userId), "control"),
    async commit(batches, options) {
      const outcome = await store.commit(batches, options);
      wakeAll(
        batches.map(({ runId }) => runId),
        "events",
      );
      return outcome;
    },
    async finishRun(finish) {
      // Another process may have sent it, which this one learns of later.
      if (await store.finishRun(finish)) watchers.wake(finish.runId, "control");
      watchers.wake(finish.runId, "events");
    },
    async claimRuns(owner, leaseMs, limit) {
      const claimed = await store.claimRuns(owner, leaseMs, limit);
      wakeAll(
        claimed.map(({ id }) => id),
        "events",
      );
      return claimed;
    },
    async adoptUser(fromUserId, toUserId) {
      await store.adoptUser(fromUserId, toUserId);
      await store.tellAccount(toUserId, { type: "reload" });
      watchers.wake(accountKey(toUserId), "events");
    },
    async tellAccount(userId, ...events) {
      await store.tellAccount(userId, ...events);
      watchers.wake(accountKey(userId), "events");
    },
    async requestCancel(runId) {
      const requested = await store.requestCancel(runId);
      if (requested) watchers.wake(runId, "control");
      return requested;
    },
    async addInput(input, most) {
      const outcome = await store.addInput(input, most);
      if (outcome === "added") watchers.wake(input.runId, "control");
      return outcome;
    },
    async saveApproval(approval) {
      const saved = await store.saveApproval(approval);
      if (saved) watchers.wake(approval.runId, "control");
      return saved;
    },
  };
}
