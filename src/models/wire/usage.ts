import { isObject } from "../../protocol/json.ts";
import { costOf, type Price, type Usage } from "../../protocol/model.ts";

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "reasoningTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "costUsd",
] as const;

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

/** Reads token counts as vendors of this dialect report them; undefined if there are none. */
export function readChatUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = readCount(value.prompt_tokens ?? value.input_tokens);
  const completion = readCount(value.completion_tokens ?? value.output_tokens);
  if (input === undefined && completion === undefined) return undefined;
  const inputDetails = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const outputDetails = isObject(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const cached =
    readCount(inputDetails.cached_tokens) ??
    readCount(value.prompt_cache_hit_tokens) ??
    readCount(value.cached_tokens);
  const written = readCount(inputDetails.cache_write_tokens);
  const reasoning = readCount(outputDetails.reasoning_tokens) ?? readCount(value.reasoning_tokens);
  return {
    inputTokens: input ?? 0,
    outputTokens: outputTokens(input ?? 0, completion ?? 0, reasoning ?? 0, readCount(value.total_tokens)),
    reasoningTokens: reasoning,
    cachedTokens: cached && Math.min(cached, input ?? 0),
    ...(written ? { cacheWriteTokens: Math.min(written, input ?? 0) } : {}),
    costUsd: readCount(value.cost),
  };
}

/** Some vendors count reasoning apart from the completion, although it is generated and paid for as well. */
function outputTokens(
  input: number,
  completion: number,
  reasoning: number,
  total: number | undefined,
): number {
  const apart = reasoning > completion || (reasoning > 0 && total === input + completion + reasoning);
  return apart ? completion + reasoning : completion;
}
