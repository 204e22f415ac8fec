import { Failure } from "../../protocol/failure.ts";
import { isObject, type JsonObject, parseObject } from "../../protocol/json.ts";
import { type ImagePart, textOf } from "../../protocol/messages.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  EmitModelEvent,
  ModelRequest,
  WireFile,
  WireRequest,
} from "../../protocol/model.ts";
import {
  cutOff,
  emptyAnswer,
  readErrorBody,
  readVendorError,
  unreadable,
  vendorFailure,
} from "./failures.ts";
import { readImage } from "./openai-chat/images.ts";
import { readUsage } from "./openai-responses/usage.ts";

/** OpenAI's images endpoint: makes an image of what the person said last, or changes the images that came with it. */
export const openaiImages: Dialect = {
  id: "openai-images",
  encode,
  reader: readAnswer,
  failure: (response, body, context) => vendorFailure(readErrorBody(body), context, response, body),
};

// Request down

function encode(request: ModelRequest, { model }: DialectContext): WireRequest {
  const said = request.messages.findLast((message) => message.role === "user");
  const prompt = said ? textOf(said).trim() : "";
  if (prompt === "") throw new Failure("INVALID_INPUT", "Say in words what the image should show.");
  const files = (said?.parts ?? []).filter((part) => part.type === "image").flatMap(lowerImage);
  const size = sizeFor(request.aspectRatio);
  const body: JsonObject = { model: model.name, prompt, ...(size ? { size } : {}) };
  return files.length === 0 ? { path: "/images/generations", body } : { path: "/images/edits", body, files };
}

/** The endpoint knows three sizes; the nearest is taken. */
function sizeFor(aspectRatio: string | undefined): string | undefined {
  const [width, height] = aspectRatio?.split(":").map(Number) ?? [];
  if (!width || !height) return undefined;
  return width === height ? "1024x1024" : width > height ? "1536x1024" : "1024x1536";
}

/** The endpoint takes bytes; an image of which there is only an address stays out. */
function lowerImage({ mimeType, data }: ImagePart, index: number): WireFile[] {
  if (data === undefined) return [];
  const extension = mimeType.split("/")[1]?.replace("jpeg", "jpg") ?? "png";
  return [{ field: "image[]", name: `image-${index + 1}.${extension}`, mimeType, data }];
}

// Frames up

function readAnswer(emit: EmitModelEvent, context: DialectContext): AnswerReader {
  const images: ImagePart[] = [];
  let over = false;

  function fail(failure: Failure): void {
    over = true;
    emit({ type: "failure", failure });
  }

  function take(value: Record<string, unknown>, format: unknown): void {
    const image = readImage(value);
    if (image?.data !== undefined && typeof format === "string") image.mimeType = `image/${format}`;
    if (image) images.push(image);
  }

  function count(value: unknown): void {
    const usage = readUsage(value);
    if (usage) emit({ type: "usage", usage });
  }

  // Finish

  function finish(): void {
    over = true;
    if (images.length === 0) fail(emptyAnswer(context));
    else emit({ type: "finish", reason: "stop", parts: images });
  }

  return {
    frame(data, event) {
      if (over || data === "[DONE]") return;
      const body = parseObject(data);
      if (!body) return fail(unreadable(context));
      const error = readVendorError(body);
      if (error) return fail(vendorFailure(error, context));
      // Drafts come as events of their own, which nobody is shown.
      if (!String(body.type ?? event ?? "").endsWith(".completed")) return;
      take(body, body.output_format);
      count(body.usage);
      finish();
    },
    whole(body) {
      const error = readVendorError(body);
      if (error) return fail(vendorFailure(error, context));
      if (!isObject(body) || !Array.isArray(body.data)) return fail(unreadable(context));
      for (const one of body.data) if (isObject(one)) take(one, body.output_format);
      count(body.usage);
      finish();
    },
    end() {
      if (!over) fail(cutOff(context));
    },
  };
}
