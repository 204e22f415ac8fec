import { pipeline, Readable, type Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { byteSize } from "../protocol/byte-size.ts";
import { Failure } from "../protocol/failure.ts";

const MAX_CODINGS = 3;

/** The content codings that requests accept. */
export const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/**
 * Reads and decompresses a body. The limit applies to the bytes on the wire and again to the decompressed stream, so a
 * decompression bomb is stopped early.
 */
export async function readBody(body: Readable, codings: string, maxBytes: number): Promise<Uint8Array> {
  let source = bounded(body, maxBytes);
  for (const coding of parseCodings(codings)) source = bounded(unpacked(source, coding), maxBytes);
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The failure for an answer over the limit. */
export function tooLarge(maxBytes: number): Failure {
  return new Failure(
    "TOO_LARGE",
    `The answer is larger than the ${byteSize(maxBytes)} that are read at most.`,
  );
}

async function* bounded(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

type Coding = "gzip" | "deflate" | "br" | "zstd";

/** The codings in the order of decompression. */
function parseCodings(header: string): Coding[] {
  const names = header
    .toLowerCase()
    .split(",")
    .map((name) => name.trim().replace(/^x-gzip$/, "gzip"))
    .filter((name) => name !== "" && name !== "identity");
  const known = names.filter((name): name is Coding => ["gzip", "deflate", "br", "zstd"].includes(name));
  if (known.length < names.length || known.length > MAX_CODINGS) {
    throw new Failure("UPSTREAM_ERROR", "The answer is compressed in a way that cannot be read.", {
      retryable: false,
    });
  }
  return known.reverse();
}

async function* unpacked(source: AsyncIterable<Buffer>, coding: Coding): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  // Decoders reject an empty body.
  if (first.done) return;
  const whole = (async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  // Errors reach the reader of the decoder, but `pipeline` requires a callback.
  yield* pipeline(Readable.from(whole), decoderOf(coding, first.value), () => undefined);
}

/** Returns a decoder that accepts a truncated body: part of a page is worth reading. */
function decoderOf(coding: Coding, first: Buffer): Transform {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  if (coding === "gzip") return createGunzip(flush);
  if (coding === "br") {
    const operation = constants.BROTLI_OPERATION_FLUSH;
    return createBrotliDecompress({ flush: operation, finishFlush: operation });
  }
  if (coding === "zstd") return createZstdDecompress();
  // "deflate" means zlib, but some servers omit the zlib header.
  return isZlib(first) ? createInflate(flush) : createInflateRaw(flush);
}

function isZlib(chunk: Buffer): boolean {
  const [first = 0, second = 0] = chunk;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}
