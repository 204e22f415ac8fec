import type { ToolError } from "./failure.ts";
import type { FileLength } from "./files.ts";
import { Remembered } from "./growing.ts";
import type { JsonObject } from "./json.ts";
import type { ShownPlan } from "./plan.ts";

export type Role = "system" | "user" | "assistant";

/** Whether the text of a result comes from Tackle and the person, or from outside. */
export type Trust = "trusted" | "untrusted";

/**
 * Data that a vendor expects back unchanged with a part: signatures, encrypted reasoning, item ids.
 * Only the dialect that wrote it reads it, and it is sent only to the model that made it.
 */
export type PartMetadata = JsonObject;

export interface TextPart {
  type: "text";
  text: string;
  /** The part stands for an attached file. Its text is not stored here but read for every model request. */
  file?: { id: string; name: string; mimeType: string } & FileLength;
  /** The message was imported, so its author need not be the person or their model. */
  origin?: "import";
  /** What the person wanted made when they sent this. The model is told so each time. */
  mode?: "artifact" | "image";
  /** The state of the git repository when the person sent this. The model is told so each time. */
  git?: string;
  /** The MCP server whose interface wrote the text. The person only let it be sent. */
  app?: string;
  /** What interfaces of MCP servers told the model with it. */
  apps?: { server: string; text: string }[];
  /** In an assistant message: the person sent this text into the run as the message with this id, and it took effect here. */
  messageId?: string;
  metadata?: PartMetadata;
}

export interface ReasoningPart {
  type: "reasoning";
  text: string;
  metadata?: PartMetadata;
}

/** How closely a model is to look at an image. */
export type ImageDetail = "low" | "high" | "original";

/** An image: the id of a stored file, its bytes in base64, or a URL. */
export interface ImagePart {
  type: "image";
  mimeType: string;
  fileId?: string;
  /** Bytes that came with a client's history. They are kept for a while and belong to no file. */
  asideId?: string;
  data?: string;
  url?: string;
  /** What the client asks for. Undefined leaves it to the vendor. */
  detail?: ImageDetail;
  /** As in `TextPart`: the person sent it into the run. */
  messageId?: string;
  metadata?: PartMetadata;
}

export interface ToolCallPart {
  type: "tool_call";
  /** Our own id, unique within the run. The vendor's id, if it has to be kept, is in the metadata. */
  id: string;
  /** The tool's name in the registry, mapped back from the name that the vendor was sent. */
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
  /** The text that the model reads, already cut to its limit. */
  output: string;
  trust: Trust;
  /** The effect of the call. The policy takes earlier effects into account. */
  effect?: "none" | "read" | "write" | "network";
  /** Set if untrusted text comes from the person's own folders. */
  origin?: "workspace";
  /** Where its text comes from: the origin of a page, a configured server, a tool of the person. */
  sources?: string[];
  /** Set if not everybody can read what it says, whatever the effect of the call. */
  private?: boolean;
  /** Addresses that the tool itself vouches for, such as those of search results. They may be read unasked. */
  links?: string[];
  /** What the first layer found in untrusted text. */
  labels?: string[];
  /** What the person wrote themselves when the call asked them. */
  personTexts?: string[];
  /** The plan that the person has approved, as it then was. It holds for the rest of the run. */
  plan?: ShownPlan;
  error?: ToolError;
  /** Images that belong to the result. Models that see images get them after it. */
  images?: ImagePart[];
  /** The client ran the tool. The model reads exactly the text that the client sent. */
  fromClient?: boolean;
}

export type AssistantPart = TextPart | ReasoningPart | ImagePart | ToolCallPart;
export type Part = AssistantPart | ToolResultPart;

/**
 * One message of a session. An assistant message holds a whole run: the parts of each step in order, followed by the
 * results of that step's calls. Results therefore mark the end of a step.
 */
export interface Message {
  id: string;
  role: Role;
  parts: Part[];
  /** The name that a client gives the speaker, for vendors that take it. */
  name?: string;
  /** What the model is told with the person's words, such as the day. Added for each request and never stored. */
  note?: string;
  /** The `provider/model` that wrote an assistant message. Metadata is sent back only to that model. */
  model?: string;
}

export interface Step {
  parts: AssistantPart[];
  results: ToolResultPart[];
}

/** Splits an assistant message into steps: what the model said, and the results that it was then given. */
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

/** What the model is told with a message that was sent into its run. */
const SENT_MEANWHILE =
  "The person sent this while you were working. Answer it, or adapt what you do to it, before you go on.";

/** Returns the messages that one stands for: what the person sent into a run is its own message, at its place. */
export function unfoldMessage(message: Message): Message[] {
  if (message.role !== "assistant" || !message.parts.some(isSentIn)) return [message];
  const messages: Message[] = [];
  for (const part of message.parts) {
    const messageId = isSentIn(part) ? part.messageId : undefined;
    const last = messages.at(-1);
    if (last && (messageId === undefined ? last.role === "assistant" : last.id === messageId))
      last.parts.push(part);
    else if (messageId === undefined)
      messages.push({ ...message, id: `${message.id}:${messages.length}`, parts: [withoutGap(part)] });
    else messages.push({ id: messageId, role: "user", parts: [part], note: SENT_MEANWHILE });
  }
  return messages;
}

/** Its own message needs no break before it. */
function withoutGap(part: Part): Part {
  return part.type === "text" ? { ...part, text: part.text.replace(/^\n+/, "") } : part;
}

/** True for a part that the person sent into the run. */
export function isSentIn(part: Part): part is (TextPart | ImagePart) & { messageId: string } {
  return (part.type === "text" || part.type === "image") && part.messageId !== undefined;
}

/** All text of a message, joined. What the person sent into a run appears in paragraphs of its own. */
export function textOf(message: Pick<Message, "parts">): string {
  let text = "";
  let last: string | undefined;
  for (const part of message.parts) {
    if (part.type !== "text") continue;
    if (text !== "" && part.messageId !== last) text = `${text.trimEnd()}\n\n${part.text.trimStart()}`;
    else text += part.text;
    last = part.messageId;
  }
  return text;
}

/** Makes a message from one text. */
export function textMessage(id: string, role: Role, text: string): Message {
  return { id, role, parts: [{ type: "text", text }] };
}

/** What occurs anywhere in a list of messages. Code that handles it skips conversations without it. */
export interface MessageFacts {
  /** Calls and their results. */
  calls: boolean;
  /** Images, also those of results, and attached files. */
  files: boolean;
  /** What the person sent into a run. */
  sentIn: boolean;
  /** Reasoning that a vendor has signed. */
  signed: boolean;
}

const known = new Remembered<Message, MessageFacts>(() => ({
  calls: false,
  files: false,
  sentIn: false,
  signed: false,
}));

/** Returns what occurs in a list of messages. Only those that were added since the last time are looked at. */
export function factsOf(messages: readonly Message[]): MessageFacts {
  const older = countOlder(messages);
  const facts = { ...known.of(messages, older, note) };
  note(facts, messages.slice(older));
  return facts;
}

function note(facts: MessageFacts, messages: readonly Message[]): void {
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type === "tool_call" || part.type === "tool_result") facts.calls = true;
      if (hasFile(part)) facts.files = true;
      if (isSentIn(part)) facts.sentIn = true;
      if (part.type === "reasoning" && part.metadata) facts.signed = true;
    }
}

/** Returns how many messages come before the person's newest one. They stay the same while it is answered. */
export function countOlder(messages: readonly Message[]): number {
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );
}

/** True if a part is or has an image or a file. */
export function hasFile(part: Part): boolean {
  if (part.type === "tool_result") return part.images !== undefined;
  return part.type === "image" || (part.type === "text" && part.file !== undefined);
}
