import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { type ImagePart, type Message, textOf } from "../../protocol/messages.ts";
import type { EmitModelEvent, ModelEvent, ModelRequest } from "../../protocol/model.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  WireFile,
  WireRequest,
} from "../../protocol/provider.ts";
import type { ImageRules } from "../../protocol/quirks.ts";
import { jsonBody } from "./body.ts";
import { emptyAnswer, readVendorError, statusFailure, unreadable, vendorFailure } from "./failures.ts";
import { chooseImages, type SentImage } from "./images.ts";
import { readImage } from "./openai-chat/images.ts";
import { readUsage } from "./openai-responses/usage.ts";

/** OpenAI's images endpoint: makes an image from the last user message, or edits the images that came with it. */
export const openaiImages: Dialect = {
  id: "openai-images",
  encode,
  reader: readAnswer,
  failure: statusFailure,
};

// Request down

const LONGEST_PROMPT = 32_000;
const EDITABLE: ImageRules = {
  types: ["image/png", "image/jpeg", "image/webp"],
  maxBase64Together: 48 * 1024 * 1024,
  maxCount: 16,
};

function encode(request: ModelRequest, context: DialectContext): WireRequest {
  const said = request.messages.findLast((message) => message.role === "user");
  const prompt = said ? textOf(said).trim() : "";
  if (prompt === "") throw new Failure("INVALID_INPUT", "Say in words what the image should show.");
  const turn = { role: "user" as const, own: false, parts: shown(said), answers: [] };
  const images = chooseImages([turn], context, EDITABLE);
  const files = turn.parts.map(images).flatMap(encodeImage);
  const size = sizeFor(request.aspectRatio);
  const body = jsonBody(
    { model: context.model.name, prompt: prompt.slice(0, LONGEST_PROMPT), ...(size ? { size } : {}) },
    context,
  );
  return files.length === 0 ? { path: "/images/generations", body } : { path: "/images/edits", body, files };
}

/** The endpoint has three sizes. Returns the nearest. */
function sizeFor(aspectRatio: string | undefined): string | undefined {
  const [width, height] = aspectRatio?.split(":").map(Number) ?? [];
  if (!width || !height) return undefined;
  return width === height ? "1024x1024" : width > height ? "1536x1024" : "1024x1536";
}

function shown(message: Message | undefined): ImagePart[] {
  return (message?.parts ?? []).filter((part) => part.type === "image");
}

/** The endpoint takes only bytes. Images that it does not take are left out. */
function encodeImage(image: SentImage, index: number): WireFile[] {
  if (image.type !== "bytes") return [];
  const { mimeType, data } = image;
  const extension = mimeType.split("/")[1]?.replace("jpeg", "jpg") ?? "png";
  return [{ field: "image[]", name: `image-${index + 1}.${extension}`, mimeType, data }];
}

// Frames up

function readAnswer(emit: EmitModelEvent, context: DialectContext): AnswerReader {
  function readBody(body: Record<string, unknown>, entries: unknown[]): void {
    const { output_format: format } = body;
    const images = entries.map(readImage).filter((image) => image !== undefined);
    for (const image of images)
      if (image.data !== undefined && typeof format === "string") image.mimeType = `image/${format}`;
    const usage = readUsage(body.usage);
    if (usage) emit({ type: "usage", usage });
    emit(finish(images, context));
  }

  return {
    frame(body, event) {
      if (!isObject(body)) throw unreadable(context);
      throwIfError(body, context);
      // Drafts are events of their own and are not shown.
      if (String(body.type ?? event ?? "").endsWith(".completed")) readBody(body, [body]);
    },
    whole(body) {
      throwIfError(body, context);
      if (!isObject(body) || !Array.isArray(body.data)) throw unreadable(context);
      readBody(body, body.data.filter(isObject));
    },
  };
}

// Finish

function finish(images: ImagePart[], context: DialectContext): ModelEvent {
  if (images.length === 0) throw emptyAnswer(context);
  return { type: "finish", reason: "stop", parts: images };
}

// Errors

function throwIfError(body: unknown, context: DialectContext): void {
  const error = readVendorError(body);
  if (error) throw vendorFailure(error, context);
}
