import { z } from "zod";
import { createGuard } from "../../guard/pipeline.ts";
import { policyFile } from "../../guard/policy.ts";
import { defineTool, type ToolDefinition } from "../../protocol/define-tool.ts";
import type { ChatEvent, ChatEventType, EventOf } from "../../protocol/events.ts";
import type { RunLog } from "../../protocol/journal.ts";
import { type AssistantPart, textMessage } from "../../protocol/messages.ts";
import type { Model, ModelEvent, ModelInfo, ModelRequest } from "../../protocol/model.ts";
import { emptyRun, reduce } from "../../protocol/reduce.ts";
import type { Approval, StepRecord } from "../../protocol/run-records.ts";
import type { Tool } from "../../protocol/tool.ts";
import { hashOf } from "../../runs/ids.ts";
import type { LoopLimits, Turn } from "../turn.ts";

/** What a scripted model does in one step: events, or code that emits them. */
export type Script =
  | ModelEvent[]
  | ((emit: (event: ModelEvent) => void, signal: AbortSignal) => Promise<void>);

/** A model that plays one script after the other, and records its requests. */
export function scriptedModel(scripts: Script[], info: Partial<ModelInfo> = {}) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    id: "test/scripted",
    info: { name: "scripted", ...info },
    async stream(request, emit, signal) {
      requests.push(structuredClone(request));
      const script = scripts[Math.min(requests.length, scripts.length) - 1] ?? [];
      if (typeof script === "function") return script(emit, signal);
      for (const event of script) emit(event);
    },
  };
  return { model, requests };
}

/** The script of a text answer. */
export function says(text: string, reason: "stop" | "length" | "content_filter" = "stop"): ModelEvent[] {
  return [
    { type: "text_delta", text },
    { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } },
    { type: "finish", reason, parts: [{ type: "text", text }] },
  ];
}

/** The script of an answer that calls tools. */
export function calls(...wanted: { id?: string; name: string; arguments: string }[]): ModelEvent[] {
  const parts: AssistantPart[] = wanted.map((call, index) => ({
    type: "tool_call",
    id: `call_${index + 1}`,
    ...call,
  }));
  return [
    { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } },
    { type: "finish", reason: "tool_calls", parts },
  ];
}

/** A journal that keeps everything in memory. */
export function memoryLog(events: ChatEvent[] = [], steps: StepRecord[] = []) {
  let state = emptyRun();
  const changes: { key: string; state: string; at: number }[] = [];
  const take = (event: ChatEvent) => {
    state = reduce(state, event);
  };
  for (const event of events) take(event);
  const log: RunLog = {
    runId: "run_1",
    emit(event) {
      events.push(event);
      take(event);
    },
    step: (change) => changes.push({ key: change.key, state: change.state, at: events.length }),
    status: () => {},
    flush: async () => {},
    state: () => state,
    steps: new Map(steps.map((step) => [step.key, step])),
    finish: async () => {},
  };
  return { log, events, changes };
}

const LIMITS: LoopLimits = {
  maxIterations: 10,
  maxToolCalls: 3,
  parallelTools: 4,
  maxTokens: 1_000_000,
  maxCostUsd: Number.POSITIVE_INFINITY,
  costOf: "one request",
  maxOutputCharacters: 100_000,
  maxRunMs: 60_000,
  maxRetries: 3,
  maxContinuations: 3,
  approvalMs: 60_000,
};

export interface TurnOptions {
  tools?: Tool[];
  limits?: Partial<LoopLimits>;
  signal?: AbortSignal;
  log?: ReturnType<typeof memoryLog>;
  policy?: unknown;
  /** The decision on a call. It is about the hash that was asked for unless it names another one. */
  decide?(toolCallId: string): Promise<(Pick<Approval, "decision"> & Partial<Approval>) | undefined>;
  change?: Partial<Turn>;
}

/** A turn over a scripted model, with real layers and a clock that moves only when something sleeps. */
export function turnOver(model: Model, options: TurnOptions = {}) {
  const { log, events, changes } = options.log ?? memoryLog();
  const slept: number[] = [];
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const turn: Turn = {
    model,
    log,
    guard: createGuard({
      policy: policyFile.parse(options.policy ?? {}),
      execution: { timeoutMs: 5_000, maxOutputCharacters: 1_000 },
    }),
    system: "Be helpful.",
    history: [textMessage("msg_1", "user", "Hello")],
    tools: options.tools ?? [],
    clientTools: [],
    messageLabels: [],
    toolChoice: "auto",
    cacheKey: "ses_1",
    limits: { ...LIMITS, ...options.limits },
    caller: "local",
    requestId: "req_1",
    signal: options.signal ?? new AbortController().signal,
    attended: true,
    contextFor: () => ({
      principal: { id: "local", kind: "owner" },
      sessionId: "ses_1",
      runId: "run_1",
      roots: [],
      now: () => new Date(clock),
    }),
    remembered: new Set(),
    remember: async () => {},
    awaitDecision: async (call) => {
      const decided = await options.decide?.(call.toolCallId);
      return decided && { runId: "run_1", ...call, ...decided };
    },
    hash: hashOf,
    withImages: async (messages) => messages,
    keepImage: async ({ mimeType }) => ({
      kept: { type: "image", mimeType, fileId: "file_1" },
      shown: { imageUrl: "/files/file_1", mimeType, storageSucceeded: true, degradedMode: false },
    }),
    keepResult: async () => true,
    now: () => clock,
    random: () => 0.5,
    sleep: async (ms) => {
      slept.push(ms);
      clock += ms;
    },
    ...options.change,
  };
  return { turn, events, changes, slept };
}

/** A tool for tests. By default it returns its input. */
export function tool(name: string, change: Partial<ToolDefinition<z.ZodObject>> = {}): Tool {
  return defineTool({
    name,
    description: `The tool ${name}.`,
    effect: "none",
    retry: "pure",
    input: z.object({ value: z.number().optional(), text: z.string().max(50).optional() }),
    run: (args) => JSON.stringify(args),
    ...change,
  });
}

/** The events of one type. */
export function ofType<Type extends ChatEventType>(events: ChatEvent[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}
