import { z } from "zod";
import type { StoredArtifact } from "../protocol/artifacts.ts";
import { contextChange, type DatedContext, type StoredContext } from "../protocol/context.ts";
import type { StoredItem } from "../protocol/conversations.ts";
import { artifactIssue, finishReason, usage } from "../protocol/events.ts";
import type { FeedbackSlice, StoredFeedback } from "../protocol/feedback.ts";
import type { StoredFile } from "../protocol/files.ts";
import type { Json } from "../protocol/json.ts";
import type { Activity, StoredError, ToolUsage, UsageSlice } from "../protocol/ledger.ts";
import { type StoredMcpTask, TASK_STATUSES } from "../protocol/mcp-tasks.ts";
import { modelParameters } from "../protocol/projects.ts";
import type { Approval, Run, RunInput, StepRecord } from "../protocol/run-records.ts";
import type { Session, StoredMessage } from "../protocol/sessions.ts";
import { type SharedCopy, type StoredShare, sharedCopy, shareFacts } from "../protocol/shares.ts";
import type { LimitVerdict } from "../protocol/store.ts";
import { anyJson, storedParts } from "../protocol/stored.ts";
import { storedRunState } from "../protocol/stored-run.ts";
import type { Change } from "../protocol/undo.ts";
import type { BreakerRow } from "./breaker-state.ts";
import { type MessageColumns, PACKED_FORMAT, unpackMessage } from "./packing.ts";
import { flag, json, mark, reader, text, time } from "./row-reader.ts";

// What both engines read from their tables. SQLite has numbers for times and flags, PostgreSQL has types of its own; both
// hand over JSON as text. A row with a `format` column says in which format it was written: 1, unless a later version
// changes the shape. That version raises the format here, writes it, and upgrades rows of older formats as it reads them.

export const toSession = reader<Session>(
  "Session",
  z.object({
    id: z.string(),
    userId: z.string(),
    title: z.string(),
    titledBy: z.enum(["model", "person"]).optional(),
    name: text,
    createdAt: time,
    updatedAt: time,
    headId: text,
    projectId: text,
    parameters: json(z.object(modelParameters.shape)).optional(),
    preview: text,
    pinned: mark,
    archived: mark,
    temporary: mark,
    compared: mark,
    activeRunId: text,
    waiting: mark,
  }),
);

const readMessage = reader<StoredMessage>(
  "Message",
  z.object({
    id: z.string(),
    sessionId: z.string(),
    role: z.enum(["system", "user", "assistant"]),
    parts: json(storedParts),
    createdAt: time,
    parentId: text,
    siblings: z
      .union([z.array(z.string()), json(z.array(z.string()))])
      .transform((ids) => (ids.length < 2 ? undefined : ids)),
    model: text,
    runId: text,
    state: json(storedRunState).optional(),
    finishReason: finishReason.optional(),
    usage: json(usage).optional(),
  }),
  PACKED_FORMAT,
);

/** Reads a message, whether or not it is packed. */
export function toMessage(row: MessageColumns): StoredMessage {
  return readMessage(unpackMessage(row));
}

/** `request` is parsed further by those who wrote it. */
export const toRun = reader<Run>(
  "Run",
  z.object({
    id: z.string(),
    sessionId: z.string(),
    userId: z.string(),
    messageId: z.string(),
    parentId: text,
    status: z.enum(["running", "waiting", "done", "error", "cancelled"]),
    owner: z.string(),
    epoch: z.number(),
    cancelRequested: flag,
    request: json(anyJson),
    createdAt: time,
    eventsCleared: mark,
  }),
);

/** `result` is parsed further by the loop, which knows what kind of step it is. */
export const toStep = reader<StepRecord>(
  "Step of a run",
  z.object({
    key: z.string(),
    idempotencyKey: z.string(),
    state: z.enum(["started", "finished"]),
    startedSeq: z.number(),
    result: json(anyJson).optional(),
  }),
);

export const toApproval = reader<Approval>(
  "Approval",
  z.object({
    runId: z.string(),
    toolCallId: z.string(),
    decision: z.enum(["once", "always", "deny"]),
    note: text,
    via: text,
    argumentsHash: z.string(),
  }),
);

export const toInput = reader<RunInput>(
  "Message to a run",
  z
    .object({
      messageId: z.string(),
      runId: z.string(),
      delivery: z.enum(["now", "after"]),
      interrupt: mark,
      state: z.enum(["waiting", "claimed", "taken", "withdrawn", "returned"]),
      parts: json(storedParts),
      createdAt: time,
    })
    .transform(({ delivery, ...input }) => ({ ...input, when: delivery })),
);

export const toArtifact = reader<StoredArtifact>(
  "Artifact",
  z.object({
    id: z.string(),
    sessionId: text,
    userId: z.string(),
    runId: text,
    version: z.number(),
    type: z.enum(["react", "html", "svg", "code", "mermaid", "markdown"]),
    title: z.string(),
    language: text,
    code: z.string(),
    issues: json(z.array(artifactIssue)),
    createdAt: time,
  }),
);

const contextRow = z.object({
  id: z.string(),
  sessionId: z.string(),
  messageId: z.string(),
  askedAfter: text,
  value: json(contextChange.omit({ messageId: true })),
});
const SHORTENED = "How a session is shortened";
const toContextRow = reader(SHORTENED, contextRow);
const toDatedContextRow = reader(SHORTENED, contextRow.extend({ at: time }));

export function toContext(row: unknown): StoredContext {
  const { value, ...context } = toContextRow(row);
  return { ...value, ...context };
}

export function toDatedContext(row: unknown): DatedContext {
  const { value, ...context } = toDatedContextRow(row);
  return { ...value, ...context };
}

const jsonObject = z.record(z.string(), anyJson);

/** What a client notes about a conversation. */
export const toMetadata = reader("Conversation", z.object({ metadata: json(jsonObject) }));

/** An item that a client has put into a conversation. */
export const toItem = reader<StoredItem>(
  "Item",
  z.object({ id: z.string(), item: json(jsonObject).optional(), at: time }),
);

/** `result`, `error` and the rest that clients see are theirs to read. */
export const toMcpTask = reader<StoredMcpTask>(
  "Task",
  z.object({
    id: z.string(),
    userId: z.string(),
    state: json(
      z.object({
        tool: z.string(),
        arguments: jsonObject,
        status: z.enum(TASK_STATUSES),
        statusMessage: z.string().optional(),
        capabilities: jsonObject,
        requests: jsonObject.optional(),
        started: z.boolean().optional(),
        result: jsonObject.optional(),
        error: jsonObject.optional(),
      }),
    ),
    answers: json(jsonObject),
    cancelled: flag,
    abandoned: flag,
    createdAt: time,
    updatedAt: time,
  }),
);

const share = {
  id: z.string(),
  userId: z.string(),
  sessionId: z.string(),
  headId: z.string(),
  facts: json(shareFacts),
  createdAt: time,
  copiedAt: time,
  expiresAt: time,
};
export const toShare = reader<StoredShare>("Link", z.object(share));
export const toSharedCopy = reader<StoredShare & { copy: SharedCopy }>(
  "Link",
  z.object({ ...share, copy: json(sharedCopy) }),
);

export const toFeedback = reader<StoredFeedback>(
  "Feedback",
  z.object({
    messageId: z.string(),
    userId: z.string(),
    model: z.string(),
    value: z.union([z.literal(1), z.literal(-1)]),
    note: text,
    at: time,
  }),
);

export const toFeedbackSlice = reader<FeedbackSlice>(
  "Feedback",
  z.object({ at: z.number(), model: z.string(), up: z.number(), down: z.number() }),
);

/** `data` is parsed further by the tool that wrote it. */
export const toChange = reader<Change>(
  "Change",
  z.object({
    id: z.number(),
    runId: text,
    toolCallId: z.string(),
    toolName: z.string(),
    summary: z.string(),
    reversible: flag,
    data: json(anyJson),
    at: time,
  }),
);

export const toFile = reader<StoredFile>(
  "File",
  z.object({
    id: z.string(),
    userId: z.string(),
    sessionId: text,
    name: z.string(),
    mimeType: z.string(),
    size: z.number(),
    pageCount: z.number().optional(),
    rowCount: z.number().optional(),
    createdAt: time,
  }),
);

const toSetting = reader<{ name: string; value: Json }>(
  "Setting",
  z.object({ name: z.string(), value: json(anyJson) }),
);

/** Reads the settings of one user. */
export function toSettings(rows: readonly unknown[]): Record<string, Json> {
  return Object.fromEntries(rows.map(toSetting).map(({ name, value }) => [name, value]));
}

/** Reads the settings of several users. */
export function toSettingsOfEach(
  rows: readonly { user_id: string; setting: unknown }[],
): Map<string, Record<string, Json>> {
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  return new Map([...byUser].map(([id, own]) => [id, toSettings(own.map(({ setting }) => setting))]));
}

export const toBreaker = reader<BreakerRow>(
  "Breaker",
  z.object({
    name: z.string(),
    failures: z.number(),
    coolsIn: z.number().optional(),
    probeEndsIn: z.number().optional(),
    probeToken: text,
    caller: text,
  }),
);

export const toVerdict = reader<Omit<LimitVerdict, "limit">>(
  "Limit",
  z.object({ allowed: flag, remaining: z.number(), resetAt: z.number(), retryAfter: z.number() }),
);

const amounts = { inputTokens: z.number(), outputTokens: z.number(), costUsd: z.number() };

export const toUsageSlice = reader<UsageSlice>(
  "Usage",
  z.object({ at: z.number(), model: z.string(), runs: z.number(), ...amounts }),
);

export const toActivity = reader<Activity>(
  "Usage",
  z.object({
    people: z.number(),
    calls: z.number(),
    failures: z.number(),
    running: z.number(),
    bytes: z.number(),
  }),
);

export const toStoredError = reader<StoredError>(
  "Error",
  z.object({ code: z.string(), source: z.string(), requestId: text, at: time }),
);

const toToolTimes = reader("Tool use", z.object({ tool: z.string(), p50: z.number(), p95: z.number() }));
const toToolCounts = reader(
  "Tool use",
  z.object({ tool: z.string(), calls: z.number(), failures: z.number(), cached: z.number(), ...amounts }),
);

/** Joins the counts of tools with the times of those that ran lately. */
export function toToolUsage(counts: readonly unknown[], times: readonly unknown[]): ToolUsage[] {
  const timed = new Map(times.map(toToolTimes).map((row) => [row.tool, row]));
  return counts.map(toToolCounts).map((row) => {
    const found = timed.get(row.tool);
    return { ...row, ...(found ? { p50Ms: found.p50, p95Ms: found.p95 } : {}) };
  });
}
