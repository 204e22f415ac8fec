import type { Price, Usage } from "../../protocol/model.ts";

const COUNTS = ["inputTokens", "outputTokens", "reasoningTokens", "cachedTokens", "costUsd"] as const;

/** Returns a count as a vendor reported it, or undefined if the value cannot be one. */
export function readCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Returns the usage without invalid counts, because budgets and bills add it up, and with its cost in dollars. */
export function normalizeUsage(usage: Usage, price: Price | undefined): Usage {
  const result: Usage = { inputTokens: 0, outputTokens: 0 };
  for (const key of COUNTS) {
    const count = readCount(usage[key]);
    if (count !== undefined) result[key] = count;
  }
  // A cost that the vendor reports itself is more exact than our price list.
  if (price && result.costUsd === undefined) result.costUsd = costOf(result, price);
  return result;
}

function costOf(usage: Usage, price: Price): number {
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const millionths =
    (usage.inputTokens - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output;
  return millionths / 1_000_000;
}
