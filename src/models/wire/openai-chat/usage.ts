import { isObject } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";

/** Token counts as vendors of this dialect report them; undefined where there are none. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = count(value.prompt_tokens);
  const completion = count(value.completion_tokens);
  if (input === undefined && completion === undefined) return undefined;
  const inputDetails = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const outputDetails = isObject(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const cached =
    count(inputDetails.cached_tokens) ?? count(value.prompt_cache_hit_tokens) ?? count(value.cached_tokens);
  const reasoning = count(outputDetails.reasoning_tokens) ?? count(value.reasoning_tokens);
  const usage: Usage = {
    inputTokens: input ?? 0,
    outputTokens: outputTokens(input ?? 0, completion ?? 0, reasoning ?? 0, count(value.total_tokens)),
  };
  if (reasoning !== undefined) usage.reasoningTokens = reasoning;
  if (cached !== undefined) usage.cachedTokens = Math.min(cached, usage.inputTokens);
  const cost = count(value.cost);
  if (cost !== undefined) usage.costUsd = cost;
  return usage;
}

/** Some vendors count reasoning apart from the completion: it was generated and paid for all the same. */
function outputTokens(
  input: number,
  completion: number,
  reasoning: number,
  total: number | undefined,
): number {
  const apart = reasoning > completion || (reasoning > 0 && total === input + completion + reasoning);
  return apart ? completion + reasoning : completion;
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
