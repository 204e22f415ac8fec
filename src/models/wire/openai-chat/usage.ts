import { isObject } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";
import { readCount } from "../usage.ts";

/** Reads token counts as vendors of this dialect report them; undefined if there are none. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = readCount(value.prompt_tokens);
  const completion = readCount(value.completion_tokens);
  if (input === undefined && completion === undefined) return undefined;
  const inputDetails = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const outputDetails = isObject(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const cached =
    readCount(inputDetails.cached_tokens) ??
    readCount(value.prompt_cache_hit_tokens) ??
    readCount(value.cached_tokens);
  const reasoning = readCount(outputDetails.reasoning_tokens) ?? readCount(value.reasoning_tokens);
  return {
    inputTokens: input ?? 0,
    outputTokens: outputTokens(input ?? 0, completion ?? 0, reasoning ?? 0, readCount(value.total_tokens)),
    reasoningTokens: reasoning,
    cachedTokens: cached && Math.min(cached, input ?? 0),
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
