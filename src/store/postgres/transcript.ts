import type { ToolResultPart } from "../../protocol/messages.ts";
import { callsOf, type ToolCallState } from "../../protocol/reduce.ts";
import type { FinishRun } from "../../protocol/store.ts";
import { MESSAGE_COLUMNS, messagePlaceholders, messageValues, nextPosition } from "./messages.ts";
import { nextUpdatedAt } from "./sessions.ts";

/**
 * The tables that people query, written once, at the end of a run, in the statement that appends its last events: what
 * is in `place` and fits is written.
 */
export function transcriptCtes(first: number): string {
  const message = first + 1;
  const calls = message + 9;
  const outputs = calls + 5;
  const artifacts = outputs + 8;
  const usage = artifacts + 7;
  const $ = (number: number, type: string) => `$${number}::${type}`;
  const list = (from: number, types: string[]) =>
    types.map((type, index) => $(from + index, `${type}[]`)).join(", ");
  return `
  ending AS MATERIALIZED (
    SELECT id, session_id, user_id, tackle_now() AS now, coalesce(
        (SELECT r.parent_id FROM runs AS r WHERE r.id = place.id),
        (SELECT s.head_id FROM sessions AS s WHERE s.id = place.session_id)
      ) AS parent_id
    FROM place WHERE NOT EXISTS (SELECT FROM misfit)
  ), message AS (
    INSERT INTO messages (session_id, parent_id, position, created_at, ${MESSAGE_COLUMNS})
    SELECT session_id, parent_id, ${nextPosition("ending.session_id")}, now, ${messagePlaceholders(message)} FROM ending
  ), calls AS (
    INSERT INTO tool_calls (run_id, message_id, tool_call_id, name, arguments, text_offset, status, position)
    SELECT id, ${$(message, "text")}, tool_call_id, name, arguments::json, text_offset, status, place - 1
    FROM ending, unnest(${list(calls, ["text", "text", "text", "int", "text"])})
      WITH ORDINALITY AS c (tool_call_id, name, arguments, text_offset, status, place)
  ), outputs AS (
    INSERT INTO tool_outputs (run_id, tool_call_id, success, output, trust, error, latency_ms, retry_count, cached)
    SELECT id, tool_call_id, success, output, trust, error::json, latency_ms, retry_count, cached
    FROM ending, unnest(${list(outputs, ["text", "bool", "text", "text", "text", "float8", "int", "bool"])})
      AS o (tool_call_id, success, output, trust, error, latency_ms, retry_count, cached)
  ), made AS MATERIALIZED (
    -- Nobody adds a version to somebody else's artifact, and a version once written stays as it is.
    SELECT v.*, ending.* FROM ending, unnest(${list(artifacts, ["text", "int", "text", "text", "text", "text", "text"])})
      AS v (artifact_id, version, type, title, language, code, issues)
    WHERE NOT EXISTS (SELECT FROM artifacts AS a WHERE a.id = artifact_id AND a.user_id <> ending.user_id)
  ), new_artifacts AS (
    INSERT INTO artifacts (id, session_id, user_id, created_at)
    SELECT DISTINCT artifact_id, session_id, user_id, now FROM made ON CONFLICT (id) DO NOTHING
  ), new_versions AS (
    INSERT INTO artifact_versions (artifact_id, version, type, title, language, code, issues, run_id, created_at)
    SELECT artifact_id, version, type, title, language, code, issues::json, id, now FROM made
    ON CONFLICT (artifact_id, version) DO NOTHING
  ), used AS (
    INSERT INTO usage (run_id, user_id, model, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost_usd, at, key_id)
    SELECT id, user_id, ${$(usage, "text")}, ${$(usage + 1, "bigint")}, ${$(usage + 2, "bigint")},
      ${$(usage + 3, "bigint")}, ${$(usage + 4, "bigint")}, ${$(usage + 5, "float8")}, now,
      (SELECT key_id FROM runs WHERE runs.id = ending.id)
    FROM ending WHERE $${usage + 1} IS NOT NULL
  ), touched AS (
    -- The shown branch grows, if it is the one that was answered.
    UPDATE sessions SET updated_at = ${nextUpdatedAt("sessions.user_id", "sessions.id")}, head_id = CASE
      WHEN head_id IS NOT DISTINCT FROM ending.parent_id THEN ${$(message, "text")} ELSE head_id END
    FROM ending WHERE sessions.id = ending.session_id
  ), ended AS (
    UPDATE runs SET status = ${$(first, "text")}, finished_at = now FROM ending WHERE runs.id = ending.id
  )`;
}

/** The parameters of `transcriptCtes`. */
export function transcriptValues({ message, runId, status }: FinishRun): unknown[] {
  const results = new Map(
    message.parts.flatMap((part) => (part.type === "tool_result" ? [[part.toolCallId, part]] : [])),
  );
  const calls = message.state ? callsOf(message.state) : [];
  const outputs = calls.flatMap((call) => outputOf(call, results.get(call.toolCallId)));
  const artifacts = calls.flatMap(({ artifact }) => (artifact?.complete ? [artifact] : []));
  const { usage } = message;
  return [
    status,
    ...messageValues({ ...message, role: "assistant", runId }),
    calls.map((call) => call.toolCallId),
    calls.map((call) => call.toolName),
    calls.map((call) => JSON.stringify(call.arguments ?? null)),
    calls.map((call) => call.textOffset),
    calls.map((call) => call.status),
    outputs.map((output) => output.toolCallId),
    outputs.map((output) => output.success),
    outputs.map((output) => output.text),
    outputs.map((output) => output.trust),
    outputs.map((output) => output.error),
    outputs.map((output) => output.latencyMs),
    outputs.map((output) => output.retryCount),
    outputs.map((output) => output.cached),
    artifacts.map((artifact) => artifact.artifactId),
    artifacts.map((artifact) => artifact.version ?? 1),
    artifacts.map((artifact) => artifact.artifactType ?? "code"),
    artifacts.map((artifact) => artifact.title ?? ""),
    artifacts.map((artifact) => artifact.language ?? null),
    artifacts.map((artifact) => artifact.code),
    artifacts.map((artifact) => JSON.stringify(artifact.issues)),
    message.model ?? "",
    usage?.inputTokens ?? null,
    usage?.outputTokens ?? null,
    usage?.reasoningTokens ?? 0,
    usage?.cachedTokens ?? 0,
    usage?.costUsd ?? null,
  ];
}

function outputOf(call: ToolCallState, result: ToolResultPart | undefined) {
  const text = call.output ?? result?.output;
  if (text === undefined) return [];
  const error = call.error ?? result?.error;
  return [
    {
      toolCallId: call.toolCallId,
      success: call.status === "succeeded",
      text,
      trust: result?.trust ?? "untrusted",
      error: error ? JSON.stringify(error) : null,
      latencyMs: call.latencyMs ?? null,
      retryCount: call.retryCount ?? 0,
      cached: call.cached ?? false,
    },
  ];
}
