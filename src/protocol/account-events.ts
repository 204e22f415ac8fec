import { z } from "zod";
import { finishReason } from "./events.ts";
import { modelParameters } from "./projects.ts";

const session = { sessionId: z.string() };
const run = { ...session, runId: z.string() };
const call = { ...run, toolCallId: z.string() };

/** What happens in the sessions of one account. Events that a run has too have the same names and fields. */
export const accountEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("session_created"), ...session, title: z.string() }),
  z.object({ type: z.literal("session_renamed"), ...session, title: z.string() }),
  /** A model has written the title. */
  z.object({ type: z.literal("title"), ...session, title: z.string() }),
  /** With `archived`, the session was moved to the archive or back. `parameters` are how it is answered from now on. */
  z.object({
    type: z.literal("session_pinned"),
    ...session,
    pinned: z.boolean(),
    archived: z.boolean().optional(),
    parameters: z.object(modelParameters.shape).optional(),
  }),
  z.object({ type: z.literal("session_deleted"), ...session }),
  /** What was written in a conversation and not sent has changed. Nothing is told about the draft of a new chat. */
  z.object({ type: z.literal("draft_changed"), ...session }),
  /** A project or its files were changed, or it was shared with the account, or is not shared any more, or was deleted. */
  z.object({ type: z.literal("project_changed"), projectId: z.string() }),
  /** What is remembered about the person was changed. */
  z.object({ type: z.literal("memory_changed") }),
  /** The person's settings or keys were changed. */
  z.object({ type: z.literal("settings_changed") }),
  z.object({ type: z.literal("run_started"), ...run, messageId: z.string() }),
  z.object({ type: z.literal("run_ended"), ...run, messageId: z.string(), finishReason }),
  z.object({
    type: z.literal("tool_approval_required"),
    ...call,
    toolName: z.string(),
    reason: z.string(),
    risk: z.enum(["low", "medium", "high"]),
    argumentsHash: z.string(),
    expiresAt: z.string(),
  }),
  z.object({
    type: z.literal("tool_approval_decided"),
    ...call,
    decision: z.enum(["once", "always", "deny"]),
    by: z.string().optional(),
  }),
  z.object({
    type: z.literal("question_required"),
    ...call,
    question: z.string(),
    options: z.array(z.string()).optional(),
    multiple: z.boolean().optional(),
    default: z.string().optional(),
    expiresAt: z.string(),
  }),
  z.object({
    type: z.literal("question_answered"),
    ...call,
    answer: z.union([z.string(), z.array(z.string())]),
    by: z.string().optional(),
  }),
  /** Everything up to now was sent. What follows is live. */
  z.object({ type: z.literal("ready") }),
  /** Events between the last one that you have and this one are gone. Load your sessions again. */
  z.object({ type: z.literal("reload") }),
]);

export type AccountEvent = z.infer<typeof accountEvent>;

/** An event of an account with its number, from which a client can continue later. */
export interface AccountFeedEvent {
  id: number;
  event: AccountEvent;
}
