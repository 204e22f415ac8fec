import type { IncomingMessage } from "node:http";
import { Failure } from "../protocol/failure.ts";
import { readMultipart } from "./multipart.ts";

/** What somebody sends to be kept. */
export interface Upload {
  name?: string;
  declaredType?: string;
  body: AsyncIterable<Uint8Array>;
}

/** Up to here the rest of what is too large is read and thrown away, so that its sender can read our answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
/** What a form adds around its file. */
const FORM_BYTES = 64 * 1024;

/** A file in a request: its bare body, or the first file of a form. Throws INVALID_INPUT or TOO_LARGE. */
export async function readUpload(
  request: Request,
  incoming: IncomingMessage | undefined,
  maxBytes: number,
): Promise<Upload> {
  const declaredSize = Number(request.headers.get("content-length") ?? 0);
  if (declaredSize > maxBytes + MAX_DISCARDED_BYTES) throw tooLarge(maxBytes);
  const type = request.headers.get("content-type") ?? undefined;
  const source = complete(incoming ?? request.body ?? []);
  if (!type?.toLowerCase().startsWith("multipart/form-data")) {
    const name = nameOf(request);
    return {
      body: bounded(source, maxBytes),
      ...(type === undefined ? {} : { declaredType: type }),
      ...(name === undefined ? {} : { name }),
    };
  }
  const file = await readMultipart(bounded(source, maxBytes + FORM_BYTES), type);
  if (!file) throw new Failure("INVALID_INPUT", "The form holds no file.");
  return file;
}

/** Passes on what fits; of what does not, a bounded rest is read before it is refused. */
async function* bounded(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size <= maxBytes) yield chunk;
    else if (size > maxBytes + MAX_DISCARDED_BYTES) break;
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
}

/** A sender that goes away in the middle has sent nothing. */
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
  const disposition = request.headers.get("content-disposition") ?? "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return undefined; // A name that cannot be read is as good as none.
    }
  }
  return /filename="?([^";]+)"?/i.exec(disposition)?.[1];
}

function tooLarge(maxBytes: number): Failure {
  const megabytes = Math.round(maxBytes / 1024 / 1024);
  return new Failure("TOO_LARGE", `The file is larger than the ${megabytes} MB that are allowed.`);
}
