import { z } from "zod";
import { failureCode, toolError, usage } from "../../protocol/events.ts";

const object = z.record(z.string(), z.unknown());
export const run = z.number().int().positive();
/** Milliseconds since the start of the run. */
export const ms = z.number().min(0);
/** JSON cannot represent it. */
export const limit = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.POSITIVE_INFINITY);
/** Set if the person had stopped the run by then. */
export const cancelled = z.boolean().optional();
/** Set if the person had asked to be heard at once by then. */
export const interrupted = z.boolean().optional();

export const failure = z.object({
  code: failureCode,
  message: z.string(),
  retryable: z.boolean(),
  retryAfter: z.number().optional(),
  untrusted: z.boolean().optional(),
  details: object.optional(),
});

/** Vendor metadata of a part. It is not read here. */
const metadata = z.record(z.string(), z.json()).optional();
export const effect = z.enum(["none", "read", "write", "network"]);
export const trust = z.enum(["trusted", "untrusted"]);

const answerPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), messageId: z.string().optional(), metadata }),
  z.object({ type: z.literal("reasoning"), text: z.string(), metadata }),
  z.object({ type: z.literal("image"), mimeType: z.string(), metadata }),
  z.object({
    type: z.literal("tool_call"),
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
    metadata,
  }),
]);

const part = z.discriminatedUnion("type", [
  ...answerPart.options,
  z.object({
    type: z.literal("tool_result"),
    toolCallId: z.string(),
    toolName: z.string(),
    success: z.boolean(),
    output: z.string(),
    trust,
    effect: effect.optional(),
    origin: z.literal("workspace").optional(),
    labels: z.array(z.string()).optional(),
    error: toolError.optional(),
    fromClient: z.boolean().optional(),
  }),
]);

export const messages = z.array(
  z.object({
    id: z.string(),
    role: z.enum(["system", "user", "assistant"]),
    parts: z.array(part),
    model: z.string().optional(),
  }),
);

export const toolSpec = z.object({ name: z.string(), description: z.string(), parameters: object });
export const modelEvent = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["text_delta", "reasoning_delta"]), text: z.string() }),
  z.object({ type: z.literal("usage"), usage }),
  z.object({ type: z.literal("warning"), code: z.string(), message: z.string() }),
  z.object({
    type: z.literal("finish"),
    reason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
    rawReason: z.string().optional(),
    parts: z.array(answerPart),
  }),
  z.object({ type: z.literal("failure"), failure }),
]);

export const verdict = z.discriminatedUnion("action", [
  z.object({ action: z.literal("allow") }),
  z.object({ action: z.literal("deny"), reason: z.string() }),
  // The other fields of a verdict are kept as they are.
  z.looseObject({
    action: z.literal("ask"),
    reason: z.string(),
    risk: z.enum(["low", "medium", "high"]),
    remember: z.string().optional(),
  }),
]);
