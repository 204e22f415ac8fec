import { Failure } from "../../../protocol/failure.ts";
import type { ImagePart, TextPart } from "../../../protocol/messages.ts";
import { readUserContent } from "../openai/content.ts";
import { IMAGE_TYPES } from "../openai/file-content.ts";

/** Reads a user's message in OpenAI's content format. Throws INVALID_INPUT in our own format. */
export function readUserParts(content: unknown, at: string): (TextPart | ImagePart)[] {
  return asOwnFailure(at, (where) => readUserContent(content, where));
}

/** Reads content in OpenAI's format. Throws INVALID_INPUT in our own format. */
export function asOwnFailure<Read>(at: string, read: (at: string) => Read): Read {
  try {
    return read(at);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    throw new Failure(thrown.code, thrown.publicMessage, { details: { field: at } });
  }
}

/** A value as text for the model: strings unchanged, everything else as JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The request is not valid: a value is nested too deeply.", { cause });
  }
}

/** Returns a file of a user's message in OpenAI's content format. Its URL may contain the bytes. */
export function fileContent(url: unknown, mimeType: unknown, filename?: unknown): object {
  const isLinked = typeof url === "string" && /^https?:/i.test(url) && String(mimeType).startsWith("image/");
  return isLinked || IMAGE_TYPES.includes(String(mimeType).toLowerCase().replace("/jpg", "/jpeg"))
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { filename, file_data: url } };
}
