import { byteSize } from "../../protocol/byte-size.ts";
import { readDataUrl } from "../../protocol/data-url.ts";
import { HEAD_BYTES, sniffHead } from "../../protocol/file-type.ts";
import type { ImagePart, Part } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import type { ImageRules } from "../../protocol/quirks.ts";
import { vendorOf } from "./failures.ts";
import type { Turn } from "./history.ts";
import { imageSize } from "./image-size.ts";

/** An image as a vendor gets it: its bytes, its address, or a note that says why it is not there. */
export type SentImage =
  | { type: "bytes"; mimeType: string; data: string }
  | { type: "url"; mimeType: string; url: string }
  | { type: "note"; text: string };

/** What most vendors take. */
const USUAL_IMAGES: ImageRules = {
  types: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  maxBase64Together: 48 * 1024 * 1024,
  urls: /^https?:\/\//i,
};

/** Decides about every image of a conversation, the newest first, because there is a most of them. */
export function chooseImages(
  turns: readonly Turn[],
  context: DialectContext,
  usual: ImageRules = USUAL_IMAGES,
): (part: ImagePart) => SentImage {
  const rules = { ...usual, ...context.quirks.images };
  const chosen = new Map<ImagePart, SentImage>();
  const room = { count: rules.maxCount ?? Infinity, base64: rules.maxBase64Together ?? Infinity };
  for (const part of turns.flatMap(imagesOf).toReversed()) {
    if (part.type !== "image") continue;
    const image = chooseImage(part, context, rules);
    const size = image.type === "bytes" ? image.data.length : 0;
    if (image.type === "note") chosen.set(part, image);
    else if (room.count < 1 || room.base64 < size) {
      const why = rules.maxCount === 0 ? "refused it" : "does not take more images at once";
      chosen.set(part, note({ ...part, mimeType: image.mimeType }, `${vendorOf(context)} ${why}`));
    } else {
      room.count--;
      room.base64 -= size;
      chosen.set(part, image);
    }
  }
  return (part) => chosen.get(part) ?? { type: "note", text: MISSING };
}

/** Returns the parts of a turn, and the images of the results that it led to. */
export function imagesOf({ parts, answers }: Turn): Part[] {
  return [...parts, ...answers.flatMap(({ result }) => result.images ?? [])];
}

const ABOUT_IMAGES =
  /\bimages?\b|image_url|input_image|inline_?data|vision|multi-?modal|mmproj|media.?type|mime.?type|content must be a string/i;

/** True if a vendor refused a request because of its images. It is then asked again with notes in their place. */
export function refusesImages(
  status: number,
  body: string,
  { messages }: Pick<ModelRequest, "messages">,
): boolean {
  if (status < 400 || status > 500 || [401, 402, 403, 408, 429].includes(status)) return false;
  return ABOUT_IMAGES.test(body) && messages.some(({ parts }) => parts.some(hasImage));
}

function hasImage(part: Part): boolean {
  return part.type === "image" || (part.type === "tool_result" && part.images !== undefined);
}

/** Returns an image as an address, with its bytes inside where there are any. */
export function imageUrl(image: Exclude<SentImage, { type: "note" }>): string {
  return image.type === "url" ? image.url : `data:${image.mimeType};base64,${image.data}`;
}

const MISSING = "[An image that cannot be shown here.]";

function chooseImage(given: ImagePart, context: DialectContext, rules: ImageRules): SentImage {
  const part = fromDataUrl(given);
  const who = vendorOf(context);
  if (context.model.supportsImages === false) return note(part, `${context.model.name} does not read images`);
  if (part.data === undefined) {
    if (!part.url) return { type: "note", text: MISSING };
    if (rules.urls?.test(part.url)) return { type: "url", mimeType: part.mimeType, url: part.url };
    return note(part, `${who} does not load images from that address`);
  }
  // What comes from a file was encoded here.
  const isOwn = part.fileId !== undefined || part.asideId !== undefined;
  const data = isOwn ? part.data : normalBase64(part.data);
  const head = Buffer.from(data.slice(0, (HEAD_BYTES * 4) / 3), "base64");
  const mimeType = sniffImage(head) ?? part.mimeType.toLowerCase().replace("image/jpg", "image/jpeg");
  const image = { ...part, mimeType, data };
  if (data === "") return note(image, "it is empty or damaged");
  if (!rules.types.includes(mimeType)) return note(image, `${who} does not take this type`);
  if (data.length > (rules.maxBase64 ?? Infinity)) return note(image, `it is too large for ${who}`);
  const side = rules.maxSide && imageSize(Buffer.from(data.slice(0, 100_000), "base64"), mimeType);
  if (rules.maxSide && side && side > rules.maxSide) return note(image, `it has too many pixels for ${who}`);
  return { type: "bytes", mimeType, data };
}

/** Clients may put the bytes into an address. */
function fromDataUrl(part: ImagePart): ImagePart {
  const inside = part.data === undefined ? readDataUrl(part.url ?? "") : undefined;
  if (!inside) return part;
  const { url: _, ...rest } = part;
  const { mimeType, isBase64, data } = inside;
  return { ...rest, mimeType: mimeType || part.mimeType, data: isBase64 ? data : toBase64(data) };
}

function toBase64(percentEncoded: string): string {
  const bytes = percentEncoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("base64");
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns base64 as all vendors read it: without line breaks, padded, in the standard alphabet. Empty if it is something else. */
function normalBase64(data: string): string {
  if (data.length % 4 === 0 && BASE64.test(data)) return data;
  const plain = data.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
  return BASE64.test(plain) ? Buffer.from(plain, "base64").toString("base64") : "";
}

const OTHER_IMAGES: readonly [string, RegExp][] = [
  ["image/bmp", /^BM/],
  ["image/tiff", /^(?:II\*\0|MM\0\*)/],
  ["image/heic", /^[\s\S]{4}ftyp(?:heic|heix|hevc)/],
  ["image/heif", /^[\s\S]{4}ftyp(?:mif1|msf1)/],
  ["image/svg+xml", /^\s*<(?:\?xml|svg|!doctype svg)/i],
];

/** Detects the type from the first bytes, because vendors refuse an image that is not what it is said to be. */
function sniffImage(head: Uint8Array): string | undefined {
  const known = sniffHead(head);
  if (known !== undefined) return known;
  const start = Buffer.from(head.subarray(0, 64)).toString("latin1");
  return OTHER_IMAGES.find(([, signature]) => signature.test(start))?.[0];
}

function note({ mimeType, data }: ImagePart, why: string): SentImage {
  const bytes = data === undefined ? 0 : Math.floor((data.length * 3) / 4);
  const size = bytes >= 100_000 ? `, ${byteSize(bytes)},` : "";
  return { type: "note", text: `[An image of type ${mimeType}${size} cannot be shown here: ${why}.]` };
}
