import type { FailureCode } from "./failure.ts";
import type { Usage } from "./model.ts";

/** Something that the layers did, for metrics. It never names a user. */
export type GuardFact =
  /** A call that ran. */
  | {
      type: "call";
      tool: string;
      outcome: "success" | FailureCode;
      durationMs: number;
      /** The result came from the cache. */
      cached?: boolean;
      costUsd?: number;
    }
  /** A call that a layer refused. */
  | { type: "refusal"; tool: string; code: FailureCode }
  /** A limit was checked. */
  | { type: "limit"; row: string; allowed: boolean };

/** Something that happened in a run or a model request, for metrics. It never names a user. */
export type RunFact =
  /** `overheadMs`: the time not spent on a model, a tool or a person. */
  | { type: "run_ended"; status: "done" | "error" | "cancelled"; overheadMs: number }
  /** Taken over from another process. */
  | { type: "takeover" }
  | {
      type: "question";
      provider: string;
      outcome: "finished" | "failed" | "aborted";
      durationMs: number;
      /** Time to the first token. Missing if there was none. */
      firstMs?: number;
      usage?: Usage;
    };

/** What one tool has done since the process started. */
export interface ToolStatistics {
  tool: string;
  /** How often it ran. */
  calls: number;
  failures: Partial<Record<FailureCode, number>>;
  /** How many results came from the cache. */
  cached: number;
  /** The total cost of the calls, as far as the tool knows. */
  costUsd: number;
  /** How often a layer refused a call. */
  refusals: Partial<Record<FailureCode, number>>;
  /** Of the latest calls. Missing before the first one. */
  p50Ms?: number;
  p95Ms?: number;
}

/** The guard's statistics, for administrators. */
export interface StatisticsSnapshot {
  tools: ToolStatistics[];
  limits: { row: string; allowed: number; refused: number }[];
}
