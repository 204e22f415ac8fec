import type { ToolResultPart } from "../../protocol/messages.ts";
import { callsOf, type ToolCallState } from "../../protocol/reduce.ts";
import type { FinishRun } from "../../protocol/store.ts";
import type { Artifacts } from "./artifacts.ts";
import type { Database } from "./database.ts";
import type { Messages } from "./messages.ts";
import type { Sessions } from "./sessions.ts";

interface RunOwner {
  sessionId: string;
  userId: string;
}

/** The tables that people query, written once, at the end of a run. */
export function transcriptOf(
  database: Database,
  { sessions, messages, artifacts }: { sessions: Sessions; messages: Messages; artifacts: Artifacts },
) {
  const answered = database.prepare<{ parent_id: string | null; head_id: string | null }>(
    "SELECT runs.parent_id, head_id FROM runs JOIN sessions ON sessions.id = session_id WHERE runs.id = ?",
  );
  const insertCall = database.prepare(
    `INSERT INTO tool_calls (run_id, tool_call_id, message_id, position, name, arguments, text_offset, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertOutput = database.prepare(
    `INSERT INTO tool_outputs (run_id, tool_call_id, success, output, trust, error, latency_ms, retry_count, cached)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertUsage = database.prepare(
    `INSERT INTO usage (run_id, user_id, model, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost_usd, at, key_id)
     SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT key_id FROM runs WHERE id = ?)`,
  );

  function writeCall(
    call: ToolCallState,
    position: number,
    { runId, message }: FinishRun,
    result: ToolResultPart | undefined,
  ): void {
    const key = [runId, call.toolCallId] as const;
    const given = JSON.stringify(call.arguments ?? null);
    insertCall.run(...key, message.id, position, call.toolName, given, call.textOffset, call.status);
    const output = call.output ?? result?.output;
    if (output === undefined) return;
    const error = call.error ?? result?.error;
    insertOutput.run(
      ...key,
      Number(call.status === "succeeded"),
      output,
      result?.trust ?? "untrusted",
      error ? JSON.stringify(error) : null,
      call.latencyMs ?? null,
      call.retryCount ?? 0,
      Number(call.cached ?? false),
    );
  }

  function writeUsage({ runId, message }: FinishRun, { userId }: RunOwner): void {
    const { usage } = message;
    if (!usage) return;
    insertUsage.run(
      runId,
      userId,
      message.model ?? "",
      usage.inputTokens,
      usage.outputTokens,
      usage.reasoningTokens ?? 0,
      usage.cachedTokens ?? 0,
      usage.costUsd ?? null,
      database.now(),
      runId,
    );
  }

  return {
    /** Inside a transaction. */
    write(finish: FinishRun, owner: RunOwner): void {
      const { message, runId } = finish;
      const { parent_id, head_id } = answered.get(runId) ?? {};
      const parentId = parent_id ?? head_id ?? undefined;
      messages.add({ ...message, role: "assistant", runId, sessionId: owner.sessionId, parentId });
      sessions.growBranch(owner.sessionId, { id: message.id, parentId });
      const results = new Map(
        message.parts.flatMap((part) => (part.type === "tool_result" ? [[part.toolCallId, part]] : [])),
      );
      for (const [position, call] of (message.state ? callsOf(message.state) : []).entries()) {
        writeCall(call, position, finish, results.get(call.toolCallId));
        if (call.artifact?.complete) artifacts.add(call.artifact, { ...owner, runId });
      }
      writeUsage(finish, owner);
      sessions.touch({ id: owner.sessionId, userId: owner.userId });
    },
  };
}

export type Transcript = ReturnType<typeof transcriptOf>;
