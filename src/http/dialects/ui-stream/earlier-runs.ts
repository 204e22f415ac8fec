import { isObject } from "../../../protocol/json.ts";
import type { RecalledTurn, Turns } from "../../../protocol/turns.ts";
import { dataFrames } from "../frames.ts";
import { clientToolsOf } from "../front-ends/thread.ts";
import { callId } from "../openai/ids.ts";
import { type UiChunk, UiChunks } from "./ui-chunks.ts";

const ENDS = new Set(["finish", "abort", "error"]);

/**
 * The chunks of earlier runs in the same message. After results of the client's tools a new run continues the message, and
 * a client that reconnects needs it from the start.
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

/** The client's results for the calls of a run, from the request of the next run. */
function clientResults({ runId, answer }: RecalledTurn, next: RecalledTurn): UiChunk[] {
  const made = (answer?.parts ?? []).filter((part) => part.type === "tool_call");
  return (next.request.newest?.parts ?? []).flatMap((part) => {
    const index = part.type === "tool_result" ? made.findIndex(({ id }) => id === part.toolCallId) : -1;
    if (index === -1 || part.type !== "tool_result") return [];
    return [{ type: "tool-output-available", toolCallId: callId(runId, index), output: part.output }];
  });
}
