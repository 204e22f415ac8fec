import type { RunLog } from "../protocol/journal.ts";
import { emptyRun } from "../protocol/reduce.ts";

/** Returns a log that keeps nothing, for work that belongs to a run that has ended. */
export function silentLog(runId: string): RunLog {
  const state = { ...emptyRun(), runId };
  return {
    runId,
    steps: new Map(),
    state: () => state,
    emit() {},
    step() {},
    status() {},
    async flush() {},
    async finish() {},
  };
}
