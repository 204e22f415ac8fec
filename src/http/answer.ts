import type { JsonAnswer } from "../protocol/chat.ts";
import { callsOf, type RunState, type ToolCallState } from "../protocol/reduce.ts";

/** Converts a run to one JSON object, for `"stream": false`. */
export function toJsonAnswer(state: RunState): JsonAnswer {
  const calls = callsOf(state);
  const reasoning = reasoningOf(state);
  return {
    sessionId: state.sessionId,
    runId: state.runId,
    messageId: state.messageId,
    content: state.text,
    ...(reasoning === "" ? {} : { reasoning }),
    finishReason: state.finishReason ?? "error",
    usage: state.usage ?? { inputTokens: 0, outputTokens: 0 },
    toolEvents: state.blocks.flatMap(toolEventsOf),
    artifacts: calls.flatMap(artifactOf),
    images: [
      ...calls.flatMap((call) => (call.image ? [{ toolCallId: call.toolCallId, ...call.image }] : [])),
      ...(state.images ?? []).map((image) => ({ toolCallId: state.messageId, ...image })),
    ],
    sources: calls.flatMap((call) => call.search?.sources ?? []),
    error: state.error,
    ...(state.warnings.length > 0 ? { warnings: state.warnings } : {}),
  };
}

function reasoningOf(state: RunState): string {
  return state.blocks
    .flatMap((block) => (block.type === "reasoning" && block.reasoning.text ? [block.reasoning.text] : []))
    .join("\n\n");
}

function toolEventsOf(block: RunState["blocks"][number]): JsonAnswer["toolEvents"] {
  if (block.type === "text") return [{ type: "text", value: block.text }];
  if (block.type === "reasoning") return [];
  const { toolCallId, toolName, status, output, error } = block.call;
  const call = {
    type: "tool_call" as const,
    value: { toolCallId, toolName, arguments: block.call.arguments },
  };
  if (status !== "succeeded" && status !== "failed") return [call];
  const value = { toolCallId, toolName, success: status === "succeeded", output: output ?? "" };
  return [call, { type: "tool_output", value: error ? { ...value, error } : value }];
}

/** An artifact with the field names of its event. */
function artifactOf({ toolCallId, artifact }: ToolCallState): unknown[] {
  if (!artifact?.complete) return [];
  const { code, title, complete: _, ...facts } = artifact;
  return [{ toolCallId, ...facts, artifactTitle: title, artifactCode: code }];
}
