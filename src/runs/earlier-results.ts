import type { ToolResultPart } from "../protocol/messages.ts";
import { provenanceOf } from "../protocol/provenance.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { toolResultOf } from "../protocol/stored.ts";
import type { EarlierResult } from "../protocol/tool.ts";

/** Returns the whole result of a call in the session of a run: of this run, or else of the newest with such a call. */
export async function earlierResult(
  store: Store,
  run: Pick<Run, "id" | "sessionId">,
  toolCallId: string,
): Promise<EarlierResult | undefined> {
  const here = (await store.readSteps(run.id)).find(({ key }) => key === `tool:${toolCallId}`);
  if (here?.state === "finished") return wholeOf(store, run.id, toolResultOf(here));
  const call = await store.findCall(run.sessionId, toolCallId);
  const parts = call ? (await store.getMessage(call.messageId))?.parts : undefined;
  const result = parts?.find((part) => part.type === "tool_result" && part.toolCallId === toolCallId);
  return call && result?.type === "tool_result" ? wholeOf(store, call.runId, result) : undefined;
}

async function wholeOf(store: Store, runId: string, result: ToolResultPart): Promise<EarlierResult> {
  const { toolCallId, toolName, trust, output } = result;
  const text = (await store.loadResult(runId, toolCallId)) ?? output;
  return { text, toolName, trust, ...provenanceOf(result) };
}
