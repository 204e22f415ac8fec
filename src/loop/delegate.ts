import type { ChatEvent, EventOf } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { Situation } from "../protocol/guard.ts";
import type { Part, ToolCallPart } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import { PLAN_TOOL } from "../protocol/plan.ts";
import { provenanceOf } from "../protocol/provenance.ts";
import {
  callsOf,
  emptyRun,
  findCall,
  type RunState,
  reduce,
  type ToolCallState,
} from "../protocol/reduce.ts";
import { nestedCallId } from "../protocol/run-request.ts";
import type { DelegatedTask, ToolOutput } from "../protocol/tool.ts";
import { timeLeft } from "./budget.ts";
import { inheritable, situationOf } from "./situation.ts";
import type { ChildLimits, Turn } from "./turn.ts";

export const DELEGATE_TOOL = "delegate";
/** What a child does not get, whatever its parent has. */
const NOT_FOR_CHILDREN = ["todo", "skill", PLAN_TOOL];
const THROUGH_CHILD = " (read by a child run)";
/** About 8,000 tokens. */
const MOST_CHARACTERS = 24_000;

export interface Delegating {
  call: ToolCallPart;
  situation: Situation;
  /** Called when the child starts to wait for the person, and when it stops. */
  setWaiting(waiting: boolean): void;
  /** The child has its own time limit. */
  timeLimit: { pause(): void; resume(): void };
  /** Adds what the child used to what this run used. */
  count(usage: Usage | undefined): void;
}

/**
 * Lets a child run work on a task, and returns what it found. What the child asks the person comes up in this run. A call that runs
 * again after a crash finds its child and waits for it again.
 */
export async function delegateTo(
  turn: Turn,
  delegating: Delegating,
  asked: DelegatedTask,
): Promise<ToolOutput> {
  const children = turn.children?.();
  const { call, situation, timeLimit } = delegating;
  if (!children) throw new Failure("TOOL_DENIED", "Delegating is not possible here.");
  timeLimit.pause();
  const child = {
    task: asked.task,
    model: asked.model,
    tools: toolsFor(turn, asked.tools),
    situation: inheritable(situation),
    limits: shareOf(turn),
  };
  const runId = await children.start(call.id, child);
  if (findCall(turn.log.state(), call.id)?.childRunId !== runId)
    turn.log.emit({ type: "child_run", toolCallId: call.id, runId, task: asked.task });
  let state = emptyRun();
  const mirror = mirrorOf(turn, delegating, runId, asked.task);
  try {
    await children.follow(runId, asked.signal, (event) => {
      state = reduce(state, event);
      mirror.take(event);
    });
    if (asked.signal.aborted) throw new Failure("CANCELLED", "It was stopped before it finished.");
  } catch (thrown) {
    await children.stop(runId);
    throw thrown;
  } finally {
    mirror.end();
  }
  delegating.count(state.usage);
  return resultOf(state, await children.partsOf(runId));
}

/** Returns the names of the tools that a child may use: never more than its parent. */
function toolsFor({ tools }: Turn, wanted: readonly string[] | undefined): string[] {
  const offered = tools.filter(({ name }) => !NOT_FOR_CHILDREN.includes(name));
  if (!wanted) return offered.map(({ name }) => name);
  return wanted.map((name) => {
    const found = offered.find((tool) => tool.name === name || tool.aliases.includes(name));
    if (found) return found.name;
    const names = offered.map((tool) => tool.name).join(", ") || "none";
    throw new Failure(
      "TOOL_INVALID_ARGUMENTS",
      `A child run cannot have the tool "${name.slice(0, 100)}". It can have: ${names}.`,
    );
  });
}

/** What is left of this run's limits, divided by the children that share it. */
function shareOf(turn: Turn): ChildLimits {
  const { limits, log } = turn;
  const state = log.state();
  const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = state.usage ?? {};
  const calls = callsOf(state);
  const open = calls.filter(
    ({ toolName, status }) => toolName === DELEGATE_TOOL && !isOver({ status }),
  ).length;
  const share = (left: number) => Math.max(0, left) / Math.max(1, open);
  return {
    maxTokens: Math.max(1, Math.floor(share(limits.maxTokens - inputTokens - outputTokens))),
    maxCostUsd: share(limits.maxCostUsd - costUsd),
    maxToolCalls: Math.floor(share(limits.maxToolCalls - calls.length)),
    maxIterations: limits.maxIterations,
    maxRunMs: Math.max(1, Math.floor(timeLeft(turn))),
    approvalMs: limits.approvalMs,
  };
}

/** Shows in this run what the child asks the person, and what became of it. */
function mirrorOf(turn: Turn, { call, setWaiting }: Delegating, runId: string, task: string) {
  const from = { runId, task: task.slice(0, 200) };
  const waiting = new Set<string>();
  const known = (id: string) => findCall(turn.log.state(), id);

  function wait(id: string, begins: boolean): void {
    const before = waiting.size > 0;
    if (begins) waiting.add(id);
    else waiting.delete(id);
    if (before !== waiting.size > 0) setWaiting(begins);
  }

  function asks(
    event: EventOf<"tool_approval_required"> | EventOf<"question_required">,
    source: ToolCallState,
  ): void {
    const id = nestedCallId(runId, event.toolCallId);
    const own = known(id);
    if (own && isOver(own)) return;
    if (!own) {
      const { toolName, arguments: args } = source;
      turn.log.emit({
        type: "tool_call_start",
        toolCallId: id,
        toolName,
        arguments: args,
        textOffset: turn.log.state().text.length,
      });
    }
    const isNew =
      event.type === "tool_approval_required"
        ? own?.approval?.argumentsHash !== event.argumentsHash
        : countQuestions(own) < countQuestions(source);
    wait(id, true);
    if (!isNew) return;
    const asker = event.from ?? from;
    if (event.type === "question_required") {
      turn.log.emit({ ...event, toolCallId: id, from: asker });
      return;
    }
    // A grandchild's question has said so already.
    const by = event.from ? "" : ` Asked by a child run that works on “${asker.task}”.`;
    turn.log.emit({ ...event, toolCallId: id, reason: `${event.reason}${by}`, from: asker });
  }

  let state = emptyRun();
  return {
    take(event: ChatEvent): void {
      state = reduce(state, event);
      switch (event.type) {
        case "tool_approval_required":
        case "question_required": {
          const source = findCall(state, event.toolCallId);
          if (source) asks(event, source);
          return;
        }
        case "tool_approval_decided":
        case "question_answered":
        case "tool_executing":
        case "tool_result": {
          const id = nestedCallId(runId, event.toolCallId);
          const own = known(id);
          if (!own || isOver(own)) return;
          wait(id, false);
          const source = findCall(state, event.toolCallId);
          if (isNews(event, own, source)) turn.log.emit({ ...event, toolCallId: id });
          return;
        }
        case "tool_call_start": {
          const message = `${event.toolName} …`;
          if (known(call.id)?.progress?.message !== message)
            turn.log.emit({ type: "tool_progress", toolCallId: call.id, message });
          return;
        }
        default:
      }
    },
    end(): void {
      for (const id of [...waiting]) wait(id, false);
    },
  };
}

/** False for what an earlier owner of this run has already shown. */
function isNews(event: ChatEvent, own: ToolCallState, source: ToolCallState | undefined): boolean {
  const { decision, question, status } = own;
  if (event.type === "tool_approval_decided") return decision === undefined;
  if (event.type === "question_answered")
    return question?.answer === undefined && countQuestions(own) === countQuestions(source);
  // A call that asks was running before it asked.
  if (event.type === "tool_executing" && question && question.answer === undefined) return false;
  return event.type === "tool_result" || status !== "running";
}

/** Returns how many questions a call has asked. */
function countQuestions(call: ToolCallState | undefined): number {
  return call?.question ? (call.question.number ?? 1) : 0;
}

/** What the child said last, with the error or limit that ended it. Its text is as trustworthy as what the child has read. */
function resultOf({ blocks, error, finishReason, warnings }: RunState, parts: Part[]): ToolOutput {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const said = (error || finishReason !== "stop" ? texts.join("\n\n") : (texts.at(-1) ?? "")).trim();
  const why =
    error?.error ??
    (finishReason === "stop" ? undefined : (warnings.at(-1)?.message ?? `it ended with ${finishReason}`));
  if (said === "" && why !== undefined)
    throw new Failure("TOOL_FAILED", `The child run found nothing: ${why}`);
  const found =
    said.length > MOST_CHARACTERS
      ? `${said.slice(0, MOST_CHARACTERS).toWellFormed()}\n[The rest is left out.]`
      : said;
  const { outside, workspace, privateReads, links = [] } = inheritable(situationOf([], parts));
  const labels = [
    ...new Set(parts.flatMap((part) => (part.type === "tool_result" ? (part.labels ?? []) : []))),
  ];
  // Marked, because the text of the result is the child's own words, not what these sources said.
  const sources = [...outside, ...workspace, ...privateReads].map((name) =>
    name.endsWith(THROUGH_CHILD) ? name : `${name}${THROUGH_CHILD}`,
  );
  return {
    output:
      why === undefined
        ? found
        : `${found}\n\n[The child run did not finish: ${why} This is what it had found.]`,
    ...(outside.length > 0
      ? { trust: "untrusted" }
      : workspace.length > 0
        ? { trust: "untrusted", origin: "workspace" }
        : {}),
    ...provenanceOf({
      ...(privateReads.length > 0 ? { effect: "read" } : {}),
      sources: [...new Set(sources)],
      links: [...links],
      labels,
    }),
  };
}

function isOver({ status }: Pick<ToolCallState, "status">): boolean {
  return status === "succeeded" || status === "failed";
}
