import { Failure } from "../protocol/failure.ts";
import { type Files, lengthOf, type StoredFile } from "../protocol/files.ts";
import type { ImagePart, TextPart } from "../protocol/messages.ts";

/** Image types that all vendors accept. */
const READABLE_IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Turns attached files into parts of the person's message. Throws NOT_FOUND, FORBIDDEN or INVALID_INPUT. */
export async function attachmentParts(
  files: Files,
  userId: string,
  attachments: readonly { fileId: string }[] = [],
): Promise<(TextPart | ImagePart)[]> {
  const parts: (TextPart | ImagePart)[] = [];
  for (const { fileId } of attachments) parts.push(partFor(await files.own(userId, fileId)));
  return parts;
}

function partFor(file: StoredFile): TextPart | ImagePart {
  const { id, name, mimeType } = file;
  if (READABLE_IMAGES.has(mimeType)) return { type: "image", mimeType, fileId: id };
  if (isTextType(mimeType))
    return { type: "text", text: "", file: { id, name, mimeType, ...lengthOf(file) } };
  throw new Failure(
    "INVALID_INPUT",
    `“${name}” cannot be attached: a model reads PNG, JPEG, GIF and WebP images, PDF, Word, Excel, PowerPoint, OpenDocument and text files.`,
  );
}

/** True for types that can be read as text, including markup. */
export function isTextType(mimeType: string): boolean {
  return (
    mimeType === "application/pdf" ||
    mimeType === "image/svg+xml" ||
    !/^(image|audio|video)\/|octet-stream/.test(mimeType)
  );
}
