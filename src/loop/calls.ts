import { readArguments } from "../protocol/call-arguments.ts";
import type { ChatEvent, EventOf } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { ImagePart, ToolCallPart, ToolResultPart } from "../protocol/messages.ts";
import { addUsage, type Usage } from "../protocol/model.ts";
import { PLAN_TOOL } from "../protocol/plan.ts";
import type { StepChange } from "../protocol/run-records.ts";
import { toolResultOf } from "../protocol/stored.ts";
import type { DelegatedTask, Tool, ToolContext } from "../protocol/tool.ts";
import { type Approved, approve, type StepCalls, setWaiting } from "./approve.ts";
import { type CallOutcome, failedResult, runCall, stopped } from "./call.ts";
import { type Delegating, delegateTo } from "./delegate.ts";
import { readApp } from "./keep-app.ts";
import { keepAndShorten } from "./long-results.ts";
import { askerOf } from "./questions.ts";
import type { Turn } from "./turn.ts";

/** Runs the calls of one step and returns their results in the order of the calls. A plan is decided on before the others. */
export async function runCalls(
  turn: Turn,
  calls: ToolCallPart[],
  allowed: number,
  known: Pick<StepCalls, "situation" | "plans">,
): Promise<ToolResultPart[]> {
  const planning = calls.filter(({ name }) => name === PLAN_TOOL);
  const others = calls.filter((call) => !planning.includes(call));
  const results = new Map<string, ToolResultPart>();
  for (const together of [planning, others]) {
    for (const result of await runTogether(turn, together, allowed, known))
      results.set(result.toolCallId, result);
  }
  return calls.flatMap(({ id }) => results.get(id) ?? []);
}

/** Runs calls in parallel, within the limit. Their approvals are asked for together, also those of calls that run alone. */
async function runTogether(
  turn: Turn,
  calls: ToolCallPart[],
  allowed: number,
  known: Pick<StepCalls, "situation" | "plans">,
): Promise<ToolResultPart[]> {
  const step: StepCalls = { ...known, onAlways: new Map(), waiting: 0 };
  const queue = calls.map((call, index) => {
    const turnToRun = Promise.withResolvers<void>();
    const result = runAndRecord(turn, call, index < allowed, step, turnToRun.promise);
    result.catch(() => undefined); // It may fail before it is awaited below.
    return { result, start: turnToRun.resolve, alone: findTool(turn, call.name)?.parallel === false };
  });
  const results = Promise.all(queue.map(({ result }) => result));
  results.catch(() => undefined);
  while (queue.length > 0) {
    const together = takeTogether(queue);
    await inParallel(together, turn.limits.parallelTools, async ({ start, result }) => {
      start();
      await result;
    });
  }
  return results;
}

/** Gives each of these calls a result without running it. */
export function refuseCalls(turn: Turn, calls: ToolCallPart[], failure: Failure): ToolResultPart[] {
  return calls.map((call) => {
    const finished = turn.log.steps.get(stepKey(call));
    if (finished?.state === "finished") return toolResultOf(finished);
    return record(turn, call, notRun(call, failure));
  });
}

/** Announces a call once its arguments are complete. */
export function announceCall(turn: Turn, call: ToolCallPart): void {
  const read = readArguments(call.arguments);
  turn.log.emit({
    type: "tool_call_start",
    toolCallId: call.id,
    toolName: call.name,
    arguments: read.ok ? read.value : call.arguments,
    textOffset: turn.log.state().text.length,
  });
}

/** Finds a tool of this turn by name or alias. Nothing else can be called. */
function findTool(turn: Turn, name: string): Tool | undefined {
  return turn.tools.find((tool) => tool.name === name || tool.aliases.includes(name));
}

/** Runs one call when it is its turn, and records it. What an earlier owner finished is not repeated. */
async function runAndRecord(
  turn: Turn,
  call: ToolCallPart,
  allowed: boolean,
  step: StepCalls,
  turnToRun: Promise<void>,
): Promise<ToolResultPart> {
  const before = turn.log.steps.get(stepKey(call));
  if (before?.state === "finished") {
    const result = toolResultOf(before);
    step.plans.ended(result, true);
    return result;
  }
  const tool = findTool(turn, call.name);
  const mayHaveRun = before?.state === "started" && tool?.retry === "unsafe";
  if (mayHaveRun || turn.signal.aborted || !allowed) {
    await turnToRun;
    if (mayHaveRun) return record(turn, call, notRun(call, outcomeUnknown(call.name)), true);
    return record(turn, call, notRun(call, turn.signal.aborted ? stopped() : tooManyCalls(turn)));
  }
  let started = before !== undefined;
  let keepApp = async (_turn: Turn, _outcome: CallOutcome) => {};
  const made: ChatEvent[] = [];
  const ownWords: string[] = [];
  const context: ToolContext & Approved = contextOf(turn, call, made, step, ownWords);
  const outcome = await runCall(call, {
    guard: turn.guard,
    find: (name) => findTool(turn, name),
    names: () => turn.tools.map(({ name }) => name),
    context,
    shorten: (text, tool) => keepAndShorten(turn, call, text, tool),
    now: turn.now,
    approve: async (guarded) => {
      Object.assign(context, await approve(turn, call, guarded, step, turnToRun));
      await turnToRun;
    },
    started: async () => {
      if (tool) keepApp = readApp(tool, context);
      if (started) return; // An earlier owner has announced it.
      started = true;
      turn.log.emit({ type: "tool_executing", toolCallId: call.id, toolName: call.name, ...appOf(tool) });
      turn.log.step(startOf(turn, call));
      step.plans.started(call);
      await turn.log.flush();
    },
  });
  await keepApp(turn, outcome);
  await turnToRun; // A call that was refused waits too, so that results come in order.
  countSpending(turn, context.spending?.usage, outcome.costUsd);
  const complete = await withWords(turn, await withImages(turn, call, outcome, made), ownWords);
  if (context.approvedPlan && complete.result.success) complete.result.plan = context.approvedPlan;
  step.plans.ended(complete.result, started);
  return record(turn, call, complete, started, made);
}

function appOf(tool: Tool | undefined): Pick<EventOf<"tool_executing">, "app"> {
  return tool?.app ? { app: { server: tool.app.server, resourceUri: tool.app.resourceUri } } : {};
}

const MOST_IMAGES = 8;

/** Stores the images of a result, because neither the journal nor the history holds bytes, and shows them to the person. */
async function withImages(
  turn: Turn,
  call: ToolCallPart,
  outcome: CallOutcome,
  made: ChatEvent[],
): Promise<CallOutcome> {
  const images: ImagePart[] = [];
  for (const { mimeType, base64 } of outcome.images?.slice(0, MOST_IMAGES) ?? []) {
    const { kept, shown } = await turn.keepImage({ type: "image", mimeType, data: base64 });
    if (kept.type === "image") images.push(kept);
    if (shown) made.push({ type: "image_complete", toolCallId: call.id, ...shown });
  }
  const lost = (outcome.images?.length ?? 0) - images.length;
  if (lost > 0) {
    const note = lost === 1 ? "An image could not be shown." : `${lost} images could not be shown.`;
    outcome.result.output += `\n[${note}]`;
  }
  return images.length === 0 ? outcome : { ...outcome, result: { ...outcome.result, images } };
}

/** Adds what the person wrote when the call asked them. The first layer looks at it as at any message of theirs. */
async function withWords(turn: Turn, outcome: CallOutcome, personTexts: string[]): Promise<CallOutcome> {
  if (personTexts.length === 0) return outcome;
  const labels = [...(outcome.result.labels ?? []), ...(await turn.guard.labels(personTexts.join("\n")))];
  const found = labels.length > 0 ? { labels } : {};
  return { ...outcome, result: { ...outcome.result, personTexts, ...found } };
}

/** Announces a result, followed by what the call made. */
function record(
  turn: Turn,
  call: ToolCallPart,
  outcome: CallOutcome,
  started = false,
  made: readonly ChatEvent[] = [],
): ToolResultPart {
  const { result, latencyMs, retryCount, cached, omitted } = outcome;
  const { success, output, error } = result;
  const id = { toolCallId: call.id, toolName: call.name };
  turn.log.emit({
    type: "tool_result",
    ...id,
    success,
    latencyMs,
    retryCount,
    cached,
    output,
    omitted,
    error,
  });
  for (const event of made) turn.log.emit(event);
  if (result.labels) {
    const message = `The result of ${call.name} holds text that reads like instructions. It is treated as data.`;
    turn.log.emit({ type: "warning", code: "SUSPICIOUS_RESULT", message });
  }
  if (!started) turn.log.step(startOf(turn, call));
  turn.log.step({ key: stepKey(call), state: "finished", result });
  return result;
}

/** Adds what a call spent to the run's total, however the call ended. Budgets are checked before the next step. */
function countSpending(turn: Turn, usage: Usage | undefined, costUsd = 0, ofChild = false): void {
  const asked = usage !== undefined && usage.inputTokens + usage.outputTokens > 0;
  if (!asked && costUsd === 0) return;
  const total: Usage = { inputTokens: 0, outputTokens: 0, ...turn.log.state().usage };
  addUsage(total, usage);
  if (ofChild) {
    total.children = { inputTokens: 0, outputTokens: 0, ...total.children };
    addUsage(total.children, usage);
  }
  if (costUsd > 0) total.costUsd = (total.costUsd ?? 0) + costUsd;
  turn.log.emit({ type: "usage", ...total });
}

function contextOf(
  turn: Turn,
  call: ToolCallPart,
  made: ChatEvent[],
  step: StepCalls,
  ownWords: string[],
): ToolContext {
  const timeLimit = { pause() {}, resume() {} };
  const delegating: Delegating = {
    call,
    situation: step.situation,
    timeLimit,
    setWaiting: (waiting) => setWaiting(turn, step, waiting),
    count: (usage) => countSpending(turn, usage, 0, true),
  };
  return {
    ...turn.contextFor(call),
    toolCallId: call.id,
    requestId: turn.requestId,
    idempotencyKey: idempotencyKey(turn, call),
    signal: turn.signal,
    attended: turn.attended,
    timeLimit,
    ask: askerOf(turn, {
      call,
      timeLimit,
      ownWords,
      setWaiting: (waiting) => setWaiting(turn, step, waiting),
    }),
    ...(turn.children ? { delegate: (task: DelegatedTask) => delegateTo(turn, delegating, task) } : {}),
    progress: (progress) => turn.log.emit({ type: "tool_progress", toolCallId: call.id, ...progress }),
    show(event) {
      // By type: people's own tools may leave out the id of the call.
      if (event.type === "reasoning_status" || event.type === "warning") turn.log.emit(event);
      else if (event.type === "todo") showTodo(turn, event);
      else if (event.type === "artifact_delta") turn.log.emit({ ...event, toolCallId: call.id });
      else made.push({ ...event, toolCallId: call.id });
    },
  };
}

/** Shows the model's list where it has changed. A call that a crash repeats changes nothing. */
function showTodo(turn: Turn, event: EventOf<"todo">): void {
  if (JSON.stringify(turn.log.state().todo) !== JSON.stringify(event.items)) turn.log.emit(event);
}

/** Takes the next calls that may run in parallel. A tool that must run alone waits for the others. */
function takeTogether<Entry extends { alone: boolean }>(queue: Entry[]): Entry[] {
  if (queue[0]?.alone) return queue.splice(0, 1);
  const next = queue.findIndex(({ alone }) => alone);
  return queue.splice(0, next === -1 ? queue.length : next);
}

async function inParallel<Entry>(
  entries: Entry[],
  limit: number,
  run: (entry: Entry) => Promise<void>,
): Promise<void> {
  const pending = [...entries];
  const worker = async () => {
    for (let entry = pending.shift(); entry !== undefined; entry = pending.shift()) await run(entry);
  };
  await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, worker));
}

function startOf(turn: Turn, call: ToolCallPart): StepChange {
  return { key: stepKey(call), state: "started", idempotencyKey: idempotencyKey(turn, call) };
}

function stepKey(call: ToolCallPart): string {
  return `tool:${call.id}`;
}

function idempotencyKey(turn: Turn, call: ToolCallPart): string {
  return `${turn.log.runId}:${call.id}`;
}

function notRun(call: ToolCallPart, failure: Failure): CallOutcome {
  return { result: failedResult(call, failure), latencyMs: 0, retryCount: 0, cached: false };
}

function tooManyCalls(turn: Turn): Failure {
  const { maxToolCalls } = turn.limits;
  return new Failure(
    "RESOURCE_EXHAUSTED",
    `This request may make ${maxToolCalls} tool calls and has made them. Answer with what is known so far.`,
  );
}

function outcomeUnknown(name: string): Failure {
  return new Failure(
    "TOOL_OUTCOME_UNKNOWN",
    `The server stopped while "${name}" was running, so it is not known whether it took effect. It was not repeated: check before trying again.`,
  );
}
