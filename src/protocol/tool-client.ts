import type { JsonSchema } from "./json.ts";

/** How important a line of the log is, from least to most. */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** A form for the person who uses the calling program. */
export interface ClientForm {
  message: string;
  /** An object of strings, numbers, booleans and choices, with defaults where there are any. */
  schema: JsonSchema;
  /** Names the question for the calling program. Must differ from the call's other questions. */
  key?: string;
}

export interface FormAnswer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
}

/** A question for the calling program's own model. */
export interface ClientQuestion {
  messages: { role: "user" | "assistant"; content: unknown }[];
  maxTokens: number;
  systemPrompt?: string;
  temperature?: number;
  key?: string;
}

/** The program that called over MCP. Each method fails if the program has not said that it can do this. */
export interface ToolClient {
  readonly capabilities: { elicitation: boolean; sampling: boolean; roots: boolean };
  elicit(form: ClientForm): Promise<FormAnswer>;
  sample(question: ClientQuestion): Promise<Record<string, unknown>>;
  roots(key?: string): Promise<{ uri: string; name?: string }[]>;
}
