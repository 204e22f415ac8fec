import { isUtf8 } from "node:buffer";
import { IncomingMessage } from "node:http";
import type { z } from "zod";
import { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import { parseRequest } from "../protocol/requests.ts";
import { pauseIfLong } from "../protocol/slices.ts";
import { modelInPath } from "./address.ts";
import { identify } from "./caller.ts";
import type { HttpContext } from "./context.ts";
import { bodyTooLarge, decodeBody } from "./decode-body.ts";
import { checkShape, type JsonBounds } from "./json-shape.ts";
import { parseLargeJson } from "./large-json.ts";

/** `form`: a few fields, such as a sign-in. `conversation`: whole conversations, images, tools of the client. */
type BodyKind = "form" | "ordinary" | "conversation";

interface BodyBounds extends JsonBounds {
  bytes: number;
}

const FORM: BodyBounds = { bytes: 8 * 1024, depth: 8, keys: 100, values: 200 };
/** What anybody may send: parsing and checking it takes a few milliseconds at most. */
const SMALL: BodyBounds = { bytes: 512 * 1024, depth: 100, keys: 4_000, values: 6_000 };
const FOR_ACCOUNTS: Record<BodyKind, BodyBounds> = {
  form: FORM,
  ordinary: { bytes: 4 * 1024 * 1024, depth: 100, keys: 20_000, values: 50_000 },
  conversation: { bytes: 32 * 1024 * 1024, depth: 100, keys: 300_000, values: 600_000 },
};
/** Larger bodies are parsed by a worker. */
const MAX_BYTES_AT_ONCE = 1024 * 1024;
/** A body that is too large is read and discarded up to this size, so that the client can read the response. */
export const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
/** A caller whose body took longer to arrive is identified again. */
const FRESH_MS = 2_000;

type ByteSource = AsyncIterable<Uint8Array> | null;

/** Reads a JSON body. Its bounds depend on the route and the caller. Throws INVALID_INPUT or TOO_LARGE. */
export async function readJson(c: HttpContext, kind: BodyKind = "ordinary"): Promise<unknown> {
  const value = await readOptional(c, kind);
  if (value === undefined) throw new Failure("INVALID_INPUT", "The body is empty. Send a JSON object.");
  return value;
}

/** Reads the JSON body of a request to a model. A model that the path names counts, as at Azure. */
export async function readModelJson(c: HttpContext): Promise<unknown> {
  const body = await readJson(c, "conversation");
  const model = modelInPath(c.req.raw);
  return model !== undefined && isObject(body) ? { ...body, model } : body;
}

/** Reads a JSON body; a request without a body has an empty object. */
export async function readOptionalJson(c: HttpContext): Promise<unknown> {
  return (await readOptional(c, "ordinary")) ?? {};
}

/** Reads a JSON body and checks it against a schema. Throws INVALID_INPUT or TOO_LARGE. */
export async function readRequest<Schema extends z.ZodType>(
  c: HttpContext,
  schema: Schema,
  kind?: BodyKind,
): Promise<z.output<Schema>> {
  return parseRequest(schema, await readJson(c, kind));
}

/** The same for a body that may be missing. */
export async function readOptionalRequest<Schema extends z.ZodType>(
  c: HttpContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  return parseRequest(schema, await readOptionalJson(c));
}

/** Returns the value of the body, or undefined if it is empty. */
async function readOptional(c: HttpContext, kind: BodyKind): Promise<unknown> {
  const bounds = await boundsFor(c, kind);
  const began = performance.now();
  const { waits } = c.get("server").deps;
  const reading = () => readBody(c, bounds.bytes);
  const sent = await (waits?.during(reading) ?? reading());
  if (performance.now() - began > FRESH_MS) c.set("identified", undefined);
  const coding = c.req.header("content-encoding");
  const bytes = withoutMark(coding === undefined ? sent : await decodeBody(sent, coding, bounds.bytes));
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new Failure("INVALID_INPUT", "The body is not valid UTF-8.");
  if (bytes.length > MAX_BYTES_AT_ONCE) return parseLargeJson(bytes, bounds);
  // From here on, the time counts: a long body takes long to check, to build and to write.
  pauseIfLong();
  // A body with fewer bytes than levels are allowed has fewer of everything.
  if (bytes.length > bounds.depth) checkShape(bytes, bounds);
  await pauseIfLong();
  return parseJson(bytes.toString("utf8"));
}

/** Removes the byte order mark that some programs write before a text. */
function withoutMark(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMarked ? bytes.subarray(3) : bytes;
}

async function boundsFor(c: HttpContext, kind: BodyKind): Promise<BodyBounds> {
  if (kind === "form") return FORM;
  // Who shows no valid credentials is refused later, in the order of the checks.
  const caller = await identify(c).catch(() => undefined);
  return caller && caller.principal.kind !== "guest" ? FOR_ACCOUNTS[kind] : SMALL;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The body is not valid JSON.", { cause });
  }
}

async function readBody(c: HttpContext, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const declared = Number(c.req.raw.headers.get("content-length") ?? 0);
  if (declared > MAX_DISCARDED_BYTES) throw bodyTooLarge(maxBytes);
  return readBytes(c.env?.incoming ?? c.req.raw.body, maxBytes);
}

async function readBytes(source: ByteSource, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const take = (chunk: Uint8Array) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
    return size <= MAX_DISCARDED_BYTES;
  };
  try {
    if (source instanceof IncomingMessage) await readIncoming(source, take);
    else for await (const chunk of source ?? []) if (!take(chunk)) break;
  } catch (cause) {
    throw new Failure("INVALID_INPUT", "The body ended before it was complete.", { cause });
  }
  if (size > maxBytes) throw bodyTooLarge(maxBytes);
  return Buffer.concat(chunks);
}

/** Reads a request until `take` returns false, without the promises and listeners of an iterator. */
function readIncoming(incoming: IncomingMessage, take: (chunk: Uint8Array) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    // Every request is closed after its end, and an error costs 30 µs.
    const closed = () => incoming.readableEnded || reject(new Error("the connection was closed"));
    if (incoming.readableEnded) return resolve();
    if (incoming.destroyed) return closed();
    incoming.once("end", resolve).once("error", reject).once("close", closed);
    incoming.on("data", (chunk: Uint8Array) => {
      if (take(chunk)) return;
      resolve();
      incoming.destroy();
    });
  });
}
