import type { AssistantPart, Message } from "./messages.ts";
import type { ReasoningEffort, Usage } from "./model.ts";

/** What one call has used of models, as far as their vendors report it. */
export interface Spending {
  usage: Usage;
  /** `provider/model` that was asked last. */
  model?: string;
  /** How often a request to a model was repeated, however the call ended. */
  retryCount?: number;
}

/** The jobs that a tool may give to a model. The settings say which model does which. */
export type ModelRole = "artifact" | "rewrite" | "image" | "compact" | "title";

export interface ModelQuestion {
  role: ModelRole;
  system: string;
  /** The question, as text or as messages: exactly one of the two. */
  prompt?: string;
  messages?: Message[];
  /** The tool's own signal, which ends with the call. */
  signal: AbortSignal;
  onText?(delta: string): void;
  onReasoning?(delta: string): void;
  maxOutputTokens?: number;
  temperature?: number;
  reasoningEffort?: ReasoningEffort;
  /** Aspect ratio of the image, such as `16:9`. */
  aspectRatio?: string;
}

export interface ModelAnswer {
  text: string;
  /** The whole answer, including images. */
  parts: AssistantPart[];
  usage: Usage;
  /** `provider/model` that answered. */
  model: string;
  /** True if the answer was cut off at its length limit. */
  cut: boolean;
}
