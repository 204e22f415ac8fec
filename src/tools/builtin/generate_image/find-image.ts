import type { AssistantPart, ImagePart } from "../../../protocol/messages.ts";

/** An image in a model's text: Markdown, a bare address or a data URL. */
const WRITTEN =
  /data:image\/[\w.+-]+;base64,(?<data>[A-Za-z0-9+/=\s]+)|!\[[^\]]{0,500}\]\((?<linked>https?:\/\/[^\s)]{1,4000})\)|^\s*(?<bare>https?:\/\/\S{1,4000})\s*$/;

/** Returns the image in an answer, in whatever form the vendor sends it. */
export function findImage(parts: AssistantPart[]): ImagePart | undefined {
  const image = parts.find((part) => part.type === "image");
  if (image?.type === "image") return image;
  for (const part of parts) {
    const found = part.type === "text" ? WRITTEN.exec(part.text)?.groups : undefined;
    if (found?.data !== undefined) return { type: "image", mimeType: "image/png", data: found.data };
    const url = found?.linked ?? found?.bare;
    if (url !== undefined) return { type: "image", mimeType: "image/png", url };
  }
  return undefined;
}
