import type { AccountEvent } from "../protocol/account-events.ts";
import type { NewArtifactVersion } from "../protocol/artifacts.ts";
import type { ToolUse } from "../protocol/ledger.ts";
import { type ToolResultPart, textOf } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import { type ArtifactState, callsOf, type ToolCallState } from "../protocol/reduce.ts";
import type { FinishRun } from "../protocol/run-records.ts";
import type { StoredMessage } from "../protocol/sessions.ts";
import { packMessage } from "./packing.ts";

// The values that both engines write, in the order of the columns that are named here.

/** Bytes of whole results that a session may keep. */
export const MAX_SESSION_RESULTS = 100_000_000;

/** Events that are kept for each account. A client that has missed more loads its sessions again. */
export const MAX_ACCOUNT_EVENTS = 500;

/** Returns the session that an event tells about. Nothing else than its end may be told once it is deleted. */
export function sessionToldOf(event: AccountEvent): string | undefined {
  return "sessionId" in event && event.type !== "session_deleted" ? event.sessionId : undefined;
}

export type Value = string | number | boolean | null;

export const MESSAGE_COLUMNS = "id, role, model, run_id, text, parts, state, finish_reason, usage, format";

/** Returns the values of `MESSAGE_COLUMNS`. An instance of the former version reads only rows that are not packed. */
export function messageValues(
  message: Omit<StoredMessage, "createdAt" | "sessionId">,
  { formerIsThere = false } = {},
): (string | number | null)[] {
  const { id, role, model = null, runId = null, state, finishReason = null, usage } = message;
  const whole = {
    text: textOf(message),
    parts: JSON.stringify(message.parts),
    state: state ? JSON.stringify(state) : null,
  };
  const row = formerIsThere ? { ...whole, format: 1 } : packMessage(whole);
  const spent = usage ? JSON.stringify(usage) : null;
  return [id, role, model, runId, row.text, row.parts, row.state, finishReason, spent, row.format];
}

export const ARTIFACT_COLUMNS = "type, title, language, code, issues";

/** Returns the values of `ARTIFACT_COLUMNS`. */
export function artifactValues(artifact: NewArtifactVersion | ArtifactState): (string | null)[] {
  const type = "artifactId" in artifact ? (artifact.artifactType ?? "code") : artifact.type;
  const { title = "", language = null, code, issues } = artifact;
  return [type, title, language, code, JSON.stringify(issues)];
}

export const USAGE_COLUMNS = "model, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost_usd";

/** Returns the values of `USAGE_COLUMNS`; without usage, the tokens and the cost are null. */
export function usageValues(model: string, usage: Usage | undefined): (string | number | null)[] {
  if (!usage) return [model, null, null, 0, 0, null];
  const { inputTokens, outputTokens, reasoningTokens = 0, cachedTokens = 0, costUsd, children } = usage;
  // Child runs have rows of their own.
  const own = (all: number, theirs = 0) => Math.max(0, all - theirs);
  return [
    model,
    own(inputTokens, children?.inputTokens),
    own(outputTokens, children?.outputTokens),
    own(reasoningTokens, children?.reasoningTokens),
    own(cachedTokens, children?.cachedTokens),
    costUsd === undefined ? null : own(costUsd, children?.costUsd),
  ];
}

export const TOOL_USE_COLUMNS =
  "user_id, run_id, tool, outcome, duration_ms, cached, cost_usd, model, input_tokens, output_tokens, model_cost_usd";

/** Returns the values of `TOOL_USE_COLUMNS`. */
export function toolUseValues(use: ToolUse): Value[] {
  const { userId, runId = null, tool, outcome, durationMs, cached, costUsd, model = null } = use;
  const tokens = [use.inputTokens, use.outputTokens, use.modelCostUsd];
  return [userId, runId, tool, outcome, durationMs, cached, costUsd, model, ...tokens];
}

export const CALL_COLUMNS = "tool_call_id, name, arguments, text_offset, status";
export const OUTPUT_COLUMNS = "tool_call_id, success, output, trust, error, latency_ms, retry_count, cached";

/** Returns the calls of a finished run with the values of `CALL_COLUMNS` and, where there is output, `OUTPUT_COLUMNS`. */
export function callsToWrite({ message }: FinishRun) {
  const results = new Map(
    message.parts.flatMap((part) => (part.type === "tool_result" ? [[part.toolCallId, part]] : [])),
  );
  return (message.state ? callsOf(message.state) : []).map((call) => ({
    call: [
      call.toolCallId,
      call.toolName,
      JSON.stringify(call.arguments ?? null),
      call.textOffset,
      call.status,
    ],
    output: outputValues(call, results.get(call.toolCallId)),
    artifact: call.artifact?.complete ? call.artifact : undefined,
  }));
}

function outputValues(call: ToolCallState, result: ToolResultPart | undefined): Value[] | undefined {
  const output = call.output ?? result?.output;
  if (output === undefined) return undefined;
  const error = call.error ?? result?.error;
  const { toolCallId, status, latencyMs = null, retryCount = 0, cached = false } = call;
  const trust = result?.trust ?? "untrusted";
  const failure = error ? JSON.stringify(error) : null;
  return [toolCallId, status === "succeeded", output, trust, failure, latencyMs, retryCount, cached];
}

/** Statements that remove the rows of an account. The parameter is missing. */
export const REMOVALS_OF_PEOPLE = [
  "shares",
  "feedback",
  "artifacts",
  "projects",
  "project_members",
  "memories",
  "files",
  "mcp_tasks",
  "usage",
  "tool_uses",
  "account_events",
  "account_feeds",
  "user_settings",
].map((table) => `DELETE FROM ${table} WHERE user_id = `);
