import { isObject } from "../../../protocol/json.ts";
import type { ImagePart } from "../../../protocol/messages.ts";

/** An image in an answer, as a data URL, an address or bare base64; undefined for anything else. */
export function readImage(value: unknown): ImagePart | undefined {
  if (typeof value === "string") return fromUrl(value);
  if (!isObject(value)) return undefined;
  if (typeof value.b64_json === "string") {
    return { type: "image", mimeType: "image/png", data: value.b64_json };
  }
  const source = value.image_url ?? value.url;
  if (typeof source === "string") return fromUrl(source);
  return isObject(source) && typeof source.url === "string" ? fromUrl(source.url) : undefined;
}

function fromUrl(url: string): ImagePart | undefined {
  const comma = url.indexOf(",");
  const data = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=-]+)*;base64$/.exec(url.slice(0, Math.max(comma, 0)));
  if (data) return { type: "image", mimeType: data[1] ?? "image/png", data: url.slice(comma + 1) };
  if (!/^https?:\/\//.test(url)) return undefined;
  const extension = /\.(jpe?g|webp|gif|avif)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? "png";
  return { type: "image", mimeType: `image/${extension === "jpg" ? "jpeg" : extension}`, url };
}
