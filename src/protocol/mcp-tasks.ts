import type { JsonObject } from "./json.ts";

export const TASK_STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** A tool call of another program that continues without a connection. */
export interface McpTaskState {
  tool: string;
  arguments: JsonObject;
  status: (typeof TASK_STATUSES)[number];
  statusMessage?: string;
  /** What the program can be asked. */
  capabilities: JsonObject;
  /** What the program has to answer before the call can continue, by key. */
  requests?: JsonObject;
  /** The tool may have changed something. */
  started?: boolean;
  result?: JsonObject;
  /** Why there is no result, in the form of JSON-RPC. */
  error?: JsonObject;
}

/** Who works on a task, and for how long others leave it alone. */
export interface TaskLease {
  owner: string;
  leaseMs: number;
}

/** A task as it is stored. */
export interface StoredMcpTask {
  id: string;
  userId: string;
  state: McpTaskState;
  /** What the program has answered, by key. */
  answers: JsonObject;
  /** The program does not want it any more. */
  cancelled: boolean;
  /** No process works on it. */
  abandoned: boolean;
  createdAt: string;
  updatedAt: string;
}

/** Tasks in the database. Any instance can read them, and take over those whose owner is gone. */
export interface McpTaskRows {
  /** Also removes this person's tasks that are older than `keepMs`. */
  addMcpTask(
    task: Pick<StoredMcpTask, "id" | "userId" | "state">,
    lease: TaskLease,
    keepMs: number,
  ): Promise<void>;
  getMcpTask(id: string): Promise<StoredMcpTask | undefined>;
  /** Writes what the owner knows and renews its lease. Returns false if it is not the owner any more. */
  saveMcpTask(id: string, state: McpTaskState, lease: TaskLease): Promise<boolean>;
  /** Takes over a task that no process works on. Returns false if one does. */
  claimMcpTask(id: string, lease: TaskLease): Promise<boolean>;
  /** Leaves answers, or the wish to stop, for whoever works on the task. */
  tellMcpTask(id: string, told: { answers?: JsonObject; cancel?: boolean }): Promise<void>;
}
