/** The day on which the rules of this folder were true. */
export const RULES_OF = "2026-11-16";

/** What a vendor says about a model that it no longer serves. */
interface Retirement {
  model: RegExp;
  /** The first day without it. */
  since: string;
}

const RETIRED: Record<string, readonly Retirement[]> = {
  deepseek: [{ model: /^deepseek-(chat|reasoner)$/, since: "2026-07-24" }],
  xai: [
    { model: /^grok-4(-0709|-latest)?$/, since: "2026-05-15" },
    { model: /^grok-4-fast(-non)?-reasoning/, since: "2026-05-15" },
    { model: /^grok-code-fast-1/, since: "2026-05-15" },
  ],
  openai: [
    { model: /^(gpt-image-1|o4-mini)$/, since: "2026-10-23" },
    { model: /^(gpt-5(-mini|-nano)?|o3)$/, since: "2026-12-11" },
    { model: /^gpt-4(o|\.1)\b/, since: "2027-01-14" },
  ],
  gemini: [{ model: /^gemini-3-pro-preview/, since: "2026-03-09" }],
  groq: [{ model: /^llama-3\.(3-70b-versatile|1-8b-instant)$/, since: "2026-08-16" }],
  anthropic: [{ model: /^claude-sonnet-4-5/, since: "2026-11-30" }],
};

/** Returns whether the vendor has retired a model by that day. */
export function isRetired(vendor: string, model: string, day = RULES_OF): boolean {
  return (RETIRED[vendor] ?? []).some((one) => one.since <= day && one.model.test(model));
}

// OpenAI

export interface OpenAIFamily {
  reasons: boolean;
  /** The efforts that it takes; none for models that do not reason. */
  efforts: readonly string[];
  /** Takes sampling fields if it does not think. */
  variesWithoutThinking: boolean;
}

const PLAIN: OpenAIFamily = { reasons: false, efforts: [], variesWithoutThinking: true };

/** Returns what a model of OpenAI takes. */
export function openaiFamily(model: string): OpenAIFamily {
  const generation = /^gpt-(\d+)(?:\.(\d+))?/.exec(model);
  const version = generation ? Number(generation[1]) + Number(generation[2] ?? 0) / 10 : 0;
  if (/-chat/.test(model) || (!/^(o\d|codex)/.test(model) && version < 5)) return PLAIN;
  const efforts = ["low", "medium", "high"];
  const family = (more: string[], variesWithoutThinking = false) => ({
    reasons: true,
    efforts: [...more, ...efforts],
    variesWithoutThinking,
  });
  if (version === 0) return family([]);
  if (/-pro/.test(model)) return { ...family(["xhigh"]), efforts: ["medium", "high", "xhigh"] };
  if (/codex/.test(model)) return family(version >= 5.2 || /-max/.test(model) ? ["xhigh"] : []);
  if (version === 5) return family(["minimal"]);
  if (version < 5.2) return family(["none"], true);
  return family(version < 5.6 ? ["none", "xhigh"] : ["none", "xhigh", "max"], true);
}

// Anthropic

export interface ClaudeFamily {
  /** 4.5 for `claude-sonnet-4-5`. */
  version: number;
  maxTokens: number;
  /** Refuses `temperature`, `top_p` and `top_k`. */
  fixedSampling: boolean;
  thinking: readonly ("enabled" | "adaptive" | "disabled" | "between_tools")[];
  /** Thinks unless it is told not to. */
  thinksByDefault: boolean;
  efforts: readonly string[];
  /** Takes an answer that the assistant has begun. */
  prefill: boolean;
  /** Takes a tool choice that forces a call. */
  forcedTools: boolean;
}

/** Returns what a Claude model takes. Names without a version count as the newest. */
export function claudeFamily(model: string): ClaudeFamily {
  const [, early, name = "", major, minor] =
    /^claude-(\d(?:-\d)?-)?([a-z]+)(?:-(\d+)(?:-(\d{1,2}))?)?(?![\d.])/.exec(model) ?? [];
  const version = early
    ? Number(early.slice(0, -1).replace("-", "."))
    : major === undefined
      ? 9
      : Number(major) + Number(minor ?? 0) / 10;
  const opus = name === "opus";
  const adaptive = version >= 4.6;
  const only = version >= 5 || (opus && version >= 4.7);
  const efforts = adaptive || (opus && version >= 4.5) ? ["low", "medium", "high"] : [];
  if (adaptive) efforts.push("max");
  if (only) efforts.push("xhigh");
  return {
    version,
    maxTokens: version < 3.6 ? 8_192 : version >= 4.6 ? 128_000 : opus && version < 4.5 ? 32_000 : 64_000,
    fixedSampling: only,
    thinking: thinkingOf(name, version, only, adaptive),
    thinksByDefault: version >= 5,
    efforts,
    prefill: version < 4.6,
    forcedTools: version < 5.5 && !(name === "fable" && version >= 5.1),
  };
}

/** The largest models always think, and each family is told not to in its own way. */
function thinkingOf(
  name: string,
  version: number,
  only: boolean,
  adaptive: boolean,
): ClaudeFamily["thinking"] {
  if (/fable|mythos/.test(name) || (name === "opus" && version >= 5.5)) return ["adaptive"];
  if (name === "sonnet" && version >= 5.5) return ["adaptive", "between_tools"];
  if (only) return ["adaptive", "disabled"];
  return adaptive ? ["enabled", "adaptive", "disabled"] : ["enabled", "disabled"];
}

// Gemini

export interface GeminiFamily {
  version: number;
  /** Thinks by level; older ones by a budget within these bounds, and those without bounds do not think. */
  levels?: readonly string[];
  budget?: { least: number; most: number; canBeOff: boolean };
  makesImages: boolean;
}

/** Returns what a Gemini model takes. */
export function geminiFamily(model: string): GeminiFamily {
  const version = Number(/gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 9);
  const makesImages = /-image/.test(model);
  if (version >= 3) {
    const pro = /-pro/.test(model);
    const levels = pro
      ? version >= 3.1
        ? ["LOW", "MEDIUM", "HIGH"]
        : ["LOW", "HIGH"]
      : ["MINIMAL", "LOW", "MEDIUM", "HIGH"];
    return { version, levels, makesImages };
  }
  if (version < 2.5 || makesImages) return { version, makesImages };
  const budget = /-pro/.test(model)
    ? { least: 128, most: 32_768, canBeOff: false }
    : { least: /lite/.test(model) ? 512 : 1, most: 24_576, canBeOff: true };
  return { version, budget, makesImages };
}

// xAI

export interface GrokFamily {
  reasons: boolean;
  efforts: readonly string[];
}

/** Returns what a Grok model takes. */
export function grokFamily(model: string): GrokFamily {
  if (/non-reasoning/.test(model)) return { reasons: false, efforts: [] };
  if (/^grok-3-mini/.test(model)) return { reasons: true, efforts: ["low", "high"] };
  const version = Number(/^grok-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? (/code/.test(model) ? 4 : 9));
  if (version < 4) return { reasons: false, efforts: [] };
  const efforts = version >= 4.3 ? ["none", "low", "medium", "high"] : [];
  return { reasons: true, efforts: version >= 4.6 ? [...efforts, "xhigh"] : efforts };
}

// Groq

/** Returns the efforts that a model on Groq takes. */
export function groqEfforts(model: string): readonly string[] {
  if (/gpt-oss/.test(model)) return ["low", "medium", "high"];
  return /qwen/.test(model) ? ["none", "default"] : [];
}
