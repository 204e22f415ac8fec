import type { FailureCode } from "./failure.ts";

/** Something that the layers did, for whoever counts. Never says for whom. */
export type GuardFact =
  /** A call that ran. */
  | {
      type: "call";
      tool: string;
      outcome: "success" | FailureCode;
      durationMs: number;
      /** The answer was one from before. */
      cached?: boolean;
      costUsd?: number;
    }
  /** A call that a layer turned away before it ran. */
  | { type: "refusal"; tool: string; code: FailureCode }
  /** A row of the limits table was asked. */
  | { type: "limit"; row: string; allowed: boolean };

/** What one tool did since the process started. */
export interface ToolStatistics {
  tool: string;
  /** How often it ran. */
  calls: number;
  failures: Partial<Record<FailureCode, number>>;
  /** How many of the calls got an answer from before. */
  cached: number;
  /** What the calls cost together, as far as the tool knows. */
  costUsd: number;
  /** How often a layer turned a call away. */
  refusals: Partial<Record<FailureCode, number>>;
  /** Of the latest calls; missing before the first. */
  p50Ms?: number;
  p95Ms?: number;
}

/** The figures of the guard, for an administrator's page. */
export interface StatisticsSnapshot {
  tools: ToolStatistics[];
  limits: { row: string; allowed: number; refused: number }[];
}
