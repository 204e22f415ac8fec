import type { DialectContext, ModelRequest, ReasoningEffort } from "../../../protocol/model.ts";
import { nearestEffort } from "../efforts.ts";

/** How a vendor departs from Chat Completions. All of it is data in `providers/`. */
export interface ChatQuirks {
  /** What a call id must look like, as the source of a regular expression. */
  idPattern?: string;
  /** Streams arguments of calls only when asked to (GLM). */
  toolStream?: boolean;
  /** Field in which the model wants its own reasoning back. */
  replayReasoning?: "reasoning_content" | "reasoning";
  /** Starts of model names whose prompt cache needs marks; `*` for all. */
  cacheControl?: readonly string[];
  /** Takes the session's key for its prompt cache. */
  promptCacheKey?: boolean;
  /** `max_completion_tokens` where the vendor dropped `max_tokens`. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** False: refuses `stream_options`. */
  streamUsage?: boolean;
  /** Reports what a request cost when asked (OpenRouter). */
  reportsCost?: boolean;
  /** Takes `modalities` to make images. */
  imageModalities?: boolean;
  /** False: the model has a fixed temperature and refuses the field. */
  temperature?: boolean;
  /** The only tool choices it knows. */
  toolChoices?: readonly string[];
  /** Its word for `required`. */
  requiredToolChoice?: "any";
  /** False: knows `json_object` only. */
  jsonSchema?: boolean;
  /** The efforts it accepts; another is moved to the nearest. */
  efforts?: readonly ReasoningEffort[];
  /** `reasoning_details` may be all there is to read of its thinking; elsewhere they only go back. */
  readableDetails?: boolean;
  /** Thinking comes as `<think>…</think>` at the start of the text. */
  thinkTags?: boolean;
  /** Neither a finish reason nor `[DONE]` comes: the end of the stream is the end of the answer. */
  noEndMarker?: boolean;
  /** A tool's result must be followed by the assistant, never by the person. */
  assistantAfterTool?: boolean;
}

/** The quirks of the vendor and model at hand. */
export function chatQuirks(context: DialectContext): ChatQuirks {
  return context.quirks as ChatQuirks;
}

export interface ReasoningFields {
  reasoning_effort?: ReasoningEffort;
  reasoning?: { effort: ReasoningEffort };
  thinking?: { type: "enabled" | "disabled" };
}

/** The fields that ask for reasoning, in the way that the model's `reasoning` names; none for models without it. */
export function reasoningFields(request: ModelRequest, context: DialectContext): ReasoningFields {
  const effort = request.reasoningEffort;
  const style = context.model.reasoning;
  if (effort === undefined || style === undefined) return {};
  const off = effort === "none";
  switch (style) {
    case "effort":
      return { reasoning_effort: nearestEffort(effort, chatQuirks(context).efforts) };
    case "openrouter":
      return { reasoning: { effort } };
    case "thinking":
      return { thinking: { type: off ? "disabled" : "enabled" } };
    // Some GLM versions refuse to be told not to think.
    case "thinking-only-on":
      return off ? {} : { thinking: { type: "enabled" } };
    default:
      return {};
  }
}
