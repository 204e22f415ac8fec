import type { FailureCode } from "./failure.ts";
import type { Usage } from "./model.ts";

/** What a call that belongs to no run had models and services do. */
export interface DirectUsage {
  /** The call's id. */
  id: string;
  userId: string;
  keyId?: string;
  tool: string;
  /** The model that the tool asked, where it asked one. */
  model: string;
  usage: Usage;
}

/** One call of a tool, as it is counted. */
export interface ToolUse {
  userId: string;
  /** Missing where the person called it directly. */
  runId?: string;
  tool: string;
  outcome: "success" | FailureCode;
  durationMs: number;
  /** The answer was one from before. */
  cached: boolean;
  /** What the tool itself cost. */
  costUsd: number;
  /** What the model that it asked used, where it asked one. */
  model?: string;
  inputTokens: number;
  outputTokens: number;
  modelCostUsd: number;
}

/** Something that went wrong, without a word of what anybody said. */
export interface ErrorEntry {
  code: string;
  /** `tool:web_fetch`, `model:openai/gpt-4o`, `route:/chat`. */
  source: string;
  requestId?: string;
}

export interface StoredError extends ErrorEntry {
  /** ISO. */
  at: string;
}

/** What was used within a quarter of an hour, with one model. */
export interface UsageSlice {
  /** The quarter's beginning, epoch milliseconds. Every time zone's day begins with one. */
  at: number;
  /** Empty for what tools themselves cost. */
  model: string;
  /** Runs, and calls outside of any, that ended. */
  runs: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** What a tool did within the time that was asked for. */
export interface ToolUsage {
  tool: string;
  calls: number;
  failures: number;
  cached: number;
  inputTokens: number;
  outputTokens: number;
  /** With what the models cost that it asked. */
  costUsd: number;
  /** Of the latest calls that ran; missing where none did. */
  p50Ms?: number;
  p95Ms?: number;
}

/** Whose uses are meant, everybody's where nobody is named, and how far back. */
export interface UsageQuery {
  userId?: string;
  windowMs: number;
}

/** How long single uses of tools and errors are remembered. */
export const TOOL_USES_DAYS = 90;
export const ERRORS_DAYS = 14;
/** And how many errors at most. */
export const MOST_ERRORS = 5_000;
/** How many of the latest calls the times of tools are read from. */
export const TIMED_USES = 20_000;

/** What was used, what it cost and what went wrong: a part of the store. Times are the engine's own clock. */
export interface Ledger {
  /** What a run that is going on has cost so far. */
  recordSpending(runId: string, usd: number): Promise<void>;
  recordUsage(used: DirectUsage): Promise<void>;
  /** Dollars that a user has spent within the window, runs that are going on included. */
  spentWithin(userId: string, windowMs: number): Promise<number>;
  /** The same through an API key; ever, where no window is named. */
  spentByKey(keyId: string, windowMs?: number): Promise<number>;
  /** Oldest first. `now` is the engine's. */
  readUsage(question: UsageQuery): Promise<{ now: number; slices: UsageSlice[] }>;

  recordToolUses(uses: readonly ToolUse[]): Promise<void>;
  /** The most used first. */
  readToolUses(question: UsageQuery): Promise<ToolUsage[]>;

  recordErrors(errors: readonly ErrorEntry[]): Promise<void>;
  /** Newest first. */
  listErrors(limit: number): Promise<StoredError[]>;
}

/** Sums over some runs. */
export interface Amounts {
  runs: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** What was used, as `/me/usage` and `/admin/usage` answer it. */
export interface UsageReport {
  timeZone: string;
  total: Amounts;
  /** Each day of the time asked for, the oldest first, also those without anything. */
  days: ({ day: string } & Amounts)[];
  /** The most expensive first. Under the empty name stands what tools cost themselves. */
  models: ({ model: string } & Amounts)[];
  tools: ToolUsage[];
}
