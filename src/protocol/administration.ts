import type { LimitOverrides, LimitsRequest } from "./accounts.ts";
import type { StoredError, ToolUsage, UsageQuery, UsageSlice } from "./ledger.ts";
import type { Principal } from "./principal.ts";
import type { BreakerRecord, LimitVerdict } from "./store.ts";

/** A run that is going on, without a word of what it is about. */
export interface GoingRun {
  id: string;
  userId: string;
  status: "running" | "waiting";
  model: string;
  /** ISO. */
  startedAt: string;
}

/** A call that waits for its person's decision; what it would do is between them and the model. */
export interface PendingApproval {
  runId: string;
  userId: string;
  toolName: string;
  risk: string;
  /** ISO. */
  expiresAt: string;
}

/** How things stand at this moment, on all instances. */
export interface Situation {
  runs: GoingRun[];
  approvals: PendingApproval[];
  breakers: BreakerRecord[];
  /** Sessions, messages, runs and bytes that are kept. */
  kept: { sessions: number; messages: number; runs: number; bytes: number };
}

export interface UsageReading {
  /** Epoch milliseconds, by the database's clock. */
  now: number;
  slices: UsageSlice[];
  tools: ToolUsage[];
}

/** What people see of their own use, and administrators of everybody's. */
export interface Administration {
  usage(question: UsageQuery): Promise<UsageReading>;
  situation(): Promise<Situation>;
  /** Newest first. */
  errors(limit: number): Promise<StoredError[]>;
  closeBreaker(name: string): Promise<void>;
  limitsOf(userId: string): Promise<LimitOverrides>;
  changeLimits(userId: string, limits: LimitsRequest["limits"]): Promise<LimitOverrides>;
  /** Dollars within the window of the limits. */
  spentBy(userId: string): Promise<number>;
  /** What somebody may spend within that window and has spent; nothing where nothing limits it. */
  budgetOf(principal: Pick<Principal, "id" | "kind">): Promise<{ usd: number; spentUsd: number } | undefined>;
  /** What is left of the limits of tools, by row; nothing where none apply. */
  toolLimits(principal: Pick<Principal, "id" | "kind">): Promise<Record<string, LimitVerdict>>;
}
