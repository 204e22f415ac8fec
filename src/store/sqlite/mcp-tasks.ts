import type { JsonObject } from "../../protocol/json.ts";
import type { McpTaskState, StoredMcpTask, TaskLease } from "../../protocol/mcp-tasks.ts";
import { toMcpTask } from "../rows.ts";
import type { Database } from "./database.ts";

/** Calls of other programs that continue without a connection. */
export function mcpTasksOf(database: Database) {
  const add = database.prepare(
    `INSERT INTO mcp_tasks (id, user_id, state, answers, owner, lease_until, created_at, updated_at)
     VALUES (?1, ?2, ?3, '{}', ?4, ?5, ?6, ?6)`,
  );
  const clear = database.prepare("DELETE FROM mcp_tasks WHERE user_id = ? AND created_at < ?");
  const load = database.prepare<unknown>(
    `SELECT id, user_id, state, answers, cancelled, lease_until <= ?2 AS abandoned, created_at, updated_at
     FROM mcp_tasks WHERE id = ?1`,
  );
  const save = database.prepare(
    "UPDATE mcp_tasks SET state = ?2, lease_until = ?4, updated_at = ?5 WHERE id = ?1 AND owner = ?3",
  );
  const claim = database.prepare(
    "UPDATE mcp_tasks SET owner = ?2, lease_until = ?3 WHERE id = ?1 AND lease_until <= ?4",
  );
  const tell = database.prepare(
    "UPDATE mcp_tasks SET answers = ?2, cancelled = ?3, updated_at = ?4 WHERE id = ?1",
  );

  function get(id: string): StoredMcpTask | undefined {
    const row = load.get(id, database.now());
    return row ? toMcpTask(row) : undefined;
  }

  return {
    addMcpTask(
      { id, userId, state }: Pick<StoredMcpTask, "id" | "userId" | "state">,
      lease: TaskLease,
      keepMs: number,
    ) {
      database.transaction(
        () => {
          const now = database.now();
          clear.run(userId, now - keepMs);
          add.run(id, userId, JSON.stringify(state), lease.owner, now + lease.leaseMs, now);
        },
        { durable: true },
      );
    },
    getMcpTask: get,
    saveMcpTask(id: string, state: McpTaskState, { owner, leaseMs }: TaskLease): boolean {
      const now = database.now();
      return database.transaction(() => save.run(id, JSON.stringify(state), owner, now + leaseMs, now) > 0);
    },
    claimMcpTask(id: string, { owner, leaseMs }: TaskLease): boolean {
      const now = database.now();
      return database.transaction(() => claim.run(id, owner, now + leaseMs, now) > 0);
    },
    tellMcpTask(id: string, told: { answers?: JsonObject; cancel?: boolean }): void {
      database.transaction(() => {
        const task = get(id);
        if (!task) return;
        const answers = JSON.stringify({ ...task.answers, ...told.answers });
        tell.run(id, answers, task.cancelled || told.cancel ? 1 : 0, database.now());
      });
    },
  };
}
