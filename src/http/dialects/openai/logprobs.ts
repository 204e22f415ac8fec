import type { EventOf } from "../../../protocol/events.ts";
import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import { INCLUDED_LOGPROBS, LOGPROBS } from "../../../protocol/vendor-blocks.ts";
import { type Body, readList, readNumber } from "./fields.ts";

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

/** Returns the fields with which Chat Completions ask for logprobs, from a request for a response. */
export function askedInChat(body: Body): JsonObject {
  if (!readList(body, "include")?.includes(INCLUDED_LOGPROBS)) return {};
  const top_logprobs = readNumber(body, "top_logprobs", { least: 0, most: 20, whole: true });
  return { logprobs: true, ...(top_logprobs === undefined ? {} : { top_logprobs }) };
}

/** Returns the fields with which Chat Completions and Ollama ask for logprobs, from a request of either. */
export function logprobFields({ logprobs, top_logprobs }: Body): JsonObject {
  if (logprobs !== true) return {};
  return { logprobs, ...(typeof top_logprobs === "number" ? { top_logprobs } : {}) };
}

/** Returns the fields with which Responses ask for logprobs, from those of a chat completion. */
export function askedInResponses({ logprobs, top_logprobs }: JsonObject): JsonObject {
  if (logprobs !== true) return {};
  return { include: [INCLUDED_LOGPROBS], ...(top_logprobs === undefined ? {} : { top_logprobs }) };
}
