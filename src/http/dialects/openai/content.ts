import { sniffHead } from "../../../protocol/file-type.ts";
import { FILE_ID, namedFile } from "../../../protocol/files.ts";
import { isObject } from "../../../protocol/json.ts";
import type { ImageDetail, ImagePart, TextPart } from "../../../protocol/messages.ts";
import { refused } from "./errors.ts";
import { type Body, missing, notAmong, wrongType } from "./fields.ts";
import { addressIn, IMAGE_TYPES, readOtherPart } from "./file-content.ts";

const DATA_URL = /^data:([^;,]+)?((?:;[\w=.+-]+)*),/;
const TEXT_PARTS = ["text", "input_text", "output_text", "summary_text", "reasoning_text"];
const DETAILS: readonly ImageDetail[] = ["low", "high", "original"];
const KNOWN_PARTS: ReadonlySet<string> = new Set([...TEXT_PARTS, "refusal"]);

/** Reads content that must be text: a string or text parts. */
export function readTextContent(content: unknown, at: string): string {
  if (typeof content === "string") return content;
  if (content === null) return "";
  if (!Array.isArray(content)) throw wrongContent(content, at);
  // What other vendors have between texts, such as thinking, is nothing that was said.
  const isSaid = (part: unknown) =>
    !isObject(part) || typeof part.type !== "string" || KNOWN_PARTS.has(part.type);
  return content.map((part, index) => (isSaid(part) ? readTextPart(part, `${at}[${index}]`) : "")).join("");
}

/** Reads what a tool of the client's returned: the text as it is, and images. */
export function readResultContent(content: unknown, at: string): { output: string; images?: ImagePart[] } {
  if (typeof content === "string") return { output: content };
  if (content === undefined || content === null) return { output: "" };
  if (!Array.isArray(content)) return { output: JSON.stringify(content) };
  const parts = content.map((part, index) => readUserPart(part, `${at}[${index}]`));
  const images = parts.filter((part) => part.type === "image");
  const output = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { output, ...(images.length > 0 ? { images } : {}) };
}

/** Reads a user's content: text and images. */
export function readUserContent(content: unknown, at: string): (TextPart | ImagePart)[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (content === null || (Array.isArray(content) && content.length === 0))
    return [{ type: "text", text: "" }];
  if (!Array.isArray(content)) throw wrongContent(content, at);
  return content.map((part, index) => readUserPart(part, `${at}[${index}]`));
}

function readUserPart(part: unknown, at: string): TextPart | ImagePart {
  const named = isObject(part) ? fileIdOf(part) : undefined;
  if (named !== undefined) return namedFile(named);
  if (isObject(part) && (part.type === "image_url" || part.type === "input_image"))
    return isElsewhere(part) ? readOtherPart(part, String(part.type)) : readImage(part, at);
  if (isObject(part) && typeof part.type === "string" && !KNOWN_PARTS.has(part.type)) {
    const address = part.type === "image" ? addressIn(part) : "";
    if (/^https?:/i.test(address)) return readImage({ image_url: address }, at);
    return readOtherPart(part, part.type);
  }
  return { type: "text", text: readTextPart(part, at) };
}

/** The id of one of our files, which the client has uploaded before. */
function fileIdOf(part: Body): string | undefined {
  const { file_id: id } = isObject(part.file) ? part.file : part;
  return typeof id === "string" && FILE_ID.test(id) ? id : undefined;
}

/** True for an image that only its vendor has: the client has uploaded it there. */
function isElsewhere({ image_url: url, file_id: id }: Body): boolean {
  return (url === undefined || url === null) && typeof id === "string" && id !== "";
}

function readTextPart(part: unknown, at: string): string {
  if (typeof part === "string") return part;
  if (!isObject(part)) throw wrongType(at, "an object", part);
  if (part.type === undefined) throw missing(`${at}.type`);
  if (part.type === "refusal") return textOf(part, "refusal", at);
  if (!TEXT_PARTS.includes(String(part.type))) {
    throw notAmong(String(part.type), ["text", "image_url"], `${at}.type`);
  }
  return textOf(part, "text", at);
}

function textOf(part: Body, field: string, at: string): string {
  const value = part[field];
  if (typeof value === "string") return value;
  if (value === undefined) throw missing(`${at}.${field}`);
  throw wrongType(`${at}.${field}`, "a string", value);
}

/** Reads an image as bytes or as a URL. Only the vendor opens the URL; we fetch nothing for a client. */
function readImage(part: Body, at: string): ImagePart {
  const where = `${at}.image_url`;
  const inner = part.image_url;
  const url = isObject(inner) ? inner.url : inner;
  const asked = isObject(inner) ? (inner.detail ?? part.detail) : part.detail;
  const detail = DETAILS.find((one) => one === asked);
  const wanted = detail ? { detail } : {};
  if (url === undefined) throw missing(where);
  if (typeof url !== "string") throw wrongType(where, "a string", url);
  const data = DATA_URL.exec(url);
  if (data) return { ...fromData(url, data, where), ...wanted };
  if (!/^https?:\/\/[^/\s]+/i.test(url) || !URL.canParse(url)) {
    throw refused(
      `Invalid '${where}'. Expected a valid URL or a base64-encoded data URL, but got a value with an invalid format.`,
      where,
      "invalid_image_url",
    );
  }
  const extension = /\.(jpe?g|webp|gif)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? "png";
  return { type: "image", mimeType: `image/${extension === "jpg" ? "jpeg" : extension}`, url, ...wanted };
}

function fromData(url: string, [head, type = "", options]: RegExpExecArray, param: string): ImagePart {
  // Tools that encode in base64 break it into lines.
  const data = url.slice(head.length).replace(/\s+/g, "");
  const said = type.toLowerCase() === "image/jpg" ? "image/jpeg" : type.toLowerCase();
  const mimeType = IMAGE_TYPES.includes(said) ? said : sniffHead(Buffer.from(data.slice(0, 64), "base64"));
  if (!mimeType || !IMAGE_TYPES.includes(mimeType)) {
    throw refused(
      `You uploaded an unsupported image. Please make sure your image has one of the following formats: ['png', 'jpeg', 'gif', 'webp'].`,
      param,
      "invalid_image_format",
    );
  }
  if (!options?.includes(";base64") || data === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    throw refused(`Invalid base64 in '${param}'.`, param, "invalid_base64");
  }
  return { type: "image", mimeType, data };
}

function wrongContent(content: unknown, at: string) {
  if (content === undefined) return missing(at);
  const got = content === null ? "null" : `${Array.isArray(content) ? "array" : typeof content}`;
  return refused(`Invalid value for 'content': expected a string, got ${got}.`, at, null);
}
