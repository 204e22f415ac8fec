import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { type ImagePart, textOf } from "../../protocol/messages.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  EmitModelEvent,
  ModelEvent,
  ModelRequest,
  WireFile,
  WireRequest,
} from "../../protocol/model.ts";
import { jsonBody } from "./body.ts";
import { emptyAnswer, readVendorError, statusFailure, unreadable, vendorFailure } from "./failures.ts";
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

function encode(request: ModelRequest, context: DialectContext): WireRequest {
  const said = request.messages.findLast((message) => message.role === "user");
  const prompt = said ? textOf(said).trim() : "";
  if (prompt === "") throw new Failure("INVALID_INPUT", "Say in words what the image should show.");
  const files = (said?.parts ?? []).filter((part) => part.type === "image").flatMap(encodeImage);
  const size = sizeFor(request.aspectRatio);
  const body = jsonBody({ model: context.model.name, prompt, ...(size ? { size } : {}) }, context);
  return files.length === 0 ? { path: "/images/generations", body } : { path: "/images/edits", body, files };
}

/** The endpoint has three sizes. Returns the nearest. */
function sizeFor(aspectRatio: string | undefined): string | undefined {
  const [width, height] = aspectRatio?.split(":").map(Number) ?? [];
  if (!width || !height) return undefined;
  return width === height ? "1024x1024" : width > height ? "1536x1024" : "1024x1536";
}

/** The endpoint takes only bytes, so images with just a URL are left out. */
function encodeImage({ mimeType, data }: ImagePart, index: number): WireFile[] {
  if (data === undefined) return [];
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
