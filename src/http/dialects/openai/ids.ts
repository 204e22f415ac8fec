// Ids of the dialect are ids of runs in other clothes, so that nothing has to be kept to find a run again: a client that
// sends the id of a call back tells us which run made it.

const OWN_CALL = /^call_([A-Za-z0-9_-]{20})_(\d{1,4})$/;

/** The id of a run as a chat completion. */
export function completionId(runId: string): string {
  return `chatcmpl-${bare(runId)}`;
}

/** The id of a run as a response. */
export function responseId(runId: string): string {
  return `resp_${bare(runId)}`;
}

/** The run behind an id of a completion, a response or the run itself. */
export function runIdOf(id: string): string {
  return `run_${id.replace(/^(chatcmpl-|resp_|run_)/, "")}`;
}

/** The id of a run's call, counted from 0. */
export function callId(runId: string, index: number): string {
  return `call_${bare(runId)}_${index}`;
}

/** Which call of which run an id names; undefined for ids that are not ours. */
export function readCallId(id: string): { runId: string; index: number } | undefined {
  const [, run, index] = OWN_CALL.exec(id) ?? [];
  return run === undefined ? undefined : { runId: `run_${run}`, index: Number(index) };
}

function bare(runId: string): string {
  return runId.replace(/^run_/, "");
}

/** The id of an output item of a response; the items of calls carry the call's number, the others their own place. */
export function itemId(kind: "msg" | "rs" | "fc" | "mcp", runId: string, index: number): string {
  return `${kind}_${bare(runId)}_${index}`;
}

/** The run whose message an id names; undefined for ids that are not ours. */
export function runIdOfItem(id: string): string | undefined {
  const run = /^(?:msg|rs)_([A-Za-z0-9_-]{20})_\d{1,5}$/.exec(id)?.[1];
  return run === undefined ? undefined : `run_${run}`;
}

/** The id of the call that an item of ours shows; other ids stay what they are. */
export function callIdOfItem(id: string): string {
  return id.replace(/^mcp_([A-Za-z0-9_-]{20}_\d{1,4})$/, "call_$1");
}
