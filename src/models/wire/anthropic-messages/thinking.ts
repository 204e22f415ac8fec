import type { MessageParam, OutputConfig, ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages";
import { isObject } from "../../../protocol/json.ts";
import type { DialectContext, ModelRequest, ReasoningEffort } from "../../../protocol/model.ts";

const MIN_BUDGET = 1_024;
const BUDGETS: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: MIN_BUDGET,
  low: 4_096,
  medium: 10_240,
  high: 24_576,
  xhigh: 32_768,
  max: 49_152,
};

/** Encodes how the model thinks, if the request names an effort and the model and the conversation allow it. */
export function encodeThinking(
  request: ModelRequest,
  context: DialectContext,
  maxTokens: number,
  messages: MessageParam[],
): ThinkingConfigParam | undefined {
  const effort = request.reasoningEffort ?? "none";
  if (effort === "none") return undefined;
  if (context.model.reasoning === "adaptive") return { type: "adaptive", display: "summarized" };
  if (context.model.reasoning !== "budget" || !mayThinkNow(messages)) return undefined;
  const budget = Math.min(BUDGETS[effort], maxTokens - MIN_BUDGET);
  return budget < MIN_BUDGET ? undefined : { type: "enabled", budget_tokens: budget };
}

/** With a budget, a turn that continues after calls must have begun with thinking. Another model's turn did not. */
function mayThinkNow(messages: MessageParam[]): boolean {
  const last = messages.at(-1);
  // The model cannot think when it goes on writing its own message.
  if (last?.role === "assistant") return false;
  if (!last || !Array.isArray(last.content) || last.content[0]?.type !== "tool_result") return true;
  const first = messages.at(-2)?.content[0];
  return isObject(first) && (first.type === "thinking" || first.type === "redacted_thinking");
}

/** Encodes the effort of an adaptive model and the response format. */
export function encodeOutputConfig(
  request: ModelRequest,
  thinking: ThinkingConfigParam | undefined,
): OutputConfig | undefined {
  const { reasoningEffort: effort, responseFormat } = request;
  const schema = responseFormat?.schema;
  const adaptive = thinking?.type === "adaptive" && effort && effort !== "none";
  if (!adaptive && !schema) return undefined;
  return {
    ...(adaptive && { effort: effort === "minimal" ? "low" : effort }),
    ...(schema && { format: { type: "json_schema", schema } }),
  };
}
