import type { MessageParam, OutputConfig, ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages";
import { isObject } from "../../../protocol/json.ts";
import type { ModelRequest, ReasoningEffort } from "../../../protocol/model.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import { nearestEffort } from "../efforts.ts";
import { fitFormat, planFormat } from "../formats.ts";
import type { Turn } from "../history.ts";

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

/** An answer that may not be longer leaves no room to think. */
const SHORT_ANSWER = 4_096;
const EFFORTS: readonly ReasoningEffort[] = ["low", "medium", "high"];

/** Encodes how the model thinks, as far as it can be told and the conversation allows it. */
export function encodeThinking(
  request: ModelRequest,
  context: DialectContext,
  maxTokens: number,
  messages: MessageParam[],
): ThinkingConfigParam | undefined {
  const { thinksUnasked, thinkingOff } = context.quirks;
  const { toolChoice = "auto", reasoningEffort, maxOutputTokens = SHORT_ANSWER } = request;
  // A tool choice cannot be forced while the model thinks.
  const forced = toolChoice !== "auto" && toolChoice !== "none" && request.tools.length > 0;
  const short = reasoningEffort === undefined && maxOutputTokens < SHORT_ANSWER;
  if (thinksUnasked && (forced || reasoningEffort === "none")) return thinkingOff && { type: thinkingOff };
  // A model that cannot be told not to think at all gets more room.
  if (thinksUnasked && short) return thinkingOff === "disabled" ? { type: thinkingOff } : undefined;
  const effort = thinksUnasked ? "medium" : "none";
  if ((reasoningEffort ?? effort) === "none" || forced) return undefined;
  if (context.model.reasoning === "adaptive") return { type: "adaptive", display: "summarized" };
  if (context.model.reasoning !== "budget" || !mayThinkNow(messages)) return undefined;
  const budget = Math.min(BUDGETS[reasoningEffort ?? effort], maxTokens - MIN_BUDGET);
  return budget < MIN_BUDGET ? undefined : { type: "enabled", budget_tokens: budget };
}

/** Returns the tokens to allow for an answer of at most `maxTokens`: what an adaptive model thinks counts too. */
export function roomToThink(
  { reasoningEffort: effort = "low" }: ModelRequest,
  context: DialectContext,
  maxTokens: number,
  thinking: ThinkingConfigParam | undefined,
): number {
  const off = thinking?.type === "disabled" || thinking?.type === "enabled";
  const thinks = thinking?.type === "adaptive" || (!off && context.quirks.thinksUnasked);
  if (!thinks) return maxTokens;
  const room = Math.max(BUDGETS[effort], BUDGETS.low);
  return Math.max(maxTokens, Math.min(maxTokens + room, context.model.maxOutputTokens ?? maxTokens + room));
}

/** With a budget, a turn that continues after calls must have begun with thinking. Another model's turn did not. */
function mayThinkNow(messages: MessageParam[]): boolean {
  const last = messages.at(-1);
  // The model cannot think when it continues writing its own message.
  if (last?.role === "assistant") return false;
  if (!last || !Array.isArray(last.content) || last.content[0]?.type !== "tool_result") return true;
  const first = messages.at(-2)?.content[0];
  return isObject(first) && (first.type === "thinking" || first.type === "redacted_thinking");
}

/** Encodes the effort of an adaptive model and the response format. */
export function encodeOutputConfig(
  request: ModelRequest,
  context: DialectContext,
  thinking: ThinkingConfigParam | undefined,
): OutputConfig | undefined {
  const { thinksUnasked, efforts = EFFORTS } = context.quirks;
  const sent = planFormat(request, context)?.sent === "schema";
  const { schema } =
    (sent && request.responseFormat && fitFormat(request.responseFormat, context, "closed")) || {};
  // A model that cannot be told not to think is told to think little.
  const least = thinksUnasked && !thinking ? "low" : undefined;
  const effort = thinking?.type === "adaptive" ? request.reasoningEffort : least;
  if (!effort && !schema) return undefined;
  return {
    ...(effort && { effort: nearestEffort(effort, efforts) as OutputConfig["effort"] }),
    ...(schema && { format: { type: "json_schema", schema } }),
  };
}

/** Returns the turns without thinking that followed another beginning, which the vendor refuses. */
export function withBoundThinking(turns: readonly Turn[], prefix: string | undefined): Turn[] {
  return turns.map((turn) => ({
    ...turn,
    parts: turn.parts.filter(
      ({ type, metadata }) => type !== "reasoning" || (metadata?.prefix ?? prefix) === prefix,
    ),
  }));
}
