import type { Usage } from "../../../protocol/model.ts";

/** Adds up the latest counts. Cached tokens are counted apart, although they are input. */
export function readUsage(counts: Record<string, number>): Usage {
  const cachedTokens = counts.cache_read_input_tokens;
  return {
    inputTokens: (counts.input_tokens ?? 0) + (cachedTokens ?? 0) + (counts.cache_creation_input_tokens ?? 0),
    outputTokens: counts.output_tokens ?? 0,
    cachedTokens,
    ...(counts.cache_creation_input_tokens ? { cacheWriteTokens: counts.cache_creation_input_tokens } : {}),
    reasoningTokens: counts.thinking_tokens,
  };
}
