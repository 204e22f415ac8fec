import type { EventOf } from "../../../protocol/events.ts";
import { isObject, type Json } from "../../../protocol/json.ts";
import { LOGPROBS } from "../../../protocol/vendor-blocks.ts";

/** Returns how likely the tokens before an event were, as a list with one entry, or an empty list. */
export function logprobsIn({ block }: EventOf<"content_delta">): Json[][] {
  return block?.type === LOGPROBS && Array.isArray(block.content) ? [block.content] : [];
}

/** Returns them as a response has them, where nothing may be missing. */
export function wholeLogprobs(content: readonly Json[]): Json[] {
  return content.map((one) => {
    if (!isObject(one)) return one;
    const { token = "", logprob = 0, bytes, top_logprobs: top } = one;
    const others = Array.isArray(top) ? { top_logprobs: wholeLogprobs(top) } : {};
    return { token, logprob, bytes: bytes ?? [], ...others } as Json;
  });
}

/** Asks for the logprobs of a response. */
export const INCLUDED_LOGPROBS = "message.output_text.logprobs";
