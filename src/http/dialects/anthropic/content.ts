import { readDataUrl } from "../../../protocol/data-url.ts";
import { FILE_ID, namedFile } from "../../../protocol/files.ts";
import { isObject } from "../../../protocol/json.ts";
import type { ImagePart, TextPart } from "../../../protocol/messages.ts";
import { refused } from "./errors.ts";
import { type Body, objectsIn, readText, required } from "./fields.ts";

const PDF = "application/pdf";
/** Fields that only their vendor can read. */
const UNREADABLE: ReadonlySet<string> = new Set([
  "encrypted_content",
  "encrypted_index",
  "encrypted_stdout",
  "cache_control",
  "signature",
]);
const MOST_FOREIGN = 20_000;

/** Reads content as blocks: a string is one text. */
export function readBlocks(content: unknown, at: string): Body[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (content === undefined || content === null) throw refused(at, "Field required");
  if (!Array.isArray(content)) throw refused(at, "Input should be a valid list");
  return objectsIn(content, at);
}

/** Reads a block of a user's message or of a result: a text, an image, or the text of a document. */
export function readUserBlock(block: Body, at: string): (TextPart | ImagePart)[] {
  const { type, file_id: id } = isObject(block.source) ? block.source : {};
  if (type === "file" && typeof id === "string" && FILE_ID.test(id)) return [namedFile(id)];
  switch (required(readText(block, "type", `${at}.type`), `${at}.type`)) {
    case "text":
      return [{ type: "text", text: required(readText(block, "text", `${at}.text`), `${at}.text`) }];
    case "image":
      return [readImage(block, at)];
    // Programs for several vendors send OpenAI's form as well.
    case "image_url":
    case "input_image":
      return [readImage({ source: sourceOfUrl(block.image_url) }, at)];
    case "document":
      return readDocument(block, at);
    case "search_result":
      return [{ type: "text", text: searchResultText(block) }];
    // They say which tools there are from here on.
    case "tool_addition":
    case "tool_removal":
      return [];
    default:
      return [{ type: "text", text: foreignText(block) }];
  }
}

/** Returns the text of blocks, and leaves the rest out. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block) => (isObject(block) && typeof block.text === "string" ? block.text : ""))
    .join("\n");
}

/** Reads an image as bytes or as a URL. Only the vendor opens the URL. */
function readImage(block: Body, at: string): ImagePart {
  const source = sourceOf(block, at);
  if (source.type === "url") {
    const url = required(readText(source, "url", `${at}.source.url`), `${at}.source.url`);
    if (!URL.canParse(url) || !/^https?:/i.test(url)) throw refused(`${at}.source.url`, "Invalid URL");
    const extension = /\.(jpe?g|webp|gif)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? "png";
    return { type: "image", mimeType: `image/${extension === "jpg" ? "jpeg" : extension}`, url };
  }
  if (source.type !== "base64") return { type: "image", mimeType: "image/png" };
  const mimeType = readText(source, "media_type", `${at}.source.media_type`) ?? "image/png";
  return { type: "image", mimeType, data: base64In(source, at) };
}

function sourceOfUrl(image: unknown): Body {
  const url = isObject(image) ? image.url : image;
  const { mimeType: media_type, isBase64, data } = readDataUrl(String(url)) ?? {};
  return isBase64 ? { type: "base64", media_type, data } : { type: "url", url };
}

function readDocument(block: Body, at: string): (TextPart | ImagePart)[] {
  const source = sourceOf(block, at);
  if (source.type === "base64" && (source.media_type ?? PDF) === PDF)
    return [{ type: "image", mimeType: PDF, data: base64In(source, at) }];
  const title = typeof block.title === "string" ? ` title="${block.title.replace(/["<>&]/g, "_")}"` : "";
  const open = `<document${title}>\n`;
  const close = "\n</document>";
  if (source.type !== "content") return [{ type: "text", text: open + documentText(source, at) + close }];
  const parts = readBlocks(source.content, `${at}.source.content`).flatMap((inner, index) =>
    readUserBlock(inner, `${at}.source.content.${index}`),
  );
  return [{ type: "text", text: open }, ...parts, { type: "text", text: close }];
}

function documentText(source: Body, at: string): string {
  switch (source.type) {
    case "text":
      return required(readText(source, "data", `${at}.source.data`), `${at}.source.data`);
    case "base64":
      return Buffer.from(base64In(source, at), "base64").toString("utf8");
    case "url":
      return `[A document at ${String(source.url)}, which this model cannot open.]`;
    default:
      return "[A document that this model cannot open.]";
  }
}

function searchResultText(block: Body): string {
  const head = [block.title, block.source].filter((one) => typeof one === "string").join(" — ");
  return `${head}\n${textIn(block.content)}`;
}

/** Returns what a block of another vendor's own tools says, as text. */
export function foreignText(block: Body): string {
  const json = JSON.stringify(block, (key, value) => (UNREADABLE.has(key) ? undefined : value));
  return `[${json.slice(0, MOST_FOREIGN)}]`;
}

function sourceOf(block: Body, at: string): Body {
  const { source } = block;
  if (!isObject(source)) throw refused(`${at}.source`, "Field required");
  return source;
}

function base64In(source: Body, at: string): string {
  const where = `${at}.source.data`;
  const data = required(readText(source, "data", where), where).replace(/\s+/g, "");
  if (data === "" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(data)) throw refused(where, "Invalid base64 data");
  return data;
}
