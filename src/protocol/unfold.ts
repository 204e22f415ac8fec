import { contentDelta, reasoningDelta } from "./deltas.ts";
import type { ChatEvent, EventOf } from "./events.ts";
import { isObject } from "./json.ts";
import {
  type ArtifactState,
  type ReasoningState,
  type RunState,
  type ToolCallState,
  timelineOf,
} from "./reduce.ts";
import { ignoreUnknown } from "./unknown.ts";

/** The inverse of the fold: as few events as possible that lead to this state. Used once a run's own events are removed. */
export function unfold(state: RunState): ChatEvent[] {
  const { sessionId, runId, messageId, parentId, model, title } = state;
  const events: ChatEvent[] = [
    {
      type: "session",
      sessionId,
      runId,
      messageId,
      parentId,
      model,
      title,
    },
  ];
  let steps = 0;
  for (const entry of timelineOf(state)) {
    switch (entry.type) {
      case "text":
        events.push(contentDelta(entry.text));
        break;
      case "tool":
        events.push(...unfoldCall(entry.call));
        break;
      case "reasoning":
        events.push(...unfoldReasoning(entry.reasoning, steps));
        steps += entry.reasoning.steps.length;
        break;
      case "user_message":
      case "context_compacted":
      case "run_continued":
        events.push(entry);
        break;
      default:
        ignoreUnknown(entry, undefined);
    }
  }
  if (state.todo) events.push({ type: "todo", items: state.todo });
  for (const image of state.images ?? [])
    events.push({ type: "image_complete", toolCallId: messageId, ...image });
  if (state.usage) events.push({ type: "usage", ...state.usage });
  for (const warning of state.warnings) events.push({ type: "warning", ...warning });
  if (state.error) events.push({ type: "error", ...state.error });
  const { finishReason, iterations, toolCalls } = state;
  if (finishReason) events.push({ type: "done", finishReason, messageId, iterations, toolCalls });
  return events;
}

function unfoldReasoning(reasoning: ReasoningState, firstStep: number): ChatEvent[] {
  const { text, steps, complete, durationMs = 0, reasoningTokens } = reasoning;
  const events: ChatEvent[] = text === "" ? [] : [reasoningDelta(text)];
  for (const [index, step] of steps.entries())
    events.push({ type: "reasoning_step", step, stepIndex: firstStep + index });
  if (!complete) return events;
  const tokens = reasoningTokens === undefined ? {} : { reasoningTokens };
  return [...events, { type: "reasoning_complete", reasoning: text, steps, durationMs, ...tokens }];
}

function unfoldCall(call: ToolCallState): ChatEvent[] {
  const { toolCallId, toolName, textOffset, approval, progress, status } = call;
  const id = { toolCallId, toolName };
  const events: ChatEvent[] = [{ type: "tool_call_start", ...id, arguments: call.arguments, textOffset }];
  if (approval)
    events.push({ type: "tool_approval_required", ...id, arguments: call.arguments, ...approval });
  if (call.decision) events.push({ type: "tool_approval_decided", toolCallId, decision: call.decision });
  if (call.question) {
    const { answer, number: _, ...question } = call.question;
    events.push({ type: "question_required", toolCallId, ...question });
    if (answer !== undefined) events.push({ type: "question_answered", toolCallId, answer });
  }
  if (call.childRunId !== undefined)
    events.push({ type: "child_run", toolCallId, runId: call.childRunId, task: taskOf(call) });
  const { app } = call;
  if (status === "running" || status === "succeeded" || app)
    events.push({ type: "tool_executing", ...id, app });
  if (progress) {
    const { output, ...word } = progress;
    events.push({ type: "tool_progress", toolCallId, ...word, ...(output === "" ? {} : { chunk: output }) });
  }
  const artifact = call.artifact && unfoldArtifact(toolCallId, call.artifact);
  if (artifact?.type === "artifact_delta") events.push(artifact);
  if (status === "succeeded" || status === "failed") events.push(resultOf(call));
  if (call.search) events.push({ type: "web_search", toolCallId, data: call.search });
  if (artifact?.type === "artifact_complete") events.push(artifact);
  if (call.image) events.push({ type: "image_complete", toolCallId, ...call.image });
  return events;
}

function taskOf({ arguments: given }: ToolCallState): string {
  return isObject(given) && typeof given.task === "string" ? given.task : "";
}

function unfoldArtifact(toolCallId: string, artifact: ArtifactState): ChatEvent {
  const { artifactId, code, complete, version = 1, artifactType = "code", previewUrl = "" } = artifact;
  if (!complete) return { type: "artifact_delta", toolCallId, artifactId, delta: code };
  return {
    type: "artifact_complete",
    toolCallId,
    artifactId,
    version,
    artifactType,
    artifactTitle: artifact.title ?? "",
    artifactCode: code,
    language: artifact.language,
    previewUrl,
    issues: artifact.issues,
  };
}

function resultOf(call: ToolCallState): EventOf<"tool_result"> {
  const {
    toolCallId,
    toolName,
    status,
    latencyMs = 0,
    retryCount = 0,
    cached = false,
    output = "",
    error,
  } = call;
  return {
    type: "tool_result",
    toolCallId,
    toolName,
    success: status === "succeeded",
    latencyMs,
    retryCount,
    cached,
    output,
    error,
  };
}
