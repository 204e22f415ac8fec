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
  | {
      type: "run_ended";
      status: "done" | "error" | "cancelled";
      /** The time not spent on a model, a tool or a person. */
      overheadMs: number;
      durationMs: number;
      error?: string;
    }
  /** Taken over from another process. */
  | { type: "takeover" }
  | {
      type: "question";
      provider: string;
      operation: "chat" | "embeddings";
      /** OpenTelemetry's name for the vendor. */
      vendor: string;
      /** Missing where a person's own key is used. */
      model?: string;
      outcome: "finished" | "failed" | "aborted";
      /** The code of the failure. */
      error?: string;
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
