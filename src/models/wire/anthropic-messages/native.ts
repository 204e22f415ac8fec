import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import type { ModelRequest } from "../../../protocol/model.ts";
import type { NativeRequest } from "../../../protocol/native-request.ts";
import type { DialectContext, WireRequest } from "../../../protocol/provider.ts";
import { jsonBody } from "../body.ts";
import { readHistory } from "../history.ts";
import { mapToolNames } from "../tools.ts";
import { encodeTurns } from "./turns.ts";

/** What a model that is not known to take more can write. */
const USUAL_MAX_TOKENS = 128_000;

/** Passes on the request of a client that speaks this dialect itself, with what was said since. */
export function encodeNative(
  request: ModelRequest,
  { body, headers, messages }: NativeRequest,
  context: DialectContext,
): WireRequest {
  const { model } = context;
  const since = request.messages.slice(messages);
  const names = mapToolNames(request.tools);
  const { turns } = since.length > 0 ? readHistory({ messages: since }, context) : { turns: [] };
  const said = (list(body.messages) as Json[]).map((message) =>
    context.modelId === "" ? withoutThinking(message) : message,
  );
  const tools = list(body.tools).filter((tool) => isOffered(tool, request));
  const passed = {
    ...body,
    model: model.name,
    // A request that only fills the cache has no answer that could be streamed.
    stream: body.max_tokens !== 0,
    max_tokens: Math.min(Number(body.max_tokens), model.maxOutputTokens ?? USUAL_MAX_TOKENS),
    ...(tools.length > 0 ? { tools } : {}),
    messages: [...said, ...encodeTurns(turns, context, names)],
  };
  return { path: "/v1/messages", headers, body: jsonBody(passed, context) };
}

/** Tools that the vendor refused are no longer in the request. Its own are not in it at all. */
function isOffered(tool: Json, { tools }: ModelRequest): boolean {
  if (!isObject(tool) || (tool.type !== undefined && tool.type !== "custom")) return true;
  return tools.some(({ name }) => name === tool.name);
}

/** Returns a message without thinking, which the vendor has refused. */
function withoutThinking(message: Json): Json {
  if (!isObject(message) || !Array.isArray(message.content)) return message;
  const content = message.content.filter(
    (block: unknown) => !isObject(block) || (block.type !== "thinking" && block.type !== "redacted_thinking"),
  );
  return { ...(message as JsonObject), content };
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
