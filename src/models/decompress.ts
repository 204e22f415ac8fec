import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";

/** What is decoded by the name of the coding in the header, if the first byte of the body agrees. */
const CODINGS: Record<string, { begins: number | undefined; decoder(): Transform }> = {
  gzip: { begins: 0x1f, decoder: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }) },
  deflate: { begins: 0x78, decoder: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }) },
  zstd: { begins: 0x28, decoder: () => createZstdDecompress() },
  br: { begins: undefined, decoder: () => createBrotliDecompress() },
};

/** Returns the body of an answer without its compression: no request asks for any, but some gateways compress all the same. */
export function decompressed(
  body: AsyncIterable<Uint8Array>,
  header: string | string[],
): AsyncIterable<Uint8Array> {
  const names = String(header)
    .toLowerCase()
    .split(/[,\s]+/);
  return names.reduceRight((bytes, name) => decode(bytes, name.replace(/^x-/, "")), body);
}

function decode(body: AsyncIterable<Uint8Array>, name: string): AsyncIterable<Uint8Array> {
  const coding = Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined;
  if (!coding) return body;
  return decodeIf(body, coding);
}

/** Headers lie: a body that does not begin as it should passes as it is. */
async function* decodeIf(
  body: AsyncIterable<Uint8Array>,
  { begins, decoder }: { begins: number | undefined; decoder(): Transform },
): AsyncGenerator<Uint8Array> {
  const packets = body[Symbol.asyncIterator]();
  const first = await packets.next();
  if (first.done) return;
  const all = joined(first.value, packets);
  if (begins !== undefined && first.value[0] !== begins) {
    yield* all;
    return;
  }
  const decoded = decoder();
  // What goes wrong is thrown where the decoder is read.
  const fed = pipeline(Readable.from(all, { objectMode: false }), decoded).catch(() => {});
  for await (const bytes of decoded) yield bytes as Buffer;
  await fed;
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}
