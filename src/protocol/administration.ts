import type { LimitOverrides, LimitsRequest } from "./accounts.ts";
import type { BreakerRecord } from "./breakers.ts";
import type { ModelListing } from "./chat.ts";
import type { Owned } from "./erasures.ts";
import type { FeedbackSlice, StoredFeedback } from "./feedback.ts";
import type { Activity, StoredError, ToolUsage, UsageQuery, UsageSlice } from "./ledger.ts";
import type { LimitedRole } from "./limits.ts";
import type { ModelOffer, ModelOffers } from "./model-offers.ts";
import type { Principal } from "./principal.ts";
import type { LimitVerdict } from "./store.ts";

/** An active run, without its content. */
export interface ActiveRun {
  id: string;
  userId: string;
  status: "running" | "waiting";
  model: string;
  /** ISO. */
  startedAt: string;
  /** What it waits for, if that is known. */
  waitsFor?: RunWait;
}

/** A run waits for a person's decision or answer, for a tool, or for its model. */
export interface RunWait {
  for: "decision" | "answer" | "tool" | "model";
  /** The tool that is called. */
  tool?: string;
}

/** A call that waits for an approval, without its arguments. */
export interface PendingApproval {
  runId: string;
  userId: string;
  toolName: string;
  risk: string;
  /** ISO. */
  expiresAt: string;
}

/** What people think of answers. */
export interface FeedbackReading {
  slices: FeedbackSlice[];
  /** The newest with a note. */
  notes: StoredFeedback[];
}

/** The limits of everybody who has no own ones. */
export interface ServerLimits {
  windowMinutes: number;
  /** By what is limited. A missing number stands for no limit. */
  rows: {
    name: string;
    guest?: number;
    account?: number;
    /** Who set each number. What the operator set is fixed. */
    from?: Record<LimitedRole, "default" | "operator" | "administrator">;
  }[];
}

/** The current state of all instances. */
export interface Situation {
  runs: ActiveRun[];
  approvals: PendingApproval[];
  breakers: BreakerRecord[];
  /** Stored sessions, messages, runs and bytes. */
  kept: { sessions: number; messages: number; runs: number; bytes: number };
}

/** What the list of people says about one of them. */
export interface PersonFacts {
  limits: LimitOverrides;
  models: ModelOffer;
  /** Dollars spent within the window of the limits. */
  spentUsd: number;
}

export interface UsageReading {
  /** Epoch milliseconds, by the database's clock. */
  now: number;
  slices: UsageSlice[];
  tools: ToolUsage[];
}

/** What people see of their own usage, and administrators of everyone's. */
export interface Administration {
  /** The feedback of this time, with the newest notes. */
  feedback(withinMs: number): Promise<FeedbackReading>;
  /** `toolsMs`: how far back uses of tools are read. */
  usage(question: UsageQuery & { toolsMs: number }): Promise<UsageReading>;
  /** Counts who and what was active: all in all, and from each start to the next. */
  activity(starts: readonly number[]): Promise<{ total: Activity; each: Activity[] }>;
  situation(): Promise<Situation>;
  /** Newest first. */
  errors(limit: number): Promise<StoredError[]>;
  closeBreaker(name: string): Promise<void>;
  /** Stops an answer of anybody. Throws NOT_FOUND. */
  stopRun(runId: string): Promise<void>;
  /** The server's own limits: what a guest and an account may use up within the window. */
  serverLimits(): Promise<ServerLimits>;
  /** Sets limits of all guests or accounts; null restores a default. Throws CONFLICT for one that the operator fixes. */
  changeRoleLimits(role: LimitedRole, limits: LimitsRequest["limits"]): Promise<LimitOverrides>;
  /** Who is offered which models. */
  offers: ModelOffers;
  /** All models of the server, including those that are not offered to everybody. */
  models(): Promise<ModelListing[]>;
  changeLimits(userId: string, limits: LimitsRequest["limits"]): Promise<LimitOverrides>;
  /** The limits, models and spending of several people at once. */
  describePeople(userIds: readonly string[]): Promise<Map<string, PersonFacts>>;
  /** Counts what is deleted with a person. */
  owned(userId: string): Promise<Owned>;
  /** What a user may spend and has spent within that window. Undefined if there is no limit. */
  budgetOf(principal: Pick<Principal, "id" | "kind">): Promise<{ usd: number; spentUsd: number } | undefined>;
  /** What is left of the tool limits, by row. Empty if none apply. */
  toolLimits(principal: Pick<Principal, "id" | "kind">): Promise<Record<string, LimitVerdict>>;
}
