import type { FinishRun } from "../../protocol/run-records.ts";
import type { CollectedEvents } from "../folding.ts";
import {
  ARTIFACT_COLUMNS,
  artifactValues,
  CALL_COLUMNS,
  callsToWrite,
  MESSAGE_COLUMNS,
  messageValues,
  OUTPUT_COLUMNS,
  USAGE_COLUMNS,
  usageValues,
} from "../values.ts";
import { columnsOf } from "./lists.ts";
import { messagePlaceholders, nextPosition } from "./messages.ts";
import { nextUpdatedAt } from "./sessions.ts";

/** Returns SQL that writes the tables people query, in the statement that appends the last events of a run. */
export function transcriptCtes(first: number): string {
  const message = first + 1;
  const calls = message + 10;
  const outputs = calls + 5;
  const artifacts = outputs + 8;
  const usage = artifacts + 7;
  const folded = usage + 6;
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
      WITH ORDINALITY AS c (${CALL_COLUMNS}, place)
  ), outputs AS (
    INSERT INTO tool_outputs (run_id, ${OUTPUT_COLUMNS})
    SELECT id, tool_call_id, success, output, trust, error::json, latency_ms, retry_count, cached
    FROM ending, unnest(${list(outputs, ["text", "bool", "text", "text", "text", "float8", "int", "bool"])})
      AS o (${OUTPUT_COLUMNS})
  ), made AS MATERIALIZED (
    -- A version belongs to the artifact's owner and never changes once it is written.
    SELECT v.*, ending.* FROM ending, unnest(${list(artifacts, ["text", "int", "text", "text", "text", "text", "text"])})
      AS v (artifact_id, version, ${ARTIFACT_COLUMNS})
    WHERE NOT EXISTS (SELECT FROM artifacts AS a WHERE a.id = artifact_id AND a.user_id <> ending.user_id)
  ), new_artifacts AS (
    INSERT INTO artifacts (id, session_id, user_id, created_at)
    SELECT DISTINCT artifact_id, session_id, user_id, now FROM made ON CONFLICT (id) DO NOTHING
  ), new_versions AS (
    INSERT INTO artifact_versions (artifact_id, version, type, title, language, code, issues, run_id, created_at)
    SELECT artifact_id, version, type, title, language, code, issues::json, id, now FROM made
    ON CONFLICT (artifact_id, version) DO NOTHING
  ), used AS (
    INSERT INTO usage (run_id, user_id, ${USAGE_COLUMNS}, at, key_id)
    SELECT id, user_id, ${$(usage, "text")}, ${$(usage + 1, "bigint")}, ${$(usage + 2, "bigint")},
      ${$(usage + 3, "bigint")}, ${$(usage + 4, "bigint")}, ${$(usage + 5, "float8")}, now,
      (SELECT key_id FROM runs WHERE runs.id = ending.id)
    FROM ending WHERE $${usage + 1} IS NOT NULL
  ), touched AS (
    -- The shown branch grows if it is the one that was answered.
    UPDATE sessions SET updated_at = ${nextUpdatedAt("sessions.user_id", "sessions.id")}, head_id = CASE
      WHEN head_id IS NOT DISTINCT FROM ending.parent_id THEN ${$(message, "text")} ELSE head_id END
    FROM ending WHERE sessions.id = ending.session_id
  ), ended AS (
    UPDATE runs SET status = ${$(first, "text")}, finished_at = now, folded = ${$(folded, "bytea")} IS NOT NULL
    FROM ending WHERE runs.id = ending.id
  ), steps AS (
    DELETE FROM run_steps USING ending WHERE run_steps.run_id = ending.id
  ), folded_events AS (
    INSERT INTO run_folded (run_id, bytes) SELECT id, ${$(folded, "bytea")} FROM ending WHERE ${$(folded, "bytea")} IS NOT NULL
  )`;
}

/** Returns the parameters of `transcriptCtes`. Events that are given are folded into the transcript. */
export function transcriptValues(
  finish: FinishRun,
  events: CollectedEvents | undefined,
  options: { formerIsThere: boolean },
): unknown[] {
  const { message, runId, status } = finish;
  const answer = messageValues({ ...message, role: "assistant", runId }, options);
  const calls = callsToWrite(finish);
  const outputs = calls.flatMap(({ output }) => (output ? [output] : []));
  const artifacts = calls.flatMap(({ artifact }) => artifact ?? []);
  return [
    status,
    ...answer,
    ...columnsOf(
      calls.map(({ call }) => call),
      5,
    ),
    ...columnsOf(outputs, 8),
    artifacts.map(({ artifactId }) => artifactId),
    artifacts.map(({ version }) => version ?? 1),
    ...columnsOf(artifacts.map(artifactValues), 5),
    ...usageValues(message.model ?? "", message.usage),
    events?.fold(message.state ? JSON.stringify(message.state) : "") ?? null,
  ];
}
