import type { IncomingMessage } from "node:http";
import { Failure } from "../protocol/failure.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** For protocols whose clients send images in the body, and the whole conversation every time. */
export const MAX_BYTES_WITH_IMAGES = 12 * 1024 * 1024;
/** Up to here the rest of a body that is too large is read and thrown away, so that its sender can read our answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

type ByteSource = AsyncIterable<Uint8Array> | null;

/** Reads a body of JSON with bounded memory. Throws INVALID_INPUT or TOO_LARGE. */
export async function readJson(
  request: Request,
  incoming: IncomingMessage | undefined,
  maxBytes = MAX_BODY_BYTES,
): Promise<unknown> {
  const bytes = await readBody(request, incoming, maxBytes);
  if (bytes.length === 0) throw new Failure("INVALID_INPUT", "The body is empty. Send a JSON object.");
  return parseJson(bytes);
}

/** The same, where having no body at all means an empty object. */
export async function readOptionalJson(
  request: Request,
  incoming: IncomingMessage | undefined,
): Promise<unknown> {
  const bytes = await readBody(request, incoming, MAX_BODY_BYTES);
  return bytes.length === 0 ? {} : parseJson(bytes);
}

function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The body is not valid JSON.", { cause });
  }
}

async function readBody(
  request: Request,
  incoming: IncomingMessage | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > MAX_DISCARDED_BYTES) throw tooLarge(maxBytes);
  return readBytes(incoming ?? request.body, maxBytes);
}

async function readBytes(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of source ?? []) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > MAX_DISCARDED_BYTES) break;
    }
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The body ended before it was complete.", { cause });
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The body is not valid UTF-8.", { cause });
  }
}

function tooLarge(maxBytes: number): Failure {
  return new Failure("TOO_LARGE", `The body is larger than ${maxBytes / 1024 / 1024} MB. Send less at once.`);
}
