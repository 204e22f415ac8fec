import type { JsonObject } from "../../protocol/json.ts";
import { textOf } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { COMPLETIONS } from "../../protocol/native-request.ts";
import type { DialectContext, WireRequest } from "../../protocol/provider.ts";
import { jsonBody } from "./body.ts";
import { fitRequest } from "./fit-request.ts";

/** What a request wants completed, with what was already written of it before a connection broke. */
export function textToComplete({ native, messages }: ModelRequest): JsonObject | undefined {
  if (native?.dialect !== COMPLETIONS) return undefined;
  const { prompt, suffix, raw } = native.body;
  const written = messages.slice(native.messages).find(({ role }) => role === "assistant");
  return {
    prompt: String(prompt) + (written ? textOf(written) : ""),
    ...(suffix !== undefined && { suffix }),
    ...(raw === true && { raw }),
  };
}

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
  const { completions, streamUsage, seedField = "seed" } = context.quirks;
  const { raw: _, ...text } = textToComplete(given) ?? {};
  if (!completions || text.prompt === undefined) return undefined;
  if (completions.fillsOnly && text.suffix === undefined) return undefined;
  const request = fitRequest(given, context);
  const body = {
    model: context.model.name,
    ...text,
    stream: true,
    stream_options: streamUsage === false ? undefined : { include_usage: true },
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop,
    [seedField]: request.seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    ...vendorFields,
  };
  return { path: completions.path, body: jsonBody(body, context) };
}
