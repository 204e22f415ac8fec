import type { IncomingMessage } from "node:http";
import { byteSize } from "../protocol/byte-size.ts";
import { Failure } from "../protocol/failure.ts";
import { MAX_DISCARDED_BYTES } from "./body.ts";
import { type FormFile, fileNameIn, readForm, readMultipart } from "./multipart.ts";

/** The most that a form may add around its file. */
const FORM_BYTES = 64 * 1024;

/** Reads an uploaded file: the body itself, or the first file of a form. Throws INVALID_INPUT or TOO_LARGE. */
export async function readUpload(
  request: Request,
  incoming: IncomingMessage | undefined,
  maxBytes: number,
): Promise<FormFile> {
  const declaredSize = Number(request.headers.get("content-length") ?? 0);
  if (declaredSize > maxBytes + MAX_DISCARDED_BYTES) throw tooLarge(maxBytes);
  const type = request.headers.get("content-type") ?? undefined;
  const source = complete(incoming ?? request.body ?? []);
  if (!type?.toLowerCase().startsWith("multipart/form-data")) {
    return { name: nameOf(request), declaredType: type, body: bounded(source, maxBytes) };
  }
  const file = await readMultipart(bounded(source, maxBytes + FORM_BYTES), type);
  if (!file) throw new Failure("INVALID_INPUT", "The form contains no file.");
  return file;
}

/** Reads a form of fields and files. Throws INVALID_INPUT or TOO_LARGE. */
export async function readFormUpload(
  request: Request,
  incoming: IncomingMessage | undefined,
  maxBytes: number,
  take: (file: FormFile, field: string) => Promise<void>,
): Promise<Record<string, string>> {
  const declaredSize = Number(request.headers.get("content-length") ?? 0);
  if (declaredSize > maxBytes + MAX_DISCARDED_BYTES) throw tooLarge(maxBytes);
  const type = request.headers.get("content-type") ?? "";
  if (!type.toLowerCase().startsWith("multipart/form-data"))
    throw new Failure("INVALID_INPUT", "The body must be a form (multipart/form-data).");
  return readForm(bounded(complete(incoming ?? request.body ?? []), maxBytes + FORM_BYTES), type, take);
}

/** Passes on up to `maxBytes`. Of a larger body, a bounded rest is read before it is refused. */
async function* bounded(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size <= maxBytes) yield chunk;
    else if (size > maxBytes + MAX_DISCARDED_BYTES) break;
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
}

/** Reports a connection that was cut as INVALID_INPUT. */
async function* complete(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The upload ended before it was complete.", { cause });
  }
}

function nameOf(request: Request): string | undefined {
  const asked = new URL(request.url).searchParams.get("name");
  if (asked !== null) return asked;
  return fileNameIn(request.headers.get("content-disposition") ?? "");
}

function tooLarge(maxBytes: number): Failure {
  return new Failure("TOO_LARGE", `The file is larger than the limit of ${byteSize(maxBytes)}.`);
}
