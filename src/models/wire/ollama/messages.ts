import type { JsonObject } from "../../../protocol/json.ts";
import type { AssistantPart, ImagePart } from "../../../protocol/messages.ts";
import type { ModelRequest } from "../../../protocol/model.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import type { ImageRules } from "../../../protocol/quirks.ts";
import { MADE_IMAGE, readHistory, sentArguments, type Turn, wireResults } from "../history.ts";
import { chooseImages, type SentImage } from "../images.ts";
import { assignCallIds, mapToolNames, type ToolNames, type VendorCallIds } from "../tools.ts";

export interface OllamaMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  /** Bytes in base64, without a data URL around them. */
  images?: string[];
  thinking?: string;
  tool_calls?: { id: string; function: { name: string; arguments: JsonObject } }[];
  tool_name?: string;
  tool_call_id?: string;
}

/** The only formats that every vision model of Ollama reads. It loads nothing from the web. */
const IMAGES: ImageRules = { types: ["image/png", "image/jpeg", "image/webp"] };

/** Encodes the history: the same messages always give the same bytes. */
export function encodeMessages(
  request: ModelRequest,
  names: ToolNames,
  context: DialectContext,
): OllamaMessage[] {
  const { system, turns } = readHistory(request, context, { alternating: true });
  const images = chooseImages(turns, context, IMAGES);
  const callIds = assignCallIds();
  const messages: OllamaMessage[] = [];
  if (system.length > 0) messages.push({ role: "system", content: system.join("\n\n") });
  for (const turn of turns) {
    if (turn.role === "user") messages.push(userMessage(turn.parts, images));
    else messages.push(...assistantMessage(turn, names, callIds));
    for (const { call, id, text } of wireResults(turn, callIds)) {
      messages.push({ role: "tool", content: text, tool_name: names.toWire(call.name), tool_call_id: id });
    }
  }
  return messages;
}

function userMessage(parts: AssistantPart[], choose: (part: ImagePart) => SentImage): OllamaMessage {
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    if (part.type !== "image") continue;
    const image = choose(part);
    if (image.type === "bytes") images.push(image.data);
    if (image.type === "note") texts.push(image.text);
  }
  return { role: "user", content: texts.join("\n\n"), ...(images.length > 0 && { images }) };
}

function assistantMessage(turn: Turn, names: ToolNames, callIds: VendorCallIds): OllamaMessage[] {
  const content = turn.parts
    .map((part) => (part.type === "image" ? MADE_IMAGE : part.type === "text" ? part.text : ""))
    .join("");
  // Only the model itself can use its thoughts, and only while it works on the same task.
  const thinking = turn.parts
    .map((part) => (part.type === "reasoning" && turn.own ? part.text : ""))
    .join("");
  const calls = turn.parts.flatMap((part) =>
    part.type === "tool_call"
      ? {
          id: callIds.of(part, turn.own),
          // Anything but an object is refused, for this and every later request.
          function: { name: names.toWire(part.name), arguments: sentArguments(part) },
        }
      : [],
  );
  if (content === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content,
      ...(thinking !== "" && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

const CHARACTERS_PER_TOKEN = 4;

/** Returns how many tokens the texts of a request have, roughly. Tools are left out, because Ollama shortens them. */
export function estimateTokens(request: ModelRequest, context: DialectContext): number {
  let characters = 0;
  for (const { content, tool_calls: calls } of encodeMessages(
    request,
    mapToolNames(request.tools),
    context,
  )) {
    characters += content.length + (calls ? JSON.stringify(calls).length : 0);
  }
  return Math.round(characters / CHARACTERS_PER_TOKEN);
}
