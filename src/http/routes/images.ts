import { Failure } from "../../protocol/failure.ts";
import type { StoredFile } from "../../protocol/files.ts";
import { isObject } from "../../protocol/json.ts";
import { readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { refused, unsupported } from "../dialects/openai/errors.ts";
import { type Body, missing, readChoice, readFlag, readNumber, readText } from "../dialects/openai/fields.ts";
import { noteWarnings } from "../dialects/openai/warnings.ts";
import { ownOrigin } from "../own-origin.ts";
import { callToolWith } from "../tool-call.ts";
import { readFormUpload } from "../upload.ts";
import { beginUpload, filesOf } from "./files.ts";

const TOOL = "generate_image";
const MOST_IMAGES = 10;
const MOST_CHARACTERS = 2_000;
const RATIOS: readonly (readonly [string, number])[] = [
  ["1:1", 1],
  ["16:9", 16 / 9],
  ["9:16", 9 / 16],
  ["4:3", 4 / 3],
  ["3:4", 3 / 4],
];

/** OpenAI's images, made by the image tool. */
export function imageRoutes(): Route[] {
  return [
    route("POST /v1/images/generations", async (c) => {
      const body = await readJson(c);
      if (!isObject(body)) throw refused("The body must be a JSON object.", null);
      return answerImages(c, readImageRequest(body));
    }),
    route("POST /v1/images/edits", postEdit),
  ];
}

type ImageRequest = ReturnType<typeof readImageRequest>;

function readImageRequest(body: Body) {
  const prompt = readText(body, "prompt");
  if (!prompt) throw missing("prompt");
  if (prompt.length > MOST_CHARACTERS)
    throw refused(
      `Invalid 'prompt': at most ${MOST_CHARACTERS} characters.`,
      "prompt",
      "string_above_max_length",
    );
  const style = readText(body, "style");
  const model = readText(body, "model") ?? "";
  return {
    args: { prompt, aspectRatio: ratioOf(readText(body, "size")), ...(style ? { style } : {}) },
    count: readNumber(body, "n", { least: 1, most: MOST_IMAGES, whole: true }) ?? 1,
    // These models have always returned addresses.
    format: readFormat(body) ?? (/^dall-e/.test(model) ? "url" : undefined),
    model,
    stream: readFlag(body, "stream") ?? false,
    kind: "image_generation",
  };
}

/** Returns the ratio that comes closest to a size such as `1536x1024`. */
function ratioOf(size = "auto"): string {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  const wanted = Number(width) / Number(height);
  if (!Number.isFinite(wanted) || wanted <= 0) {
    if (size === "auto") return "1:1";
    throw refused(
      `Invalid 'size': '${size.slice(0, 20)}'. Expected a size such as 1024x1024.`,
      "size",
      "invalid_value",
    );
  }
  const distance = (ratio: number) => Math.abs(Math.log(ratio / wanted));
  const [nearest = RATIOS[0]] = RATIOS.toSorted(([, left], [, right]) => distance(left) - distance(right));
  return nearest?.[0] ?? "1:1";
}

async function postEdit(c: HttpContext): Promise<Response> {
  if (/^application\/json/i.test(c.req.header("content-type") ?? "")) return postJsonEdit(c);
  const { files, put } = await beginUpload(c);
  const given: StoredFile[] = [];
  try {
    const form = await readFormUpload(c.req.raw, c.env?.incoming, files.maxBytes, async (file, field) => {
      if (!/^image(?:\[\d*\])?$/.test(field) || given.length > 0) throw notTaken(field);
      given.push(await put(file));
    });
    const [image] = given;
    if (!image) throw missing("image");
    return await answerImages(c, editOf(image.id, withTypes(form)));
  } finally {
    // It was there for this request alone.
    for (const { id } of given) await files.remove(id);
  }
}

/** An edit of a file that was uploaded before. */
async function postJsonEdit(c: HttpContext): Promise<Response> {
  const body = await readJson(c);
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  const list: unknown[] = Array.isArray(body.images) ? body.images : [];
  const [image] = list;
  if (body.mask) throw notTaken("mask");
  if (list.length > 1) throw notTaken("images");
  const id = isObject(image) ? readText(image, "file_id", "images[0].file_id") : undefined;
  if (id === undefined) throw missing("images[0].file_id");
  const { id: userId } = await authenticate(c);
  await filesOf(c).own(userId, id);
  return answerImages(c, editOf(id, body));
}

function editOf(baseImage: string, body: Body): ImageRequest {
  const request = readImageRequest(body);
  return { ...request, args: { ...request.args, ...{ mode: "edit", baseImage } }, kind: "image_edit" };
}

function notTaken(field: string): Failure {
  return field === "mask"
    ? unsupported("mask", "Say in the prompt what is to be changed.")
    : unsupported(field, "Send one image to change.");
}

/** The fields of a form, which are all texts, as JSON would have them. */
function withTypes(form: Record<string, string>): Body {
  const { n, stream, ...rest } = form;
  return {
    ...rest,
    ...(n === undefined || n === "" ? {} : { n: Number(n) }),
    ...(stream === undefined ? {} : { stream: stream === "true" }),
  };
}

async function answerImages(c: HttpContext, request: ImageRequest): Promise<Response> {
  const { model, count, stream, kind } = request;
  if (model !== "")
    noteWarnings(c, [
      { code: "MODEL_IGNORED", message: "The server's image model is used. TACKLE_IMAGE_MODEL names it." },
    ]);
  const data: Record<string, string>[] = [];
  while (data.length < count) {
    try {
      data.push(await makeImage(c, request));
    } catch (thrown) {
      // What was made and paid for is not lost to a limit.
      if (data.length === 0 || !(thrown instanceof Failure)) throw thrown;
      noteWarnings(c, [{ code: thrown.code, message: thrown.publicMessage }]);
      break;
    }
  }
  const created = Math.floor(Date.now() / 1000);
  if (!stream) return c.json({ created, data, output_format: "png" });
  const events = data.map((image) => {
    const event = { type: `${kind}.completed`, created_at: created, ...image, output_format: "png" };
    return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  return c.body(events.join(""), 200, { "content-type": "text/event-stream; charset=utf-8" });
}

async function makeImage(
  c: HttpContext,
  { args, format, stream }: ImageRequest,
): Promise<Record<string, string>> {
  const { data } = await callToolWith(c, TOOL, args).catch((thrown: unknown) => {
    // A prompt that the tool does not take is the client's mistake.
    if (thrown instanceof Failure && thrown.code === "TOOL_INVALID_ARGUMENTS")
      throw refused(thrown.publicMessage, "prompt");
    throw thrown;
  });
  const { imageUrl, imageData, fileId } = isObject(data) ? data : {};
  const image: Record<string, string> = {};
  if (format !== "url" || stream || typeof imageUrl !== "string")
    image.b64_json = typeof imageData === "string" ? imageData : await storedImage(c, String(fileId));
  if (format !== "b64_json" && typeof imageUrl === "string") image.url = new URL(imageUrl, ownOrigin(c)).href;
  return image;
}

/** Reads in which form the images are wanted. Together's clients have another word for one of them. */
function readFormat(body: Body): "url" | "b64_json" | undefined {
  const format = readChoice(body, "response_format", ["url", "b64_json", "base64"]);
  return format === "base64" ? "b64_json" : format;
}

async function storedImage(c: HttpContext, fileId: string): Promise<string> {
  const { id: userId } = await authenticate(c);
  const files = filesOf(c);
  return Buffer.from(await files.read(await files.own(userId, fileId))).toString("base64");
}
