import { isObject } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";

/** Token counts as OpenAI's newer endpoints report them; undefined where there are none. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const count = (value: unknown) => (typeof value === "number" ? value : undefined);
  const reasoningTokens = count(output.reasoning_tokens);
  const cachedTokens = count(input.cached_tokens);
  return {
    inputTokens: count(usage.input_tokens) ?? 0,
    outputTokens: count(usage.output_tokens) ?? 0,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
  };
}
