import type { ChatEvent } from "../../protocol/events.ts";
import type { RunLog } from "../../protocol/journal.ts";
import { emptyRun, reduce } from "../../protocol/reduce.ts";

/** A journal in memory. Every event goes to `onEvent`. */
export function createMemoryLog(
  run: { runId: string; messageId: string; model: string },
  onEvent: (event: ChatEvent) => void,
): RunLog {
  let state = reduce(emptyRun(), { type: "session", sessionId: "replay", title: "", ...run });
  return {
    runId: run.runId,
    steps: new Map(),
    emit(event) {
      state = reduce(state, event);
      onEvent(event);
    },
    step: () => {},
    status: () => {},
    flush: async () => {},
    state: () => state,
    finish: async () => {},
  };
}
