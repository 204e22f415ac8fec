import type { AssistantPart, ImagePart } from "../../../protocol/messages.ts";

/** How models write an image into their text: as Markdown, or as the bare address or data. */
const WRITTEN =
  /data:image\/[\w.+-]+;base64,(?<data>[A-Za-z0-9+/=\s]+)|!\[[^\]]{0,500}\]\((?<linked>https?:\/\/[^\s)]{1,4000})\)|^\s*(?<bare>https?:\/\/\S{1,4000})\s*$/;

/** The image of an answer, in whichever form the vendor hands it over; undefined where there is none. */
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
