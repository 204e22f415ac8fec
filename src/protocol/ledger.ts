import type { FailureCode } from "./failure.ts";
import type { Usage } from "./model.ts";

/** The usage of a call that belongs to no run. */
export interface DirectUsage {
  /** The call's id. */
  id: string;
  userId: string;
  keyId?: string;
  tool: string;
  /** The model that the tool asked; empty if none. */
  model: string;
  usage: Usage;
}

/** One call of a tool. */
export interface ToolUse {
  userId: string;
  /** Missing if the person called it directly. */
  runId?: string;
  tool: string;
  outcome: "success" | FailureCode;
  durationMs: number;
  /** The result came from the cache. */
  cached: boolean;
  /** The cost of the tool itself. */
  costUsd: number;
  /** The model that it asked, if any, and what that used. */
  model?: string;
  inputTokens: number;
  outputTokens: number;
  modelCostUsd: number;
}

/** An error, without anything that a person or a model said. */
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

/** The usage of one model within a quarter of an hour. */
export interface UsageSlice {
  /** Start of the quarter hour, in epoch milliseconds. In every time zone a day starts with one. */
  at: number;
  /** Empty for the cost of tools. */
  model: string;
  /** Finished runs, and calls outside of runs. Titles are no question of anybody's. */
  runs: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** The calls of one tool within a window. */
export interface ToolUsage {
  tool: string;
  calls: number;
  failures: number;
  cached: number;
  inputTokens: number;
  outputTokens: number;
  /** Includes the models that it asked. */
  costUsd: number;
  /** Of the latest calls that ran; missing if none did. */
  p50Ms?: number;
  p95Ms?: number;
}

/** Whose usage to read, everybody's by default, and how far back. */
export interface UsageQuery {
  userId?: string;
  windowMs: number;
}

/** Who and what was active within a span of time. */
export interface Activity {
  /** People with a finished run or a direct call. */
  people: number;
  /** Calls of tools, and how many of them failed. */
  calls: number;
  failures: number;
  /** The most active runs at once, as far as it was noted. */
  running: number;
  /** Bytes stored at the end of the span: the database and files. */
  bytes: number;
}

/** How long uses of tools and errors are kept. */
export const TOOL_USES_DAYS = 90;
export const ERRORS_DAYS = 90;
/** How many errors are kept at most. */
export const MOST_ERRORS = 5_000;
/** How long hourly samples are kept. */
export const SAMPLES_DAYS = 400;
/** How many of the latest calls are read for the times of tools. */
export const TIMED_USES = 20_000;

/** Usage, spending and errors: a part of the store. Times are of the engine's clock. */
export interface Ledger {
  /** Records what an active run has cost so far. */
  recordSpending(runId: string, usd: number): Promise<void>;
  recordUsage(used: DirectUsage): Promise<void>;
  /** Returns the dollars that a user has spent within the window, including active runs. */
  spentWithin(userId: string, windowMs: number): Promise<number>;
  /** The same for several users at once. */
  spentByEach(userIds: readonly string[], windowMs: number): Promise<Map<string, number>>;
  /** The same for an API key; without a window, ever. */
  spentByKey(keyId: string, windowMs?: number): Promise<number>;
  /** Oldest first. `now` is of the engine's clock. */
  readUsage(question: UsageQuery): Promise<{ now: number; slices: UsageSlice[] }>;

  recordToolUses(uses: readonly ToolUse[]): Promise<void>;
  /** The most used first. */
  readToolUses(question: UsageQuery): Promise<ToolUsage[]>;

  /** Notes how many runs are active, and once an hour how much is stored. Older samples than SAMPLES_DAYS are deleted. */
  recordSample(): Promise<void>;
  /** Counts the activity from each start, in epoch milliseconds and ascending, up to the next; from the last up to now. */
  countActivity(starts: readonly number[]): Promise<Activity[]>;

  recordErrors(errors: readonly ErrorEntry[]): Promise<void>;
  /** Newest first. */
  listErrors(limit: number): Promise<StoredError[]>;
}

/** Totals over runs. */
export interface Amounts {
  runs: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** The usage that `/me/usage` and `/admin/usage` return. */
export interface UsageReport {
  timeZone: string;
  total: Amounts;
  /** Every day of the window, oldest first, also those without usage. Empty if the report is by hour. */
  days: ({ day: string } & Amounts)[];
  /** Every hour instead, with its start. */
  hours?: ({ at: string } & Amounts)[];
  /** Most expensive first. The empty name is the cost of tools. */
  models: ({ model: string } & Amounts)[];
  tools: ToolUsage[];
  /** Of the whole server: all in all, and for each of the days or hours. */
  activity?: { total: Activity; each: Activity[] };
}
