import { isImageType } from "../protocol/file-type.ts";
import type { StoredFile } from "../protocol/files.ts";

const SECONDS_A_DAY = 86_400;
/** Nothing in a file may run, load, be framed or talk to the page around it. */
const CONTAINED = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** What a file is served with. Only what cannot carry a script is shown in place; all else is saved. */
export function fileHeaders(
  file: StoredFile,
  secondsLeft: number,
): Record<string, string> & { etag: string } {
  const shown = shownType(file.mimeType);
  return {
    "content-type": shown ?? "application/octet-stream",
    "content-disposition": `${shown ? "inline" : "attachment"}; ${fileName(file.name)}`,
    "content-security-policy": CONTAINED,
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
    "cache-control": `private, max-age=${Math.min(secondsLeft, SECONDS_A_DAY)}, immutable`,
    etag: `"${file.id}"`,
  };
}

/** The type under which it may be shown; undefined where it may not. All text is plain text to a browser. */
function shownType(mimeType: string): string | undefined {
  if (isImageType(mimeType) || mimeType === "application/pdf") return mimeType;
  if (/^(?:audio|video)\/(?:wav|mpeg|flac|ogg|mp4|webm)$/.test(mimeType)) return mimeType;
  if (mimeType === "text/html") return undefined;
  const isText = mimeType.startsWith("text/") || mimeType === "application/json";
  return isText ? "text/plain; charset=utf-8" : undefined;
}

/** The name once for every client and once as it is. */
function fileName(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${whole}`;
}
