import type { ModelInfo, ReasoningEffort } from "../../protocol/model.ts";
import { mergeInfo, type Provider } from "../../protocol/provider.ts";
import type { ModelQuirks } from "../../protocol/quirks.ts";

// What a model's name tells, so that a model released tomorrow behaves like its newest relative. A name without a version,
// such as an alias for the newest model, counts as the newest. What a vendor's list says overrides all of it.

type Facts = Omit<ModelInfo, "name">;

const ALL: readonly ReasoningEffort[] = ["none", "low", "medium", "high", "xhigh", "max"];
const text = { supportsTools: true, supportsImages: false };
const vision = { supportsTools: true, supportsImages: true };
const picture = { supportsTools: false, supportsImages: true, outputsImages: true };
const million = 1_000_000;
const mebi = 1_048_576;

/** Returns the efforts from one to another. */
function efforts(from: ReasoningEffort, to: ReasoningEffort): readonly ReasoningEffort[] {
  return ALL.slice(ALL.indexOf(from), ALL.indexOf(to) + 1);
}

/** Returns the version after a family's name: 4.5 for `-4-5-20250929`, `-4.5` and `4.5v`. Dates are not part of it. */
function versionOf(name: string, family: RegExp): number {
  const found = new RegExp(`${family.source}(\\d+)(?:[-.](\\d{1,2}))?(?!\\d)`).exec(name);
  return found ? Number(`${found[1]}.${found[2] ?? 0}`) : Number.POSITIVE_INFINITY;
}

/** Returns a name without the date or `-latest` at its end, and without a router's variant such as `:free`. */
export function withoutDate(name: string): string {
  return name.replace(/:\w+$/, "").replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|latest)$/, "");
}

/** Describes a vendor's model: by its family, by our table, and by the vendor's own list, which wins. */
export function describeModel(provider: Provider, name: string, listed?: ModelInfo): ModelInfo {
  const { models, unknownModel, family, embedders = [] } = provider;
  const exact = [...models, ...embedders].find((model) => model.name === name);
  const sibling = models.find((model) => withoutDate(model.name) === withoutDate(name));
  const ours = exact ?? {
    ...mergeInfo(unknownModel, family?.(name)),
    // An older version costs as much and ends on the same day, but may do less.
    ...(sibling?.price && { price: sibling.price }),
    ...(sibling?.retirement && { retirement: sibling.retirement }),
  };
  const retirement = (ours.retirement || listed?.retirement) && {
    retirement: { ...ours.retirement, ...listed?.retirement },
  };
  return { ...mergeInfo(ours, listed, exact?.label ? { label: exact.label } : {}), ...retirement, name };
}

/** Describes Anthropic's models. */
export function claude(name: string): Facts {
  const version = versionOf(name, /claude-(?:[a-z]+-)?/);
  if (version < 4.6) {
    const thinks = version >= 3.7 && { reasoning: "budget" };
    const maxOutputTokens = version < 3.7 ? 8_192 : version < 4.5 ? 32_000 : 64_000;
    return {
      ...vision,
      ...thinks,
      contextWindow: 200_000,
      maxOutputTokens,
      quirks: { prefill: true, ...(version < 4.1 && { formats: "none" }) },
    };
  }
  const takes = efforts("low", "max").filter((effort) => version >= 4.7 || effort !== "xhigh");
  return {
    ...vision,
    reasoning: "adaptive",
    contextWindow: million,
    maxOutputTokens: version >= 5 || name.includes("opus") ? 128_000 : 64_000,
    quirks: {
      efforts: takes,
      ...(version >= 4.7 && { refuses: ["temperature", "top_p"] }),
      ...(version >= 5 && { thinksUnasked: true, ...thinkingOff(name, version) }),
      ...(version >= 5.1 && { toolChoices: ["auto", "none"] }),
    },
  };
}

/** The largest models always think. Others are told not to in their own way. */
function thinkingOff(name: string, version: number): object {
  if (/fable|mythos/.test(name) || (name.includes("opus") && version >= 5.5)) return {};
  return { thinkingOff: name.includes("sonnet") && version >= 5.5 ? "between_tools" : "disabled" };
}

/** Describes OpenAI's models, and those with open weights. */
export function gpt(name: string): Facts {
  if (name.includes("gpt-oss")) {
    const quirks = { efforts: efforts("low", "high") };
    return { ...text, reasoning: "effort", contextWindow: 131_072, maxOutputTokens: 65_536, quirks };
  }
  if (/gpt-(\d[\d.]*-)?image|chatgpt-image|dall-e/.test(name)) return picture;
  if (/gpt-4\.1/.test(name)) return { ...vision, contextWindow: 1_047_576, maxOutputTokens: 32_768 };
  if (/gpt-[34]|chatgpt-4o/.test(name)) return { ...vision, contextWindow: 128_000, maxOutputTokens: 16_384 };
  if (/(^|\/)o\d/.test(name)) {
    const quirks = { efforts: efforts("low", "high"), refuses: ["parallel_tool_calls"] };
    return { ...vision, reasoning: "effort", contextWindow: 200_000, maxOutputTokens: 100_000, quirks };
  }
  if (/-chat\b/.test(name)) return { ...vision, contextWindow: 128_000, maxOutputTokens: 16_384 };
  const version = versionOf(name, /gpt-/);
  const isSmall = version < 5.4 || (version < 5.6 && /mini|nano/.test(name));
  return {
    ...vision,
    reasoning: "effort",
    supportsVerbosity: !name.includes("codex"),
    contextWindow: isSmall ? 400_000 : 1_050_000,
    maxOutputTokens: 128_000,
    quirks: { efforts: gptEfforts(name, version) },
  };
}

function gptEfforts(name: string, version: number): readonly ReasoningEffort[] {
  if (/-pro\b/.test(name))
    return version < 5.1 ? ["high"] : efforts("medium", version < 5.6 ? "xhigh" : "max");
  if (name.includes("codex")) return efforts("low", version < 5.2 && !/-max\b/.test(name) ? "high" : "xhigh");
  if (version < 5.1) return ["minimal", ...efforts("low", "high")];
  if (version < 5.6) return efforts("none", version < 5.2 ? "high" : "xhigh");
  // From version 6 on, only the cheaper models can be told not to think.
  return efforts(version < 6 || /terra|luna|gpt-6-sol/.test(name) ? "none" : "low", "max");
}

/** Describes Google's models. */
export function gemini(name: string): Facts {
  const version = versionOf(name, /gemini-/);
  if (/image|banana/.test(name)) {
    const limits = { contextWindow: version < 3 ? 32_768 : 65_536, maxOutputTokens: 32_768 };
    return { ...picture, ...limits, quirks: { formats: "none" } };
  }
  const prefill = version < 3.6 &&
    !(version >= 3.5 && name.includes("lite")) && { quirks: { prefill: true } };
  if (version < 2.5) return { ...vision, contextWindow: mebi, maxOutputTokens: 8_192, ...prefill };
  return {
    ...vision,
    reasoning: geminiReasoning(name, version),
    contextWindow: mebi,
    maxOutputTokens: 65_536,
    ...prefill,
  };
}

function geminiReasoning(name: string, version: number): string {
  if (version < 3) return name.includes("pro") ? "budget-always" : "budget";
  return name.includes("flash-lite") || (name.includes("flash") && version < 3.6) ? "level-minimal" : "level";
}

/** Describes xAI's models. Those that reason refuse penalties and stop sequences. */
export function grok(name: string): Facts {
  if (name.includes("imagine")) return picture;
  const quirks = { refuses: ["frequency_penalty", "presence_penalty"], maxStops: 0 };
  if (name.includes("grok-3-mini")) {
    const thinks = { reasoning: "effort", quirks: { ...quirks, efforts: ["low", "high"] as const } };
    return { ...text, ...thinks, contextWindow: 131_072 };
  }
  if (/grok-(code|build)/.test(name)) return { ...text, contextWindow: 256_000, quirks };
  const version = versionOf(name, /grok-/);
  const contextWindow = version < 4.2 ? 256_000 : version < 4.5 ? million : 500_000;
  if (name.includes("non-reasoning") || version < 4) return { ...vision, contextWindow };
  if (version < 4.3) return { ...vision, contextWindow, quirks };
  const takes = efforts(version < 4.5 ? "none" : "low", version < 4.6 ? "high" : "xhigh");
  return { ...vision, reasoning: "effort", contextWindow, quirks: { ...quirks, efforts: takes } };
}

/** Describes Z.ai's models. The newest always think. */
export function glm(name: string): Facts {
  const version = versionOf(name, /glm-/);
  const sees = /glm-[\d.]+v/.test(name) || (version >= 5.3 && name.includes("flash"));
  const kind = sees ? vision : text;
  if (version < 4.5) return { ...kind, contextWindow: 131_072 };
  if (version < 4.6)
    return { ...kind, reasoning: "thinking", contextWindow: 131_072, maxOutputTokens: 98_304 };
  const maxOutputTokens = 131_072;
  if (version < 5.2) return { ...kind, reasoning: "thinking", contextWindow: 200_000, maxOutputTokens };
  const long = { ...kind, contextWindow: million, maxOutputTokens };
  if (version < 5.3) return { ...long, reasoning: "thinking", quirks: { efforts: ["high", "max"] } };
  return { ...long, reasoning: "thinking-only-on", quirks: { efforts: ["low", "high", "max"] } };
}

/** Describes DeepSeek's models. */
export function deepseek(name: string): Facts {
  if (/chat|reasoner|-r\d|-v[0-3]/.test(name))
    return { ...text, reasoning: "thinking", contextWindow: 131_072, maxOutputTokens: 65_536 };
  return {
    ...(name.includes("pro") ? text : vision),
    reasoning: "thinking",
    contextWindow: million,
    maxOutputTokens: 384_000,
    // It thinks unless told otherwise, and cannot be forced to call a tool while it thinks.
    quirks: { efforts: ["low", "high", "max"], toolChoices: ["auto", "none"] },
  };
}

/** Describes Mistral's models. Its list says which ones see images. */
export function mistral(name: string): Facts {
  const contextWindow = /magistral|nemo/.test(name) ? 131_072 : 262_144;
  const kind = /codestral|devstral|magistral|nemo/.test(name) ? text : vision;
  if (!/(medium|small)-(latest|2[6-9]\d\d|3[.-]5)/.test(name)) return { ...kind, contextWindow };
  return { ...kind, contextWindow, reasoning: "effort", quirks: { efforts: ["none", "high"] } };
}

const MAKERS: readonly [RegExp, (name: string) => Facts][] = [
  [/claude/, claude],
  [/gpt|(^|\/)o\d/, gpt],
  [/gemini/, gemini],
  [/grok/, grok],
  [/glm/, glm],
  [/deepseek/, deepseek],
  [/mistralai\//, mistral],
];

/** Describes another maker's model that a vendor serves: what it can do, without how the maker's own API is asked. */
export function served(name: string): Facts {
  const describe = MAKERS.find(([pattern]) => pattern.test(name))?.[1];
  const { reasoning: _style, supportsVerbosity: _field, quirks, ...abilities } = describe?.(name) ?? {};
  const { toolChoices, refuses } = (quirks ?? {}) as ModelQuirks;
  const kept = { ...(toolChoices && { toolChoices }), ...(refuses && { refuses }) };
  return toolChoices || refuses ? { ...abilities, quirks: kept } : abilities;
}
