import { z } from "zod";
import { toolError } from "./events.ts";
import { Failure } from "./failure.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import type { AssistantPart, Part, ToolResultPart } from "./messages.ts";
import type { ModelFinishReason } from "./model.ts";
import { shownPlan } from "./plan.ts";
import type { StepRecord } from "./run-records.ts";

// Schemas of what is stored as JSON. They keep fields that they do not know, so a version can add optional ones. Any other
// change of a shape is a new format of its table, see `store/rows.ts`.

/** How an answer ended, where that says more than its finish reason. */
export interface Ending {
  /** The vendor's own term. */
  rawReason?: string | undefined;
  /** The stop text at which it ended. */
  stopSequence?: string | undefined;
}

/** What the model said in one step. The journal keeps it, so the model is never asked twice for the same step. */
export interface ModelStepResult extends Ending {
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
export const text = z.string().optional();

const imagePart = z.looseObject({
  type: z.literal("image"),
  mimeType: z.string(),
  fileId: text,
  asideId: text,
  data: text,
  url: text,
  detail: z.enum(["low", "high", "original"]).optional(),
  messageId: text,
  metadata,
});

const assistantPart = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("text"),
    text: z.string(),
    file: z
      .looseObject({
        id: z.string(),
        name: z.string(),
        mimeType: z.string(),
        size: z.number(),
        pageCount: z.number().optional(),
        rowCount: z.number().optional(),
      })
      .optional(),
    origin: z.literal("import").optional(),
    mode: z.enum(["artifact", "image"]).optional(),
    git: text,
    app: text,
    apps: z.array(z.looseObject({ server: z.string(), text: z.string() })).optional(),
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
  sources: z.array(z.string()).optional(),
  private: z.boolean().optional(),
  links: z.array(z.string()).optional(),
  labels: z.array(z.string()).optional(),
  personTexts: z.array(z.string()).optional(),
  plan: shownPlan.optional(),
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
  rawReason: z.string().optional(),
  stopSequence: z.string().optional(),
  parts: z.array(assistantPart),
});

const inputStepResult: z.ZodType<InputStepResult> = z.looseObject({
  messages: z.array(z.looseObject({ messageId: z.string(), parts: z.array(assistantPart) })),
});

/** A list of names in a setting. */
export const storedNames = z.array(z.string());

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
