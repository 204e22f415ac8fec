import type { FinishRun } from "../../protocol/run-records.ts";
import { CALL_COLUMNS, callsToWrite, OUTPUT_COLUMNS, USAGE_COLUMNS, usageValues } from "../values.ts";
import type { Artifacts } from "./artifacts.ts";
import { type Database, toNumbers } from "./database.ts";
import type { Messages } from "./messages.ts";
import type { Sessions } from "./sessions.ts";

/** The tables that people query. They are written once, when a run ends. */
export function transcriptOf(
  database: Database,
  { sessions, messages, artifacts }: { sessions: Sessions; messages: Messages; artifacts: Artifacts },
) {
  const insertCall = database.prepare(
    `INSERT INTO tool_calls (run_id, message_id, position, ${CALL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertOutput = database.prepare(
    `INSERT INTO tool_outputs (run_id, ${OUTPUT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertUsage = database.prepare(
    `INSERT INTO usage (run_id, user_id, at, ${USAGE_COLUMNS}, key_id)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, (SELECT key_id FROM runs WHERE id = ?1)`,
  );

  return {
    /** Inside a transaction. */
    write(
      finish: FinishRun,
      { parentId, ...owner }: { sessionId: string; userId: string; parentId: string | undefined },
    ): void {
      const { message, runId } = finish;
      const { sessionId, userId } = owner;
      messages.add({ ...message, role: "assistant", runId, sessionId, parentId });
      sessions.growBranch({ id: sessionId, userId }, { id: message.id, parentId });
      for (const [position, { call, output, artifact }] of callsToWrite(finish).entries()) {
        insertCall.run(runId, message.id, position, ...call);
        if (output) insertOutput.run(runId, ...toNumbers(output));
        if (artifact) artifacts.add(artifact, { ...owner, runId });
      }
      if (message.usage)
        insertUsage.run(runId, userId, database.now(), ...usageValues(message.model ?? "", message.usage));
    },
  };
}

export type Transcript = ReturnType<typeof transcriptOf>;
