import type { Content, Part } from "@google/genai";
import type { AssistantPart, ImagePart, PartMetadata, ToolCallPart } from "../../../protocol/messages.ts";
import type { DialectContext } from "../../../protocol/provider.ts";
import type { ImageRules } from "../../../protocol/quirks.ts";
import { formatToolResult } from "../../../protocol/tool-result.ts";
import { MADE_IMAGE, sentArguments, type Turn } from "../history.ts";
import { chooseImages, type SentImage } from "../images.ts";
import type { ToolNames } from "../tools.ts";

/** The vendor's documented signature for a call that another model made. */
const SKIP_VALIDATION = "skip_thought_signature_validator";

const IMAGES: ImageRules = {
  types: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
  // A whole request may have 20 MB.
  maxBase64Together: 18 * 1024 * 1024,
  urls: /^(?:https?|gs):\/\//i,
};

/** Encodes the conversation. Each part of the model goes back with the signature that it came with. */
export function encodeTurns(turns: Turn[], context: DialectContext, names: ToolNames): Content[] {
  const contents: Content[] = [];
  const images = chooseImages(turns, context, IMAGES);
  for (const turn of turns) {
    if (turn.role === "user") {
      push(contents, "user", encodeUserParts(turn.parts, images));
      continue;
    }
    push(contents, "model", encodeModelParts(turn, context, names));
    // Kept apart from what the user says, because the vendor counts responses against calls.
    const responses = turn.answers.map(({ call, result }) => {
      const key = result.success ? "output" : "error";
      const response = { [key]: formatToolResult(result) };
      return { functionResponse: { ...vendorId(call, turn), name: names.toWire(call.name), response } };
    });
    if (responses.length > 0) contents.push({ role: "user", parts: responses });
  }
  return contents;
}

function push(contents: Content[], role: "user" | "model", parts: Part[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role !== role || last.parts?.some((part) => part.functionResponse)) {
    contents.push({ role, parts });
    return;
  }
  last.parts = [...(last.parts ?? []), ...parts];
}

function encodeUserParts(parts: AssistantPart[], images: (part: ImagePart) => SentImage): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
    return part.type === "image" ? [encodeImage(images(part))] : [];
  });
}

function encodeImage(image: SentImage): Part {
  if (image.type === "note") return { text: image.text };
  const { mimeType } = image;
  if (image.type === "url") return { fileData: { mimeType, fileUri: image.url } };
  return { inlineData: { mimeType, data: image.data } };
}

function encodeModelParts(turn: Turn, context: DialectContext, names: ToolNames): Part[] {
  const parts = turn.parts.flatMap((part) => encodeModelPart(part, turn, names));
  const call = parts.find((part) => part.functionCall);
  // Without a model id, the vendor has refused the signatures that it got or missed.
  const checked = context.modelId === "" || context.model.reasoning?.startsWith("level") || isNew(context);
  if (call && !call.thoughtSignature && checked) {
    call.thoughtSignature = SKIP_VALIDATION;
  }
  return parts;
}

/** From the third generation on, models that make images check signatures too, although they do not reason. */
function isNew({ model }: DialectContext): boolean {
  return /gemini-(?:[3-9]|\d{2})/.test(model.name);
}

/** Thoughts without a signature are dropped, because they would only cost tokens. */
function encodeModelPart(part: AssistantPart, turn: Turn, names: ToolNames): Part[] {
  const signed = turn.own ? signatureOf(part.metadata) : {};
  const isSigned = signed.thoughtSignature !== undefined;
  switch (part.type) {
    case "text":
      return part.text === "" && !isSigned ? [] : [{ text: part.text, ...signed }];
    case "reasoning":
      return isSigned ? [{ text: part.text, thought: true, ...signed }] : [];
    case "image":
      if (!turn.own || part.data === undefined) return [{ text: MADE_IMAGE }];
      return [{ inlineData: { mimeType: part.mimeType, data: part.data }, ...signed }];
    case "tool_call": {
      const args = sentArguments(part);
      return [{ functionCall: { ...vendorId(part, turn), name: names.toWire(part.name), args }, ...signed }];
    }
  }
}

function signatureOf(metadata: PartMetadata | undefined): { thoughtSignature?: string } {
  const signature = metadata?.thoughtSignature;
  return typeof signature === "string" ? { thoughtSignature: signature } : {};
}

function vendorId(call: ToolCallPart, turn: Turn): { id?: string } {
  const id = turn.own ? call.metadata?.id : undefined;
  return typeof id === "string" ? { id } : {};
}
