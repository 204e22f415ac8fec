import type { DialectContext, ModelRequest, WireRequest } from "../../protocol/model.ts";
import { COMPLETIONS } from "../../protocol/native-request.ts";
import { jsonBody } from "./body.ts";
import { fitRequest } from "./fit-request.ts";
import { quirksOf } from "./quirks.ts";

/** True if the request asks for the text that follows a text, or that belongs between two, and not for an answer. */
export function isCompletion({ native }: ModelRequest): boolean {
  return native?.dialect === COMPLETIONS;
}

/** Encodes such a request for a vendor of Chat Completions. Undefined if the vendor has no route for it. */
export function encodeCompletion(
  given: ModelRequest,
  context: DialectContext,
  vendorFields: object | undefined,
): WireRequest | undefined {
  const { completions, streamUsage } = quirksOf(context);
  const { native } = given;
  if (!completions || !native || !isCompletion(given)) return undefined;
  const { prompt, suffix } = native.body;
  if (completions.fillsOnly && suffix === undefined) return undefined;
  const request = fitRequest(given, context);
  const { maxOutputTokens, temperature, topP, seed, frequencyPenalty, presencePenalty } = request;
  const body = {
    model: context.model.name,
    prompt,
    ...(suffix !== undefined && { suffix }),
    stream: true,
    ...(streamUsage !== false && { stream_options: { include_usage: true } }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(request.stop && { stop: request.stop }),
    ...(seed !== undefined && { seed }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...vendorFields,
  };
  return { path: completions.path, body: jsonBody(body, context) };
}
