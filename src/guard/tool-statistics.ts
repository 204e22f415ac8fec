import type { FailureCode } from "../protocol/failure.ts";
import type { GuardFact, StatisticsSnapshot, ToolStatistics } from "../protocol/statistics.ts";

export interface Statistics {
  note(fact: GuardFact): void;
  snapshot(): StatisticsSnapshot;
  /** Calls the listener for each fact. Returns a function that stops it. */
  subscribe(listener: (fact: GuardFact) => void): () => void;
}

interface Counted {
  calls: number;
  cached: number;
  costUsd: number;
  failures: Map<FailureCode, number>;
  refusals: Map<FailureCode, number>;
  /** The latest durations, as a ring buffer. */
  durations: number[];
}

const LATEST = 1_000;
/** People's own tools and MCP servers can bring any number of names. */
const MAX_TOOLS = 1_000;
const OTHERS = "(others)";

/** Creates statistics per tool since the process started. They do not say who called it. */
export function createStatistics(): Statistics {
  const tools = new Map<string, Counted>();
  const limits = new Map<string, { allowed: number; refused: number }>();
  const listeners = new Set<(fact: GuardFact) => void>();

  function boundedName(name: string): string {
    return tools.has(name) || tools.size < MAX_TOOLS ? name : OTHERS;
  }

  function toolOf(name: string): Counted {
    const none = { calls: 0, cached: 0, costUsd: 0, failures: new Map(), refusals: new Map(), durations: [] };
    const tool = tools.get(name) ?? none;
    tools.set(name, tool);
    return tool;
  }

  function count(fact: GuardFact): void {
    if (fact.type === "limit") {
      const row = limits.get(fact.row) ?? { allowed: 0, refused: 0 };
      row[fact.allowed ? "allowed" : "refused"] += 1;
      limits.set(fact.row, row);
      return;
    }
    const tool = toolOf(fact.tool);
    if (fact.type === "refusal") {
      increase(tool.refusals, fact.code);
      return;
    }
    tool.durations[tool.calls % LATEST] = fact.durationMs;
    tool.calls += 1;
    if (fact.cached) tool.cached += 1;
    tool.costUsd += fact.costUsd ?? 0;
    if (fact.outcome !== "success") increase(tool.failures, fact.outcome);
  }

  return {
    note(fact) {
      const bounded = fact.type === "limit" ? fact : { ...fact, tool: boundedName(fact.tool) };
      count(bounded);
      for (const listener of listeners) listener(bounded);
    },
    snapshot: () => ({
      tools: [...tools].map(([name, counted]) => toStatistics(name, counted)),
      limits: [...limits].map(([row, counted]) => ({ row, ...counted })),
    }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function toStatistics(tool: string, counted: Counted): ToolStatistics {
  const { calls, cached, costUsd, failures, refusals, durations } = counted;
  const sorted = [...durations].sort((left, right) => left - right);
  const p50Ms = quantile(sorted, 0.5);
  const p95Ms = quantile(sorted, 0.95);
  return {
    tool,
    calls,
    cached,
    costUsd,
    failures: Object.fromEntries(failures),
    refusals: Object.fromEntries(refusals),
    ...(p50Ms === undefined || p95Ms === undefined ? {} : { p50Ms, p95Ms }),
  };
}

/** Returns the smallest value that at least this share of all values does not exceed. */
function quantile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}

function increase(counts: Map<FailureCode, number>, code: FailureCode): void {
  counts.set(code, (counts.get(code) ?? 0) + 1);
}
