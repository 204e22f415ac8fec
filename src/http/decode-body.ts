import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, inflate, zstdDecompress } from "node:zlib";
import { byteSize } from "../protocol/byte-size.ts";
import { Failure } from "../protocol/failure.ts";

type Decoder = (body: Buffer, maxOutputLength: number) => Promise<Buffer<ArrayBuffer>>;

/** The most that a body may ask for besides its own size, as RFC 9659 recommends: 8 MB. */
const ZSTD_WINDOW_LOG = 23;

const decoders = {
  gzip: promisify(gunzip),
  inflate: promisify(inflate),
  brotli: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

const DECODERS = new Map<string, Decoder>([
  ["gzip", (body, maxOutputLength) => decoders.gzip(body, { maxOutputLength })],
  ["deflate", (body, maxOutputLength) => decoders.inflate(body, { maxOutputLength })],
  ["br", (body, maxOutputLength) => decoders.brotli(body, { maxOutputLength })],
  [
    "zstd",
    (body, maxOutputLength) =>
      decoders.zstd(body, {
        maxOutputLength,
        params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      }),
  ],
]);

/**
 * Returns a body without its compression. The same bound holds for the body as it was sent and for its decompressed size, so a
 * few kilobytes never become more than what anybody may send. Throws INVALID_INPUT or TOO_LARGE.
 */
export async function decodeBody(
  body: Buffer<ArrayBuffer>,
  coding: string,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const name = coding.trim().toLowerCase().replace(/^x-/, "");
  if (name === "identity" || name === "" || body.length === 0) return body;
  const decode = DECODERS.get(name);
  if (!decode) {
    throw new Failure(
      "INVALID_INPUT",
      `The body is compressed (Content-Encoding: ${coding.slice(0, 30)}). Send it as gzip, deflate, br or zstd, or uncompressed.`,
    );
  }
  try {
    return await decode(body, maxBytes);
  } catch (cause) {
    if (cause instanceof RangeError) throw bodyTooLarge(maxBytes);
    const sentence = `The body is not valid ${name}, which its Content-Encoding names.`;
    throw new Failure("INVALID_INPUT", sentence, { cause });
  }
}

/** The failure for a body above its bound. */
export function bodyTooLarge(maxBytes: number): Failure {
  return new Failure("TOO_LARGE", `The body is larger than ${byteSize(maxBytes)}. Send less at once.`);
}
