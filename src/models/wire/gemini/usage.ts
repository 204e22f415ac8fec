import type { Usage } from "../../../protocol/model.ts";

/** The counts that we use, as the vendor names them. */
export const COUNTS = [
  "promptTokenCount",
  "toolUsePromptTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
  "cachedContentTokenCount",
] as const;

/** Adds up the latest counts. Thoughts are counted apart, although they are output. */
export function readUsage(counts: Record<string, number>): Usage {
  const { thoughtsTokenCount: reasoningTokens, cachedContentTokenCount: cachedTokens } = counts;
  return {
    inputTokens: (counts.promptTokenCount ?? 0) + (counts.toolUsePromptTokenCount ?? 0),
    outputTokens: (counts.candidatesTokenCount ?? 0) + (reasoningTokens ?? 0),
    reasoningTokens,
    cachedTokens,
  };
}
