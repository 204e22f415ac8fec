import {
  type CallToolResult,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { Failure, toFailure } from "../../../protocol/failure.ts";
import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { McpTaskRows, McpTaskState, StoredMcpTask, TaskLease } from "../../../protocol/mcp-tasks.ts";
import type { OpenCall } from "./open-call.ts";

/** The extension by which calls continue without a connection. */
export const TASKS = "io.modelcontextprotocol/tasks";
const KEEP_MS = 86_400_000;
const POLL_MS = 1_000;
const MAX_TASKS_OF_ONE = 100;
/** Why a call is stopped although the client did not ask for it: its server ends, and another one continues it. */
const RELEASED = "released";

type Open = OpenCall<CallToolResult>;

/** A call as it becomes a task. */
export interface NewTask {
  id: string;
  userId: string;
  tool: string;
  args: Record<string, unknown>;
  capabilities: ClientCapabilities;
  open: Open;
}

/** Starts the call of a task again, with the answers so far. Undefined if it must not run twice, or cannot run here. */
export type Restart = (task: StoredMcpTask) => Open | undefined;

export type TaskKeeper = ReturnType<typeof createTaskKeeper>;

/** True if the client can follow tasks. */
export function followsTasks({ extensions }: ClientCapabilities): boolean {
  return isObject(extensions) && isObject(extensions[TASKS]);
}

/** The error for a client that cannot follow a task. */
export function needsTasks(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
}

/** Keeps tasks in the database and works on those of this process. */
export function createTaskKeeper({ tasks: rows, lease }: { tasks: McpTaskRows; lease: TaskLease }) {
  const own = new Map<string, { userId: string; open: Open; state: McpTaskState; beat: NodeJS.Timeout }>();

  async function create({ id, userId, tool, args, capabilities, open }: NewTask): Promise<CallToolResult> {
    if ([...own.values()].filter((one) => one.userId === userId).length >= MAX_TASKS_OF_ONE) {
      open.stop.abort();
      throw new Failure("RESOURCE_EXHAUSTED", "Too many of your tasks are under way. Wait for some to end.");
    }
    const state: McpTaskState = {
      tool,
      arguments: args as JsonObject,
      status: "working",
      capabilities: capabilities as JsonObject,
      started: open.started,
    };
    await rows.addMcpTask({ id, userId, state }, lease, KEEP_MS);
    work(id, userId, state, open);
    const now = new Date().toISOString();
    const shown = { taskId: id, status: "working", createdAt: now, lastUpdatedAt: now };
    return { resultType: "task", ...shown, ttlMs: KEEP_MS, pollIntervalMs: POLL_MS, content: [] };
  }

  function work(id: string, userId: string, state: McpTaskState, open: Open): void {
    const beat = setInterval(() => void keepUp(id).catch(() => undefined), lease.leaseMs / 4);
    beat.unref();
    own.set(id, { userId, open, state, beat });
    void finish(id, open).catch(() => undefined); // The lease runs out, and somebody takes over.
  }

  /** Renews the lease, and passes on what other instances were told. */
  async function keepUp(id: string): Promise<void> {
    const mine = own.get(id);
    if (!mine) return;
    const task = await rows.getMcpTask(id);
    if (!task || !(await rows.saveMcpTask(id, current(mine), lease))) {
      stop(id);
      mine.open.stop.abort(RELEASED);
      return;
    }
    mine.open.give(task.answers, true);
    const isTooOld = Date.parse(task.updatedAt) - Date.parse(task.createdAt) > KEEP_MS;
    if (task.cancelled || isTooOld) mine.open.stop.abort();
  }

  function current({ open, state }: { open: Open; state: McpTaskState }): McpTaskState {
    const requests = open.requests() as unknown;
    const waits = isObject(requests) && Object.keys(requests).length > 0;
    const status = waits ? "input_required" : "working";
    return {
      ...state,
      status,
      started: open.started,
      ...(waits ? { requests: requests as JsonObject } : {}),
    };
  }

  async function finish(id: string, open: Open): Promise<void> {
    for (;;) {
      const step = await open.next().then(
        (next) => next,
        (thrown: unknown) => ({ thrown }),
      );
      const mine = own.get(id);
      if (!mine) return;
      if ("requests" in step) {
        const given = open.given();
        await rows.saveMcpTask(id, current(mine), lease);
        await given;
        continue;
      }
      stop(id);
      const cancelled = open.stop.signal.aborted || (await rows.getMcpTask(id))?.cancelled;
      const end = cancelled ? { status: "cancelled" as const } : ending(step);
      await rows.saveMcpTask(id, { ...mine.state, started: true, ...end }, lease);
      return;
    }
  }

  function stop(id: string): void {
    clearInterval(own.get(id)?.beat);
    own.delete(id);
  }

  /** Returns a task of this caller. Takes it over if no process works on it. */
  async function find(id: string, userId: string, restart: Restart): Promise<StoredMcpTask> {
    const task = await rows.getMcpTask(id);
    if (!task || task.userId !== userId)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such task.");
    const mine = own.get(id);
    if (mine) return { ...task, state: current(mine) };
    if (isOver(task) || !task.abandoned || !(await rows.claimMcpTask(id, lease))) return task;
    if (task.cancelled) return ended(task, { status: "cancelled" });
    const open = restart(task);
    if (!open) return ended(task, { status: "completed", result: INTERRUPTED });
    work(id, userId, task.state, open);
    return task;
  }

  async function ended(task: StoredMcpTask, end: Partial<McpTaskState>): Promise<StoredMcpTask> {
    const state = { ...task.state, ...end };
    await rows.saveMcpTask(task.id, state, lease);
    return { ...task, state };
  }

  return {
    create,
    /** What a client is shown of a task. */
    get: async (id: string, userId: string, restart: Restart) => shownTask(await find(id, userId, restart)),
    async update(id: string, userId: string, restart: Restart, answers: JsonObject): Promise<void> {
      const { state } = await find(id, userId, restart);
      const asked = Object.entries(answers).filter(([key]) => Object.hasOwn(state.requests ?? {}, key));
      const known = Object.fromEntries(asked);
      await rows.tellMcpTask(id, { answers: known });
      own.get(id)?.open.give(known, true);
    },
    async cancel(id: string, userId: string, restart: Restart): Promise<void> {
      const task = await find(id, userId, restart);
      if (isOver(task)) return;
      await rows.tellMcpTask(id, { cancel: true });
      own.get(id)?.open.stop.abort();
    },
    /** Hands the tasks of this process over to others. */
    async close(): Promise<void> {
      const open = [...own];
      for (const [id] of open) stop(id);
      await Promise.allSettled(
        open.map(([id, mine]) => rows.saveMcpTask(id, current(mine), { ...lease, leaseMs: -1 })),
      );
      for (const [, mine] of open) mine.open.stop.abort(RELEASED);
    },
  };
}

function isOver({ state: { status } }: StoredMcpTask): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function shownTask(task: StoredMcpTask) {
  const { id, state, answers, cancelled, createdAt, updatedAt } = task;
  const open = Object.entries(state.requests ?? {}).filter(([key]) => !Object.hasOwn(answers, key));
  const going = open.length > 0 ? "input_required" : "working";
  const status = isOver(task) ? state.status : cancelled ? "cancelled" : going;
  const { statusMessage, result, error } = state;
  return {
    taskId: id,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt,
    lastUpdatedAt: updatedAt,
    ttlMs: KEEP_MS,
    pollIntervalMs: POLL_MS,
    ...(status === "input_required" ? { inputRequests: Object.fromEntries(open) } : {}),
    ...(status === "completed" && result ? { result } : {}),
    ...(status === "failed" && error ? { error } : {}),
  };
}

/** What a tool reports is a result, even if it reports an error. Whatever else goes wrong is an error of the protocol. */
function ending(step: { result: CallToolResult } | { thrown: unknown }): Partial<McpTaskState> {
  if ("result" in step) return { status: "completed", result: step.result as JsonObject };
  const { thrown } = step;
  const known = thrown instanceof ProtocolError;
  const code = known ? thrown.code : ProtocolErrorCode.InternalError;
  return {
    status: "failed",
    error: { code, message: known ? thrown.message : toFailure(thrown).publicMessage },
  };
}

const INTERRUPTED: JsonObject = {
  isError: true,
  content: [
    {
      type: "text",
      text: "The server ended while the tool ran. It may have done its work in part or completely, so it was not run again. Check before you repeat the call.",
    },
  ],
};
