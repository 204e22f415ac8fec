import type { ToolError } from "./failure.ts";
import type { JsonObject } from "./json.ts";

export type Role = "system" | "user" | "assistant";

/** Whether the text of a result comes from us and the person, or from the outside world. */
export type Trust = "trusted" | "untrusted";

/**
 * What a vendor wants back unchanged with a part: signatures, encrypted reasoning, item ids.
 * Opaque to everything but the dialect that wrote it, and only ever sent to the model that made it.
 */
export type PartMetadata = JsonObject;

export interface TextPart {
  type: "text";
  text: string;
  /** The text is that of an attached file: it is kept without it and read in for every question. */
  file?: { id: string; name: string; mimeType: string; size: number };
  /** The message was said elsewhere and brought along: whoever wrote it need not be the person or their model. */
  origin?: "import";
  metadata?: PartMetadata;
}

export interface ReasoningPart {
  type: "reasoning";
  text: string;
  metadata?: PartMetadata;
}

/** An image: by id of a stored file, by its bytes (base64), or by an address at the vendor. */
export interface ImagePart {
  type: "image";
  mimeType: string;
  fileId?: string;
  /** Bytes that came with a whole history and are set aside for a while; they are nobody's file. */
  asideId?: string;
  data?: string;
  url?: string;
  metadata?: PartMetadata;
}

export interface ToolCallPart {
  type: "tool_call";
  /** Our own id, unique within the run; a vendor's id, where it has one to be kept, is in the metadata. */
  id: string;
  /** The registry's name of the tool, already mapped back from what the vendor allows. */
  name: string;
  /** The arguments as the model wrote them: JSON text, possibly broken. */
  arguments: string;
  metadata?: PartMetadata;
}

export interface ToolResultPart {
  type: "tool_result";
  toolCallId: string;
  toolName: string;
  success: boolean;
  /** The text that the model reads, already bounded. */
  output: string;
  trust: Trust;
  /** What the call did to the world; the policy looks back at it. */
  effect?: "none" | "read" | "write" | "network";
  /** Set where untrusted text comes from the person's own folders. */
  origin?: "workspace";
  /** What the first layer found in untrusted text. */
  labels?: string[];
  error?: ToolError;
}

export type AssistantPart = TextPart | ReasoningPart | ImagePart | ToolCallPart;
export type Part = AssistantPart | ToolResultPart;

/**
 * One message of a session. An assistant message holds a whole run: the parts of each step in order, the results of a
 * step's calls right after the step, so that results always mark the end of a step.
 */
export interface Message {
  id: string;
  role: Role;
  parts: Part[];
  /** `provider/model` that wrote an assistant message: metadata goes back to no other. */
  model?: string;
}

export interface Step {
  parts: AssistantPart[];
  results: ToolResultPart[];
}

/** Cuts an assistant message into its steps: what the model said at once, and the results it was then given. */
export function stepsOf(message: Message): Step[] {
  const steps: Step[] = [];
  let step: Step | undefined;
  for (const part of message.parts) {
    if (part.type === "tool_result") {
      step ??= pushStep(steps);
      step.results.push(part);
    } else {
      if (!step || step.results.length > 0) step = pushStep(steps);
      step.parts.push(part);
    }
  }
  return steps;
}

function pushStep(steps: Step[]): Step {
  const step: Step = { parts: [], results: [] };
  steps.push(step);
  return step;
}

/** All text of a message, joined. */
export function textOf(message: Pick<Message, "parts">): string {
  let text = "";
  for (const part of message.parts) if (part.type === "text") text += part.text;
  return text;
}

/** A message of one text. */
export function textMessage(id: string, role: Role, text: string): Message {
  return { id, role, parts: [{ type: "text", text }] };
}
