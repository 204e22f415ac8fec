import { z } from "zod";
import {
  artifactIssue,
  failureCode,
  finishReason,
  noticeEvent,
  reasoningStep,
  todoItem,
  toolError,
  usage,
} from "./events.ts";
import { Failure } from "./failure.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import type { AssistantPart, Part, ToolResultPart } from "./messages.ts";
import type { ModelFinishReason } from "./model.ts";
import type { Block, Notice, RunState, ToolCallState } from "./reduce.ts";
import type { StepRecord } from "./store.ts";

// Schemas of what is stored as JSON. They keep fields that they do not know, so a version can add optional ones. Any other
// change of a shape is a new format of its table, see `store/rows.ts`.

/** What the model said in one step. The journal keeps it, so the model is never asked twice for the same step. */
export interface ModelStepResult {
  reason: ModelFinishReason;
  parts: AssistantPart[];
}

/** What the person sent into the run before a step. */
export interface InputStepResult {
  messages: { messageId: string; parts: AssistantPart[] }[];
}

/** Anything that was parsed from JSON text. */
export const anyJson = z.custom<Json>(() => true);
const metadata = z.custom<JsonObject>(isObject, "must be an object").optional();
const text = z.string().optional();

const imagePart = z.looseObject({
  type: z.literal("image"),
  mimeType: z.string(),
  fileId: text,
  asideId: text,
  data: text,
  url: text,
  messageId: text,
  metadata,
});

const assistantPart = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("text"),
    text: z.string(),
    file: z
      .looseObject({ id: z.string(), name: z.string(), mimeType: z.string(), size: z.number() })
      .optional(),
    origin: z.literal("import").optional(),
    mode: z.enum(["artifact", "image"]).optional(),
    git: text,
    messageId: text,
    metadata,
  }),
  z.looseObject({ type: z.literal("reasoning"), text: z.string(), metadata }),
  imagePart,
  z.looseObject({
    type: z.literal("tool_call"),
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
    metadata,
  }),
]) satisfies z.ZodType<AssistantPart>;

const toolResult = z.looseObject({
  type: z.literal("tool_result"),
  toolCallId: z.string(),
  toolName: z.string(),
  success: z.boolean(),
  output: z.string(),
  trust: z.enum(["trusted", "untrusted"]),
  effect: z.enum(["none", "read", "write", "network"]).optional(),
  origin: z.literal("workspace").optional(),
  labels: z.array(z.string()).optional(),
  personTexts: z.array(z.string()).optional(),
  images: z.array(imagePart).optional(),
  error: toolError.optional(),
  fromClient: z.boolean().optional(),
}) satisfies z.ZodType<ToolResultPart>;

/** The parts of a message. */
export const storedParts: z.ZodType<Part[]> = z.array(
  z.discriminatedUnion("type", [...assistantPart.options, toolResult]),
);

const modelStepResult: z.ZodType<ModelStepResult> = z.looseObject({
  reason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
  parts: z.array(assistantPart),
});

const inputStepResult: z.ZodType<InputStepResult> = z.looseObject({
  messages: z.array(z.looseObject({ messageId: z.string(), parts: z.array(assistantPart) })),
});

const image = z.looseObject({
  imageUrl: text,
  imageData: text,
  mimeType: z.string(),
  storageSucceeded: z.boolean(),
  degradedMode: z.boolean(),
});

const toolCall: z.ZodType<ToolCallState> = z.looseObject({
  toolCallId: z.string(),
  toolName: z.string(),
  arguments: z.unknown(),
  textOffset: z.number(),
  status: z.enum(["pending", "waiting", "running", "succeeded", "failed"]),
  approval: z
    .looseObject({
      argumentsHash: z.string().default(""),
      reason: z.string(),
      risk: z.enum(["low", "medium", "high"]),
      preview: text,
      expiresAt: z.string(),
      always: z.looseObject({ tool: z.string(), operation: text, prefix: text }).optional(),
    })
    .optional(),
  decision: z.enum(["once", "always", "deny"]).optional(),
  question: z
    .looseObject({
      question: z.string(),
      options: z.array(z.string()).optional(),
      multiple: z.boolean().optional(),
      default: text,
      expiresAt: z.string(),
      number: z.number().optional(),
      answer: z.union([z.string(), z.array(z.string())]).optional(),
    })
    .optional(),
  childRunId: text,
  progress: z
    .looseObject({ message: z.string(), phase: text, percent: z.number().optional(), output: z.string() })
    .optional(),
  output: text,
  omitted: z.looseObject({ bytes: z.number(), lines: z.number() }).optional(),
  error: toolError.optional(),
  latencyMs: z.number().optional(),
  retryCount: z.number().optional(),
  cached: z.boolean().optional(),
  artifact: z
    .looseObject({
      artifactId: z.string(),
      code: z.string(),
      complete: z.boolean(),
      version: z.number().optional(),
      artifactType: z.enum(["react", "html", "svg", "code", "mermaid", "markdown"]).optional(),
      title: text,
      language: text,
      previewUrl: text,
      issues: z.array(artifactIssue),
    })
    .optional(),
  image: image.optional(),
  search: z
    .looseObject({
      query: z.string(),
      rewrittenQuery: text,
      provider: z.string(),
      sources: z.array(z.looseObject({ title: z.string(), url: z.string(), snippet: z.string() })),
      searchTimeMs: z.number(),
    })
    .optional(),
});

const block: z.ZodType<Block> = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({
    type: z.literal("reasoning"),
    reasoning: z.looseObject({
      text: z.string(),
      steps: z.array(reasoningStep),
      complete: z.boolean(),
      durationMs: z.number().optional(),
      reasoningTokens: z.number().optional(),
    }),
  }),
  z.looseObject({ type: z.literal("tool"), call: toolCall }),
]);

const notice: z.ZodType<Notice> = z.looseObject({
  at: z.number(),
  event: noticeEvent,
});

/** A list of names in a setting. */
export const storedNames = z.array(z.string());

/** A folded run, as a message keeps it. */
export const storedRunState: z.ZodType<RunState> = z.looseObject({
  sessionId: z.string(),
  runId: z.string(),
  messageId: z.string(),
  model: z.string(),
  title: z.string(),
  parentId: text,
  siblings: z.array(z.string()).optional(),
  blocks: z.array(block),
  text: z.string(),
  notices: z.array(notice).optional(),
  todo: z.array(todoItem).optional(),
  images: z.array(image).optional(),
  status: z.looseObject({ content: z.string(), source: z.string(), phase: text }).optional(),
  retry: z
    .looseObject({
      source: z.string(),
      attempt: z.number(),
      maxRetries: z.number(),
      retryAfterMs: z.number(),
      reason: z.string(),
    })
    .optional(),
  usage: usage.optional(),
  warnings: z.array(z.looseObject({ code: z.string(), message: z.string() })),
  error: z
    .looseObject({ error: z.string(), code: failureCode, requestId: z.string(), retryable: z.boolean() })
    .optional(),
  finishReason: finishReason.optional(),
  iterations: z.number(),
  toolCalls: z.number(),
});

/** Reads a stored value. Throws a `Failure` that says which one cannot be read, and why. */
export function readStored<Value>(schema: z.ZodType<Value>, value: unknown, what: string): Value {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [problem] = read.error.issues;
  const where = problem?.path.join(".") || "value";
  throw new Failure(
    "INTERNAL",
    `${what} cannot be read from the database (${where}: ${problem?.message}). Restore it from a backup, or delete it.`,
    { cause: read.error, retryable: false },
  );
}

/** Throws unless this version reads the format that a stored value has. */
export function checkFormat(found: number, newest: number, what: string): void {
  if (found <= newest) return;
  throw new Failure(
    "CONFLICT",
    `${what} was written by a newer version of Tackle (format ${found}, this one reads up to ${newest}). Update Tackle, or restore a backup that this version made.`,
  );
}

/** Returns what the model said in a finished step. */
export function modelResultOf(step: StepRecord): ModelStepResult {
  return readStored(modelStepResult, step.result, `Step ${step.key} of a run`);
}

/** Returns the messages that were sent into the run and that a finished step used. */
export function inputsOf(step: StepRecord): InputStepResult["messages"] {
  return readStored(inputStepResult, step.result, `Step ${step.key} of a run`).messages;
}

/** Returns the result of the call that a finished step made. */
export function toolResultOf(step: StepRecord): ToolResultPart {
  return readStored(toolResult, step.result, `Step ${step.key} of a run`);
}
