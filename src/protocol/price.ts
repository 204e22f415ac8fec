import type { Usage } from "./model.ts";

/** Dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  cachedInput?: number;
  /** What a request with more input tokens than this costs as a whole. */
  above?: Omit<Price, "above"> & { inputTokens: number };
}

/** Returns a price in dollars per million tokens, for tables of models. */
export function price(input: number, output: number, cachedInput?: number, above?: Price["above"]): Price {
  return { input, output, cachedInput, above };
}

/** Returns the price of requests with more input tokens than this. */
export function above(
  inputTokens: number,
  input: number,
  output: number,
  cachedInput?: number,
): Price["above"] {
  return { inputTokens, input, output, cachedInput };
}

/** Returns what this usage costs, in dollars. */
export function costOf(usage: Usage, { above, ...base }: Price): number {
  const price = above && usage.inputTokens > above.inputTokens ? above : base;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const millionths =
    (usage.inputTokens - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output;
  return millionths / 1_000_000;
}
