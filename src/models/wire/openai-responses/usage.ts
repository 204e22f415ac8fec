import { isObject } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";
import { readCount } from "../usage.ts";

/** Reads token counts as OpenAI's newer endpoints report them; undefined if there are none. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const written = readCount(input.cache_write_tokens);
  return {
    inputTokens: readCount(usage.input_tokens) ?? 0,
    outputTokens: readCount(usage.output_tokens) ?? 0,
    reasoningTokens: readCount(output.reasoning_tokens),
    cachedTokens: readCount(input.cached_tokens),
    ...(written ? { cacheWriteTokens: written } : {}),
  };
}
