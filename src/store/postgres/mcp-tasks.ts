import type { JsonObject } from "../../protocol/json.ts";
import type { McpTaskState, StoredMcpTask, TaskLease } from "../../protocol/mcp-tasks.ts";
import { toMcpTask } from "../rows.ts";
import { type Database, statement } from "./database.ts";

const LEASE = (parameter: string) => `tackle_now() + ${parameter}::float8 * INTERVAL '1 millisecond'`;
const CLEAR = statement(
  "DELETE FROM mcp_tasks WHERE user_id = $1 AND created_at < tackle_now() - $2::float8 * INTERVAL '1 millisecond'",
);
const ADD = statement(
  `INSERT INTO mcp_tasks (id, user_id, state, answers, owner, lease_until, created_at, updated_at)
   VALUES ($1, $2, $3::json, '{}', $4, ${LEASE("$5")}, tackle_now(), tackle_now())`,
);
const COLUMNS = `id, user_id, state::text AS state, answers::text AS answers, cancelled,
  lease_until <= tackle_now() AS abandoned, created_at, updated_at`;
const LOAD = statement(`SELECT ${COLUMNS} FROM mcp_tasks WHERE id = $1`);
const HOLD = statement(`SELECT ${COLUMNS} FROM mcp_tasks WHERE id = $1 FOR UPDATE`);
const SAVE = statement(
  `UPDATE mcp_tasks SET state = $2::json, lease_until = ${LEASE("$4")}, updated_at = tackle_now()
   WHERE id = $1 AND owner = $3 RETURNING id`,
);
const CLAIM = statement(
  `UPDATE mcp_tasks SET owner = $2, lease_until = ${LEASE("$3")}
   WHERE id = $1 AND lease_until <= tackle_now() RETURNING id`,
);
const TELL = statement(
  "UPDATE mcp_tasks SET answers = $2::json, cancelled = $3, updated_at = tackle_now() WHERE id = $1",
);

/** Calls of other programs that continue without a connection. */
export function mcpTasksOf(database: Database) {
  return {
    addMcpTask: (
      { id, userId, state }: Pick<StoredMcpTask, "id" | "userId" | "state">,
      { owner, leaseMs }: TaskLease,
      keepMs: number,
    ): Promise<void> =>
      database.transaction(async (query) => {
        await query(CLEAR, [userId, keepMs]);
        await query(ADD, [id, userId, JSON.stringify(state), owner, leaseMs]);
      }),
    async getMcpTask(id: string): Promise<StoredMcpTask | undefined> {
      const [row] = await database.queryAgain<unknown>(LOAD, [id]);
      return row ? toMcpTask(row) : undefined;
    },
    saveMcpTask: async (id: string, state: McpTaskState, { owner, leaseMs }: TaskLease): Promise<boolean> =>
      (await database.queryAgain(SAVE, [id, JSON.stringify(state), owner, leaseMs])).length > 0,
    claimMcpTask: async (id: string, { owner, leaseMs }: TaskLease): Promise<boolean> =>
      (await database.queryAgain(CLAIM, [id, owner, leaseMs])).length > 0,
    tellMcpTask: (id: string, told: { answers?: JsonObject; cancel?: boolean }): Promise<void> =>
      database.transaction(async (query) => {
        const [row] = await query<unknown>(HOLD, [id]);
        if (!row) return;
        const task = toMcpTask(row);
        const answers = JSON.stringify({ ...task.answers, ...told.answers });
        await query(TELL, [id, answers, task.cancelled || told.cancel === true]);
      }),
  };
}
