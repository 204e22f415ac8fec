import { isObject, type JsonObject, type JsonSchema } from "../../../protocol/json.ts";
import type { AssistantPart, ImagePart, PartMetadata } from "../../../protocol/messages.ts";
import type { ModelInfo, ModelRequest, ReasoningEffort } from "../../../protocol/model.ts";
import { wellFormed } from "../body.ts";
import { MADE_IMAGE, readHistory, sentArguments, type Turn, wireResults } from "../history.ts";
import { chooseImages, type SentImage } from "../images.ts";
import { assignCallIds, type ToolNames, type VendorCallIds } from "../tools.ts";

// The AI SDK's types for a request, as far as we use them. The specifications differ only in how they represent a file.

export type BareFile = string | URL;
export type TaggedFile = { type: "data"; data: string } | { type: "url"; url: URL };

interface WithOptions {
  providerOptions?: Record<string, JsonObject>;
}
type TextContent = { type: "text"; text: string } & WithOptions;
type FileContent<File> = { type: "file"; data: File; mediaType: string } & WithOptions;
type ReasoningContent = { type: "reasoning"; text: string } & WithOptions;
type CallContent = { type: "tool-call"; toolCallId: string; toolName: string; input: unknown } & WithOptions;
type AnswerContent<File> = TextContent | FileContent<File> | ReasoningContent | CallContent;
interface ResultContent {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string };
}

export type PromptMessage<File> =
  | { role: "system"; content: string }
  | { role: "user"; content: (TextContent | FileContent<File>)[] }
  | { role: "assistant"; content: AnswerContent<File>[] }
  | { role: "tool"; content: ResultContent[] };

export interface CallOptions<File> {
  prompt: PromptMessage<File>[];
  tools?: { type: "function"; name: string; description: string; inputSchema: JsonSchema }[];
  toolChoice?: { type: "auto" | "none" | "required" } | { type: "tool"; toolName: string };
  maxOutputTokens?: number;
  temperature?: number;
  responseFormat?: { type: "json"; schema?: JsonSchema; name?: string };
  /** Known to specification v4 only. */
  reasoning?: ReasoningEffort;
  abortSignal: AbortSignal;
}

/** Represents an image, given its bytes in base64 or its URL. */
type PutFile<File> = (data: string | undefined, url: URL | undefined) => File | undefined;

/** A file as v2 and v3 represent it. */
export function bareFile(data: string | undefined, url: URL | undefined): BareFile | undefined {
  return data ?? url;
}

/** A file as v4 represents it. */
export function taggedFile(data: string | undefined, url: URL | undefined): TaggedFile | undefined {
  if (data !== undefined) return { type: "data", data };
  return url && { type: "url", url };
}

/** Encodes a request for the AI SDK. */
export function encodeRequest<File>(
  request: ModelRequest,
  model: { id: string; info: ModelInfo },
  names: ToolNames,
  putFile: PutFile<File>,
  abortSignal: AbortSignal,
): CallOptions<File> {
  const { maxOutputTokens, temperature, responseFormat, toolChoice } = request;
  const tools = request.tools.map((tool) => ({
    type: "function" as const,
    name: names.toWire(tool.name),
    description: tool.description,
    inputSchema: tool.parameters,
  }));
  return {
    prompt: wellFormed(encodePrompt(request, model, names, putFile)),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && toolChoice && { toolChoice: encodeToolChoice(toolChoice, names) }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(responseFormat && { responseFormat }),
    abortSignal,
  };
}

function encodeToolChoice(choice: NonNullable<ModelRequest["toolChoice"]>, names: ToolNames) {
  if (typeof choice === "string") return { type: choice };
  return { type: "tool" as const, toolName: names.toWire(choice.tool) };
}

function encodePrompt<File>(
  request: ModelRequest,
  { id, info }: { id: string; info: ModelInfo },
  names: ToolNames,
  putFile: PutFile<File>,
): PromptMessage<File>[] {
  const context = { model: info, modelId: id, quirks: info.quirks ?? {} };
  const { system, turns } = readHistory(request, context, { alternating: true });
  const callIds = assignCallIds();
  const prompt: PromptMessage<File>[] = [];
  if (system.length > 0) prompt.push({ role: "system", content: system.join("\n\n") });
  const images = chooseImages(turns, context);
  for (const turn of turns) {
    if (turn.role === "user") {
      const content = turn.parts.flatMap((part) => encodeUserPart(part, images, putFile));
      if (content.length > 0) prompt.push({ role: "user", content });
      continue;
    }
    const content = turn.parts.flatMap((part) => encodeAnswerPart(part, turn.own, names, callIds, putFile));
    if (content.length > 0) prompt.push({ role: "assistant", content });
    if (turn.answers.length > 0) prompt.push({ role: "tool", content: encodeResults(turn, names, callIds) });
  }
  return prompt;
}

function encodeUserPart<File>(
  part: AssistantPart,
  images: (part: ImagePart) => SentImage,
  putFile: PutFile<File>,
): (TextContent | FileContent<File>)[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type !== "image") return [];
  const image = images(part);
  if (image.type === "note") return [{ type: "text", text: image.text }];
  return [encodeImage({ ...image, type: "image" }, putFile) ?? { type: "text", text: MADE_IMAGE }];
}

function encodeImage<File>(part: ImagePart, putFile: PutFile<File>): FileContent<File> | undefined {
  const url = part.url !== undefined && URL.canParse(part.url) ? new URL(part.url) : undefined;
  const data = putFile(part.data, url);
  return data === undefined ? undefined : { type: "file", mediaType: part.mimeType, data };
}

/** Reasoning and provider metadata go back only to the model that wrote them. */
function encodeAnswerPart<File>(
  part: AssistantPart,
  own: boolean,
  names: ToolNames,
  callIds: VendorCallIds,
  putFile: PutFile<File>,
): AnswerContent<File>[] {
  const options = own ? providerOptionsOf(part.metadata) : {};
  switch (part.type) {
    // An empty text may carry a signature that must go back.
    case "text":
      return part.text === "" && !options.providerOptions
        ? []
        : [{ type: "text", text: part.text, ...options }];
    case "reasoning":
      return own ? [{ type: "reasoning", text: part.text, ...options }] : [];
    case "image": {
      const file = own ? encodeImage(part, putFile) : undefined;
      return file ? [{ ...file, ...options }] : [];
    }
    case "tool_call": {
      const toolCallId = callIds.of(part, own);
      const input = sentArguments(part);
      return [{ type: "tool-call", toolCallId, toolName: names.toWire(part.name), input, ...options }];
    }
  }
}

function providerOptionsOf(metadata: PartMetadata | undefined): WithOptions {
  const options = metadata?.providerMetadata;
  return isObject(options) ? { providerOptions: options as Record<string, JsonObject> } : {};
}

function encodeResults(turn: Turn, names: ToolNames, callIds: VendorCallIds): ResultContent[] {
  return wireResults(turn, callIds).map(({ id, text, call, result }) => ({
    type: "tool-result",
    toolCallId: id,
    toolName: names.toWire(call.name),
    output: { type: result.success ? "text" : "error-text", value: text },
  }));
}
