import type { FailureCode } from "./failure.ts";
import type { Usage } from "./model.ts";

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

/** Something that happened to a run, or a question to a model, for whoever counts. Never says for whom. */
export type RunFact =
  /** `overheadMs`: what of its time was spent on neither a model, a tool nor a person. */
  | { type: "run_ended"; status: "done" | "error" | "cancelled"; overheadMs: number }
  /** Another process, or an earlier one, had left it. */
  | { type: "takeover" }
  | {
      type: "question";
      provider: string;
      outcome: "finished" | "failed" | "aborted";
      durationMs: number;
      /** Until the first thing was said; missing where nothing was. */
      firstMs?: number;
      usage?: Usage;
    };

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
