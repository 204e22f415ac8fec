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
import { shownPlan } from "./plan.ts";
import type { Block, Notice, RunState, ToolCallState } from "./reduce.ts";
import { text } from "./stored.ts";

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
      plan: shownPlan.optional(),
      expiresAt: z.string(),
      always: z.looseObject({ tool: z.string(), operation: text, prefix: text }).optional(),
    })
    .optional(),
  decision: z.enum(["once", "always", "deny"]).optional(),
  question: z
    .looseObject({
      question: z.string(),
      options: z.array(z.string()).optional(),
      optionDetails: z.array(z.string()).optional(),
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
