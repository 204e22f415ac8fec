import { isObject } from "../../../protocol/json.ts";
import type { RecalledTurn, Turns } from "../../../protocol/turns.ts";
import { dataFrames } from "../front-ends/pauses.ts";
import { clientToolsOf } from "../front-ends/thread.ts";
import { callId } from "../openai/ids.ts";
import { type UiChunk, UiChunks } from "./ui-chunks.ts";

const ENDS = new Set(["finish", "abort", "error"]);

/**
 * What runs before this one have said in the same message. A client that comes back takes the message from its beginning,
 * and an answer that goes on with results of the client's tools does not begin it.
 */
export async function earlierChunks(
  turns: Turns,
  turn: RecalledTurn,
  origin: string,
): Promise<{ messageId: string | undefined; chunks: string }> {
  const { continued } = turn.request.echo ?? {};
  if (!isObject(continued) || typeof continued.messageId !== "string" || !Array.isArray(continued.runIds))
    return { messageId: undefined, chunks: "" };
  const { messageId } = continued;
  const chunks: UiChunk[] = [];
  const known = await Promise.all(continued.runIds.map((runId) => turns.recall(String(runId))));
  const earlier = known.filter((one) => one !== undefined);
  for (const [index, one] of earlier.entries()) {
    const encoder = new UiChunks({ clientTools: clientToolsOf(one), origin, messageId });
    for (const { event } of await turns.eventsOf(one.runId)) chunks.push(...encoder.take(event));
    chunks.push(...clientResults(one, earlier[index + 1] ?? turn));
  }
  return { messageId, chunks: dataFrames(chunks.filter(({ type }) => !ENDS.has(type))) };
}

/** What the client answered to a run's calls, as the next run was told it. */
function clientResults({ runId, answer }: RecalledTurn, next: RecalledTurn): UiChunk[] {
  const made = (answer?.parts ?? []).filter((part) => part.type === "tool_call");
  return (next.request.newest?.parts ?? []).flatMap((part) => {
    const index = part.type === "tool_result" ? made.findIndex(({ id }) => id === part.toolCallId) : -1;
    if (index === -1 || part.type !== "tool_result") return [];
    return [{ type: "tool-output-available", toolCallId: callId(runId, index), output: part.output }];
  });
}
