import type { Usage } from "../../../protocol/model.ts";

/** The counts that matter to us, as the vendor names them. */
export const COUNTS = [
  "promptTokenCount",
  "toolUsePromptTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
  "cachedContentTokenCount",
] as const;

/** The usage that the latest counts add up to: thoughts are counted apart and are output. */
export function readUsage(counts: Record<string, number>): Usage {
  const { thoughtsTokenCount: reasoningTokens, cachedContentTokenCount: cachedTokens } = counts;
  return {
    inputTokens: (counts.promptTokenCount ?? 0) + (counts.toolUsePromptTokenCount ?? 0),
    outputTokens: (counts.candidatesTokenCount ?? 0) + (reasoningTokens ?? 0),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
  };
}
