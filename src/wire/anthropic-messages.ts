import type { Dialect, DialectContext, ModelRequest, WireRequest } from "../protocol/model.ts";
import { readAnswer } from "./anthropic-messages/answer.ts";
import { lowerRequest } from "./anthropic-messages/request.ts";
import { readErrorBody, vendorFailure } from "./failures.ts";

/**
 * Anthropic Messages. `ModelInfo.reasoning` is `budget` (thinking with a number of tokens) or `adaptive` (the model
 * decides, given an effort); thinking is asked for only where the request names an effort.
 */
export const anthropicMessages: Dialect = {
  id: "anthropic-messages",
  // Request down
  encode: lowerRequest,
  // Frames up, finish
  reader: readAnswer,
  // Errors
  failure: (response, body, context) => vendorFailure(readErrorBody(body), context, response, body),
  fallback: (_failure, response, body, request, context) =>
    askOtherwise(response.status, body, request, context),
};

// Errors

/** The vendor refused how the model was to think, thoughts of before, or the format of the answer: ask without them. */
function askOtherwise(
  status: number,
  body: string,
  request: ModelRequest,
  context: DialectContext,
): WireRequest | undefined {
  const said = status === 400 ? (readErrorBody(body).message ?? "") : "";
  const aboutFormat = /output_config|output_format|json_schema/i.test(said);
  if (!aboutFormat && !/thinking|signature|effort/i.test(said)) return undefined;
  const { reasoningEffort: _effort, responseFormat, ...plain } = request;
  // To a model of no name nothing in the history is its own.
  return lowerRequest({ ...plain, ...(!aboutFormat && { responseFormat }) }, { ...context, modelId: "" });
}
