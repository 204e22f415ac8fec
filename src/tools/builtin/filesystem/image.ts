import { showPath } from "../../../contain/paths.ts";
import type { OpenFile } from "../../../contain/paths-open.ts";
import { byteSize } from "../../../protocol/byte-size.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";

/** The images that models see. */
const TYPES: Readonly<Record<string, string>> = {
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/gif": "GIF",
  "image/webp": "WebP",
};
const MAX_BYTES = 8 * 1024 * 1024;

/** Reads an image for the model. Undefined if the file is none. */
export async function readImage(
  path: string,
  mimeType: string | undefined,
  { handle, size }: OpenFile,
  context: ToolContext,
): Promise<ToolOutput | undefined> {
  const type = TYPES[mimeType ?? ""];
  if (type === undefined || mimeType === undefined) return undefined;
  const name = showPath(path);
  if (size > MAX_BYTES) {
    throw new Failure(
      "TOO_LARGE",
      `"${name}" is an image (${type}) of ${byteSize(size)}; at most ${byteSize(MAX_BYTES)} can be shown. Make it smaller first.`,
    );
  }
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await handle.read(bytes, 0, size, 0);
  context.signal.throwIfAborted();
  return {
    output: `"${name}" is an image (${type}, ${byteSize(size)}). It follows this result if the model sees images.`,
    data: { path, mimeType, size },
    images: [{ mimeType, base64: bytes.subarray(0, bytesRead).toString("base64") }],
  };
}
