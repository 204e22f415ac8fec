import type { Usage } from "../../../protocol/model.ts";

/** The usage that the latest counts add up to: what was cached is counted apart and is input. */
export function readUsage(counts: Record<string, number>): Usage {
  const cachedTokens = counts.cache_read_input_tokens;
  const reasoningTokens = counts.thinking_tokens;
  return {
    inputTokens: (counts.input_tokens ?? 0) + (cachedTokens ?? 0) + (counts.cache_creation_input_tokens ?? 0),
    outputTokens: counts.output_tokens ?? 0,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
