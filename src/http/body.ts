import type { z } from "zod";
import { Failure } from "../protocol/failure.ts";
import { parseRequest } from "../protocol/requests.ts";
import type { HttpContext } from "./context.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** For protocols whose clients send images and the whole conversation in every body. */
export const MAX_BYTES_WITH_IMAGES = 12 * 1024 * 1024;
/** A body that is too large is read and discarded up to this size, so that the client can read the response. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

type ByteSource = AsyncIterable<Uint8Array> | null;

/** Reads a JSON body with bounded memory. Throws INVALID_INPUT or TOO_LARGE. */
export async function readJson(c: HttpContext, maxBytes = MAX_BODY_BYTES): Promise<unknown> {
  const bytes = await readBody(c, maxBytes);
  if (bytes.length === 0) throw new Failure("INVALID_INPUT", "The body is empty. Send a JSON object.");
  return parseJson(bytes);
}

/** Reads a JSON body; a request without a body has an empty object. */
export async function readOptionalJson(c: HttpContext): Promise<unknown> {
  const bytes = await readBody(c, MAX_BODY_BYTES);
  return bytes.length === 0 ? {} : parseJson(bytes);
}

/** Reads a JSON body and checks it against a schema. Throws INVALID_INPUT or TOO_LARGE. */
export async function readRequest<Schema extends z.ZodType>(
  c: HttpContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  return parseRequest(schema, await readJson(c));
}

/** The same for a body that may be missing. */
export async function readOptionalRequest<Schema extends z.ZodType>(
  c: HttpContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  return parseRequest(schema, await readOptionalJson(c));
}

function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The body is not valid JSON.", { cause });
  }
}

async function readBody(c: HttpContext, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(c.req.raw.headers.get("content-length") ?? 0);
  if (declared > MAX_DISCARDED_BYTES) throw tooLarge(maxBytes);
  return readBytes(c.env?.incoming ?? c.req.raw.body, maxBytes);
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
