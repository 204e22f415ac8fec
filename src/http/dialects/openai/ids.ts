// The ids of the dialect contain the id of the run, so that a run can be found from the id of its call without storing it.

const OWN_CALL = /^call_([A-Za-z0-9_-]{20})_(\d{1,4})$/;

/** The id of a run as a chat completion. */
export function completionId(runId: string): string {
  return `chatcmpl-${bare(runId)}`;
}

/** The id of a run as a completion of a text. */
export function textCompletionId(runId: string): string {
  return `cmpl-${bare(runId)}`;
}

/** The id of a run as a response. */
export function responseId(runId: string): string {
  return `resp_${bare(runId)}`;
}

/** The run of a completion, a response or a run id. */
export function runIdOf(id: string): string {
  return `run_${id.replace(/^(chatcmpl-|cmpl-|resp_|msg_|run_)/, "")}`;
}

/** The id of a run's call, counted from 0. */
export function callId(runId: string, index: number): string {
  return `call_${bare(runId)}_${index}`;
}

/** The run and index of a call id. Undefined for ids that are not ours. */
export function readCallId(id: string): { runId: string; index: number } | undefined {
  const [, run, index] = OWN_CALL.exec(id) ?? [];
  return run === undefined ? undefined : { runId: `run_${run}`, index: Number(index) };
}

function bare(runId: string): string {
  return runId.replace(/^run_/, "");
}

/** The id of an output item: with the call's index for calls, with the item's position for others. */
export function itemId(kind: string, runId: string, index: number): string {
  return `${kind}_${bare(runId)}_${index}`;
}

/** The run of a message id. Undefined for ids that are not ours. */
export function runIdOfItem(id: string): string | undefined {
  const run = /^(?:msg|rs|ig)_([A-Za-z0-9_-]{20})_\d{1,5}$/.exec(id)?.[1];
  return run === undefined ? undefined : `run_${run}`;
}

/** The run of any item of a response. Undefined for ids that are not ours. */
export function runIdOfReference(id: string): string | undefined {
  const run = /^[a-z]{2,4}_([A-Za-z0-9_-]{20})_\d{1,5}$/.exec(id)?.[1];
  return run === undefined ? undefined : `run_${run}`;
}

/** The call id of one of our items. Other ids stay unchanged. */
export function callIdOfItem(id: string): string {
  return id.replace(/^(?:mcp|ws|igc)_([A-Za-z0-9_-]{20}_\d{1,4})$/, "call_$1");
}
