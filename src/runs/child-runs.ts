import type { ChildRuns } from "../loop/turn.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import { decodeEvent } from "../protocol/run-events.ts";
import type { Run } from "../protocol/run-records.ts";
import { type ChildFacts, nestedCall, parseRunRequest, type RunRequest } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import type { StartOptions } from "./open-run.ts";
import { readUntil } from "./read-until.ts";

const PAGE = 500;
const LONGEST_WAIT_MS = 2_000;

const INSTRUCTIONS =
  "You work on one task for another assistant. It sees only your last message, and you do not see its conversation. Do the task without asking for more than you need, and end with one message that holds everything you found, with names, paths and figures. Say plainly what you could not find out.";

/** How a run starts and stops other runs. */
export interface ChildStarter {
  start(principal: Principal, request: TurnRequest, options: StartOptions): Promise<{ runId: string }>;
  /** Stops a child, unless its parent has moved to another process. */
  stop(parent: Run, runId: string): Promise<void>;
}

/** The child runs of one run. */
export function childRunsOf(store: Store, starter: ChildStarter, run: Run, parent: RunRequest): ChildRuns {
  return {
    async start(callId, { task, tools, model, situation, limits }) {
      const child: ChildFacts = {
        parentRunId: run.id,
        parentCallId: callId,
        root: parent.child?.root ?? { id: run.id, sessionId: run.sessionId },
        depth: (parent.child?.depth ?? 0) + 1,
        situation,
        limits,
      };
      const { request } = parent;
      const asked: TurnRequest = {
        message: task,
        tools,
        model: model ?? request.model ?? parent.model,
        instructions: INSTRUCTIONS,
        attended: request.attended,
        reasoningEffort: request.reasoningEffort,
      };
      const { runId } = await starter.start({ ...parent.principal, id: run.userId }, asked, {
        child,
        // After a crash, the same call finds its child.
        idempotencyKey: `delegate:${run.id}:${callId}`,
        body: { task },
        told: {
          ...(parent.project ? { project: parent.project } : {}),
          memory: parent.memory,
        },
        ...(parent.workspace ? { workspaceOf: run.id } : {}),
        ...(parent.workspaceOf ? { workspaceOf: parent.workspaceOf } : {}),
      });
      return runId;
    },
    follow: (runId, signal, onEvent) => followToEnd(store, runId, signal, onEvent),
    stop: (runId) => starter.stop(run, runId),
    async partsOf(runId) {
      const child = await store.getRun(runId);
      return (child && (await store.getMessage(child.messageId)))?.parts ?? [];
    },
  };
}

/** Returns the run and the call that a decision is about: a child's, if the id is one that its root run shows. */
export async function calledIn(
  store: Store,
  runId: string,
  toolCallId: string,
): Promise<{ runId: string; toolCallId: string }> {
  const nested = nestedCall(toolCallId);
  if (!nested) return { runId, toolCallId };
  let ancestor = await store.getRun(nested.runId);
  while (ancestor && ancestor.id !== runId) {
    const { child } = parseRunRequest(ancestor);
    ancestor = child && (await store.getRun(child.parentRunId));
  }
  if (!ancestor) throw new Failure("NOT_FOUND", "There is no such call in this run.");
  return nested;
}

async function followToEnd(
  store: Store,
  runId: string,
  signal: AbortSignal,
  onEvent: Parameters<ChildRuns["follow"]>[2],
): Promise<void> {
  let after = 0;
  /** Returns true after the last event. */
  const readNew = async (): Promise<true | undefined> => {
    while (!signal.aborted) {
      const events = await store.readEvents(runId, after, PAGE);
      for (const { seq, json } of events) {
        after = seq;
        const event = decodeEvent(json, runId);
        onEvent(event);
        if (event.type === "done") return true;
      }
      if (events.length === 0) break;
    }
    if (!signal.aborted && !(await store.getRun(runId)))
      throw new Failure("TOOL_FAILED", "The child run was deleted.");
    return undefined;
  };
  await readUntil((wake) => store.watch(runId, wake), readNew, { signal, longestWaitMs: LONGEST_WAIT_MS });
}
