import { encodingOf, isImageType } from "../protocol/file-type.ts";
import type { StoredFile } from "../protocol/files.ts";

/** A file may not run scripts, load anything or be framed. */
const CONTAINED = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The headers of a stored file. Only types that cannot run scripts are shown inline; others are downloaded. */
export function fileHeaders(file: StoredFile): Record<string, string> & { etag: string } {
  const shown = shownType(file.mimeType);
  return {
    "content-type": shown ?? "application/octet-stream",
    "content-disposition": `${shown ? "inline" : "attachment"}; ${fileName(file.name)}`,
    "content-security-policy": CONTAINED,
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
    // A copy in a browser would outlive the file.
    "cache-control": "private, no-store",
    etag: `"${file.id}"`,
  };
}

/** The type to show a file with, or undefined to download it. All text is shown as plain text. */
function shownType(mimeType: string): string | undefined {
  if (isImageType(mimeType) || mimeType === "application/pdf") return mimeType;
  if (/^(?:audio|video)\/(?:wav|mpeg|flac|ogg|mp4|webm)$/.test(mimeType)) return mimeType;
  if (/^text\/html\b/.test(mimeType)) return undefined;
  const isText = mimeType.startsWith("text/") || mimeType === "application/json";
  return isText ? `text/plain; charset=${encodingOf(mimeType)}` : undefined;
}

/** The file name, once in ASCII for old clients and once unchanged. */
export function fileName(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${whole}`;
}
