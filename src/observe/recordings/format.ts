import { z } from "zod";
import { chatEvent, usage } from "../../protocol/events.ts";
import { Failure } from "../../protocol/failure.ts";
import { REASONING_EFFORTS } from "../../protocol/model.ts";
import {
  cancelled,
  effect,
  failure,
  interrupted,
  limit,
  messages,
  modelEvent,
  ms,
  run,
  toolSpec,
  trust,
  verdict,
} from "./recorded-values.ts";

/** Raised if older versions could not read the file. */
export const RECORDING_VERSION = 1;

/** The first line of the file. */
export const headerLine = z.object({
  type: z.literal("recording"),
  version: z.number().int().positive(),
  program: z.string(),
  recordedAt: z.string(),
});

/** Everything that a turn was given, so that it can be replayed. */
const runLine = z.object({
  type: z.literal("run"),
  run,
  runId: z.string(),
  messageId: z.string(),
  startedAt: z.string(),
  model: z.object({ id: z.string(), info: z.looseObject({ name: z.string() }) }),
  system: z.string(),
  history: messages,
  tools: z.array(
    toolSpec.extend({
      aliases: z.array(z.string()),
      effect,
      trust,
      retry: z.enum(["pure", "idempotent", "unsafe"]),
      parallel: z.boolean(),
      shown: z.object({ characters: z.number(), head: z.number() }).optional(),
    }),
  ),
  clientTools: z.array(toolSpec.extend({ strict: z.boolean().optional() })),
  messageLabels: z.array(z.string()),
  toolChoice: z.union([z.enum(["auto", "none", "required"]), z.object({ tool: z.string() })]),
  reasoningEffort: z.enum(REASONING_EFFORTS).optional(),
  verbosity: z.enum(["low", "medium", "high"]).optional(),
  settings: z.looseObject({}).optional(),
  remembered: z.array(z.string()),
  limits: z.object({
    maxIterations: limit,
    maxToolCalls: limit,
    parallelTools: z.number(),
    maxTokens: limit,
    maxCostUsd: limit,
    costOf: z.string(),
    maxOutputCharacters: limit,
    maxRunMs: limit,
    maxRetries: limit,
    // Older recordings have none.
    maxContinuations: limit.default(0),
    approvalMs: limit,
  }),
});

/** Every other line says what happened in a run. */
export const line = z.discriminatedUnion("type", [
  runLine,
  /** What the model was sent beyond the history, and its tool choice. */
  z.object({
    type: z.literal("request"),
    run,
    ms,
    messages,
    toolChoice: runLine.shape.toolChoice.optional(),
  }),
  z.object({ type: z.literal("chunk"), run, ms, event: modelEvent, cancelled, interrupted }),
  /** The arguments of a call after the layers. */
  z.object({
    type: z.literal("check"),
    run,
    call: z.string(),
    arguments: z.unknown().optional(),
    failure: failure.optional(),
  }),
  z.object({ type: z.literal("verdict"), run, call: z.string(), verdict }),
  /** The person's decision. Null if there was none. */
  z.object({
    type: z.literal("decision"),
    run,
    ms,
    call: z.string(),
    decision: z
      .object({
        decision: z.enum(["once", "always", "deny"]),
        note: z.string().optional(),
        by: z.string().optional(),
      })
      .nullable(),
    cancelled,
    interrupted,
  }),
  z.object({
    type: z.literal("result"),
    run,
    ms,
    call: z.string(),
    output: z
      .object({
        output: z.string(),
        trust: trust.optional(),
        origin: z.literal("workspace").optional(),
        cached: z.boolean().optional(),
        retryCount: z.number().optional(),
        costUsd: z.number().optional(),
        usage: usage.optional(),
      })
      .optional(),
    /** The effect with these arguments. */
    effect: effect.optional(),
    labels: z.array(z.string()).optional(),
    failure: failure.optional(),
    cancelled,
    interrupted,
  }),
  /** A wait before a retry. */
  z.object({ type: z.literal("pause"), run, ms, cancelled, interrupted }),
  z.object({ type: z.literal("event"), run, ms, event: chatEvent }),
  z.object({
    type: z.literal("end"),
    run,
    ms,
    status: z.enum(["done", "error", "cancelled"]),
    finishReason: z.string(),
    iterations: z.number(),
  }),
]);

export type RecordedLine = z.output<typeof line>;
/** The same before parsing. */
export type WrittenLine = z.input<typeof line>;
export type LineOf<Type extends RecordedLine["type"]> = Extract<RecordedLine, { type: Type }>;
export type RecordedFailure = z.output<typeof failure>;

/** One run of a recording, its lines by kind and in order. */
export interface RecordedRun {
  start: LineOf<"run">;
  lines: RecordedLine[];
  end: LineOf<"end">;
}

export interface Recording {
  program: string;
  recordedAt: string;
  runs: RecordedRun[];
}

/** The lines of one kind. */
export function linesOf<Type extends RecordedLine["type"]>(
  { lines }: Pick<RecordedRun, "lines">,
  type: Type,
): LineOf<Type>[] {
  return lines.filter((one): one is LineOf<Type> => one.type === type);
}

/** Encodes a failure. */
export function toRecorded(thrown: Failure): RecordedFailure {
  const { code, publicMessage, retryable, retryAfter, untrusted, details } = thrown;
  return {
    code,
    message: publicMessage,
    retryable,
    retryAfter,
    ...(untrusted ? { untrusted } : {}),
    details,
  };
}

/** Decodes a failure. */
export function fromRecorded({ code, message: sentence, ...options }: RecordedFailure): Failure {
  return new Failure(code, sentence, options);
}
