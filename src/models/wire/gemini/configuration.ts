import type { GenerationConfig, Modality, ThinkingConfig, ThinkingLevel } from "@google/genai";
import type { ModelRequest, ReasoningEffort } from "../../../protocol/model.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import { fitFormat, planFormat } from "../formats.ts";

/** How Gemini answers. On the wire, the vendor's enums are their names. */
export type Configuration = Omit<GenerationConfig, "thinkingConfig" | "responseModalities"> & {
  thinkingConfig?: Omit<ThinkingConfig, "thinkingLevel"> & { thinkingLevel?: `${ThinkingLevel}` };
  responseModalities?: `${Modality}`[];
};

const BUDGETS: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** The minimum of models that cannot stop thinking. */
const LEAST_BUDGET = 128;
const LEVELS: Record<ReasoningEffort, `${ThinkingLevel}`> = {
  none: "LOW",
  minimal: "LOW",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** Encodes the options of a request as far as the model takes them. */
export function encodeConfiguration(request: ModelRequest, context: DialectContext): Configuration {
  const { model } = context;
  const { temperature, maxOutputTokens, responseFormat } = request;
  const thinkingConfig = encodeThinking(request.reasoningEffort, model.reasoning);
  const format = planFormat(request, context)?.sent ? responseFormat : undefined;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(request.topP !== undefined && { topP: request.topP }),
    ...(request.stop && { stopSequences: request.stop }),
    // Larger numbers are refused.
    ...(request.seed !== undefined && { seed: Math.trunc(request.seed) % 2 ** 31 }),
    ...(format && { responseMimeType: "application/json" }),
    ...(format?.schema && { responseJsonSchema: fitFormat(format, context, "gemini")?.schema }),
    ...(request.imageOutput && { responseModalities: ["TEXT", "IMAGE"] }),
    ...(request.imageOutput && request.aspectRatio && { imageConfig: { aspectRatio: request.aspectRatio } }),
    ...(thinkingConfig && { thinkingConfig }),
  };
}

function encodeThinking(
  effort: ReasoningEffort | undefined,
  reasoning: string | undefined,
): Configuration["thinkingConfig"] {
  const includeThoughts = effort !== "none";
  switch (reasoning) {
    case "level":
      return { includeThoughts, ...(effort && { thinkingLevel: LEVELS[effort] }) };
    case "level-minimal": {
      const least = effort === "none" || effort === "minimal";
      return { includeThoughts, ...(effort && { thinkingLevel: least ? "MINIMAL" : LEVELS[effort] }) };
    }
    case "budget":
      return { includeThoughts, ...(effort && { thinkingBudget: BUDGETS[effort] }) };
    case "budget-always":
      return {
        includeThoughts,
        ...(effort && { thinkingBudget: Math.max(BUDGETS[effort], LEAST_BUDGET) }),
      };
  }
  return undefined;
}
