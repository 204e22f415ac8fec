import { z } from "zod";
import { FAILURE_STATUS, type FailureCode } from "./failure.ts";
import { shownPlan } from "./plan.ts";
import { reasonSchema } from "./reason-schema.ts";

// Grammar of the names: noun_verb or noun_noun, snake_case. `…_delta` carries new text only, `…_start` and `…_complete`
// mark the beginning and end of a piece of work, a bare noun is a fact. No event repeats what an earlier one said, except
// the `…_complete` ones, which state the whole once.

/** Any JSON value. One schema, so that the API description can refer to it by a name. */
export const jsonValue = z.json();

export const failureCode = z.enum(Object.keys(FAILURE_STATUS) as [FailureCode, ...FailureCode[]]);
const choices = <Key extends "content" | "reasoning_content">(key: Key) =>
  z.tuple([
    z.object({ index: z.literal(0), delta: z.object({ [key]: z.string() } as Record<Key, z.ZodString>) }),
  ]);

export const reasoningPhase = z.enum(["research", "analysis", "solution", "custom"]);
export const statusPhase = z.enum(["analyzing", "planning", "implementing", "styling", "finalizing"]);
export const finishReason = z.enum([
  "stop",
  "length",
  "tool_limit",
  "iteration_limit",
  "cancelled",
  "error",
  "content_filter",
  "client_tools",
]);

export const reasoningStep = z.object({
  phase: reasoningPhase,
  title: z.string(),
  items: z.array(z.string()),
});
const toolCall = { toolCallId: z.string(), toolName: z.string() };
export const alwaysCovers = z.object({
  tool: z.string(),
  operation: z.string().optional(),
  /** How a command begins. Other files and words may follow, but no options that could do more. */
  prefix: z.string().optional(),
  /** The one command that is covered. `targets` says the same, with its folder. */
  command: z.string().optional(),
  /** What the call acts on, as `name: value`. Calls with other targets are not covered. */
  targets: z.array(z.string()).optional(),
});
export type AlwaysCovers = z.infer<typeof alwaysCovers>;
/** The child run that asks, if it is not this run itself. */
const from = z.object({ runId: z.string(), task: z.string() }).optional();
const source = z.object({
  title: z.string(),
  url: z.string(),
  snippet: z.string(),
  relevanceScore: z.number().optional(),
});
export const artifactIssue = z.object({
  severity: z.enum(["error", "warning", "fixed"]),
  message: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
});

const used = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number().optional(),
  cachedTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  costUsd: z.number().optional(),
  /** Part of it is an estimate: a stream broke off before the vendor had reported what it used. */
  estimated: z.boolean().optional(),
});
export const usage = used.extend({
  /** How many tokens of the context window the newest request and its answer take up, and how many there are. */
  contextTokens: z.number().optional(),
  contextWindow: z.number().optional(),
  /** The part of this that child runs used. */
  children: used.optional(),
});
export const todoItem = z.object({ text: z.string(), state: z.enum(["open", "doing", "done"]) });
export const toolError = z.object({
  code: failureCode,
  status: z.number(),
  message: z.string(),
  retryAfter: z.number().optional(),
});

/** What happened to the run itself, at its place between what was said and done. */
export const noticeEvent = z.discriminatedUnion("type", [
  z.object({
    /** A message that was sent into the run, where it took effect. */
    type: z.literal("user_message"),
    messageId: z.string(),
    text: z.string(),
    when: z.enum(["now", "after"]),
  }),
  z.object({
    type: z.literal("context_compacted"),
    /** How many messages the summary stands for. */
    messages: z.number(),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    reason: z.enum(["window", "overflow", "asked"]),
  }),
  z.object({ type: z.literal("run_continued"), reason: z.enum(["crash", "cut"]) }),
]);

export const chatEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("session"),
    sessionId: z.string(),
    runId: z.string(),
    messageId: z.string(),
    model: z.string(),
    title: z.string(),
    /** The message that this run answers. If it was answered before, `siblings` lists all answers, this one last. */
    parentId: z.string().optional(),
    siblings: z.array(z.string()).optional(),
    /** The lines that are remembered about the person and that the model is told, by their ids. */
    memory: z.array(z.string()).optional(),
  }),
  z.object({
    type: z.literal("content_delta"),
    choices: choices("content"),
    /** What the vendor's own tools did here, or how likely the tokens before it were. Only clients that speak its format can use it. */
    block: z.record(z.string(), jsonValue).optional(),
  }),
  z.object({
    type: z.literal("reasoning_delta"),
    choices: choices("reasoning_content"),
    /** What a client that keeps the history itself sends back with the reasoning: its signature, or all that is known of it. */
    signature: z.string().optional(),
    redacted: z.string().optional(),
  }),
  z.object({ type: z.literal("reasoning_step"), step: reasoningStep, stepIndex: z.number() }),
  z.object({
    type: z.literal("reasoning_status"),
    content: z.string(),
    source: z.string(),
    phase: statusPhase.optional(),
  }),
  z.object({
    type: z.literal("reasoning_complete"),
    reasoning: z.string(),
    steps: z.array(reasoningStep),
    reasoningTokens: z.number().optional(),
    durationMs: z.number(),
  }),
  z.object({
    type: z.literal("tool_call_start"),
    ...toolCall,
    arguments: z.unknown(),
    textOffset: z.number(),
  }),
  z.object({
    type: z.literal("tool_approval_required"),
    ...toolCall,
    /** As the tool will get them: parsed, with defaults filled in. */
    arguments: z.unknown(),
    /** Hash of these arguments and of the tool. A decision applies only to what has this hash. Empty in old journals. */
    argumentsHash: z.string().default(""),
    reason: z.string(),
    /** The reason as data, sentence by sentence, for clients that say it in another language. */
    because: z.array(reasonSchema).optional(),
    risk: z.enum(["low", "medium", "high"]),
    /** Set if text from outside may speak through the model. Only a person who sees the call may allow it. */
    outside: z.literal(true).optional(),
    preview: z.string().optional(),
    /** The plan that is to be approved. The decision may come with other `steps`. */
    plan: shownPlan.optional(),
    expiresAt: z.string(),
    /** What "always" would cover for the rest of this session. Missing if every call needs its own approval. */
    always: alwaysCovers.optional(),
    from,
  }),
  z.object({
    type: z.literal("tool_approval_decided"),
    toolCallId: z.string(),
    decision: z.enum(["once", "always", "deny"]),
    /** Who decided: a person's id. Missing if nobody did before the deadline. */
    by: z.string().optional(),
  }),
  z.object({
    type: z.literal("question_required"),
    toolCallId: z.string(),
    question: z.string(),
    options: z.array(z.string()).optional(),
    /** A second line for each option, in their order. It may be empty. */
    optionDetails: z.array(z.string()).optional(),
    /** Several options may be chosen. */
    multiple: z.boolean().optional(),
    /** The answer if nobody gives one before `expiresAt`. */
    default: z.string().optional(),
    expiresAt: z.string(),
    from,
  }),
  z.object({
    type: z.literal("question_answered"),
    toolCallId: z.string(),
    answer: z.union([z.string(), z.array(z.string())]),
    by: z.string().optional(),
  }),
  z.object({
    type: z.literal("tool_executing"),
    ...toolCall,
    /** The tool has its own interface, which `/runs/:id/apps/:toolCallId` describes. */
    app: z.object({ server: z.string(), resourceUri: z.string() }).optional(),
  }),
  z.object({
    type: z.literal("tool_progress"),
    toolCallId: z.string(),
    message: z.string(),
    phase: z.string().optional(),
    percent: z.number().optional(),
    chunk: z.string().optional(),
  }),
  z.object({
    type: z.literal("tool_result"),
    ...toolCall,
    success: z.boolean(),
    latencyMs: z.number(),
    retryCount: z.number(),
    cached: z.boolean(),
    output: z.string(),
    /** What is left out of `output`. The whole is at `/runs/:id/results/:toolCallId`. */
    omitted: z.object({ bytes: z.number(), lines: z.number() }).optional(),
    error: toolError.optional(),
  }),
  z.object({
    type: z.literal("artifact_delta"),
    toolCallId: z.string(),
    artifactId: z.string(),
    delta: z.string(),
  }),
  z.object({
    type: z.literal("artifact_complete"),
    toolCallId: z.string(),
    artifactId: z.string(),
    version: z.number(),
    artifactType: z.enum(["react", "html", "svg", "code", "mermaid", "markdown"]),
    artifactTitle: z.string(),
    artifactCode: z.string(),
    language: z.string().optional(),
    previewUrl: z.string(),
    issues: z.array(artifactIssue),
  }),
  z.object({
    type: z.literal("image_complete"),
    toolCallId: z.string(),
    imageUrl: z.string().optional(),
    imageData: z.string().optional(),
    mimeType: z.string(),
    storageSucceeded: z.boolean(),
    degradedMode: z.boolean(),
  }),
  z.object({
    type: z.literal("web_search"),
    toolCallId: z.string(),
    data: z.object({
      query: z.string(),
      rewrittenQuery: z.string().optional(),
      provider: z.string(),
      sources: z.array(source),
      searchTimeMs: z.number(),
    }),
  }),
  z.object({
    type: z.literal("retry_status"),
    source: z.string(),
    attempt: z.number(),
    maxRetries: z.number(),
    retryAfterMs: z.number(),
    reason: z.string(),
  }),
  ...noticeEvent.options,
  z.object({ type: z.literal("todo"), items: z.array(todoItem) }),
  z.object({
    /** A child run began. Its own events are at `/runs/:id/events`. */
    type: z.literal("child_run"),
    toolCallId: z.string(),
    runId: z.string(),
    task: z.string(),
  }),
  z.object({ type: z.literal("title"), title: z.string() }),
  usage.extend({ type: z.literal("usage") }),
  z.object({ type: z.literal("warning"), code: z.string(), message: z.string() }),
  z.object({
    type: z.literal("error"),
    error: z.string(),
    code: failureCode,
    requestId: z.string(),
    retryable: z.boolean(),
    retryAfter: z.number().optional(),
    /** The HTTP status of the vendor, if the vendor refused the request. */
    upstreamStatus: z.number().optional(),
    /** Why the vendor refused, where that is known. */
    cause: z.string().optional(),
    /** How long the vendor had been answering when its answer broke off. */
    brokeOffAfterMs: z.number().optional(),
  }),
  z.object({
    type: z.literal("done"),
    finishReason,
    /** The stop text at which the answer ended. */
    stopSequence: z.string().optional(),
    /** The vendor's own term, where it says more than `finishReason`. */
    rawReason: z.string().optional(),
    messageId: z.string(),
    iterations: z.number(),
    toolCalls: z.number(),
  }),
]);

export type ChatEvent = z.infer<typeof chatEvent>;
export type ChatEventType = ChatEvent["type"];
export type EventOf<Type extends ChatEventType> = Extract<ChatEvent, { type: Type }>;
export type FinishReason = z.infer<typeof finishReason>;
export type ReasoningStep = z.infer<typeof reasoningStep>;
export type Source = z.infer<typeof source>;
export type NoticeEvent = z.infer<typeof noticeEvent>;
export type TodoItem = z.infer<typeof todoItem>;
export type ArtifactIssue = z.infer<typeof artifactIssue>;

/** An event with its position in the run: `seq` counts from 1 without gaps. */
export interface LoggedEvent {
  seq: number;
  event: ChatEvent;
}
