import { inflateRawSync } from "node:zlib";

const MOST_ENTRIES = 20_000;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_SIZE = 22;
const LONGEST_COMMENT = 65_535;
const STORED = 0;
const DEFLATED = 8;

/** The files in a zip archive. */
export interface Zip {
  names: string[];
  /** Unpacks a file. Undefined if there is none. Throws if everything that was unpacked is more than the limit. */
  read(name: string): Buffer | undefined;
}

/** Reads the list of files of a zip archive. Throws if it is none. Archives with passwords or over 4 GB cannot be read. */
export function openZip(bytes: Uint8Array, mostBytes: number): Zip {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count > MOST_ENTRIES) throw new Error("the archive has too many files");
  const entries = new Map<string, number>();
  for (let at = archive.readUInt32LE(end + 16), read = 0; read < count; read++) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error("the archive is damaged");
    const nameLength = archive.readUInt16LE(at + 28);
    entries.set(archive.toString("utf8", at + 46, at + 46 + nameLength), at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  let left = mostBytes;
  return {
    names: [...entries.keys()],
    read(name) {
      const at = entries.get(name);
      if (at === undefined) return undefined;
      const unpacked = unpack(archive, at, left);
      left -= unpacked.length;
      return unpacked;
    },
  };
}

function findEnd(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_SIZE - LONGEST_COMMENT);
  for (let at = archive.length - END_SIZE; at >= first; at--) if (archive.readUInt32LE(at) === END) return at;
  throw new Error("this is not a zip archive");
}

function unpack(archive: Buffer, entry: number, mostBytes: number): Buffer {
  const isEncrypted = (archive.readUInt16LE(entry + 8) & 1) === 1;
  if (isEncrypted) throw new Error("the archive has a password");
  const method = archive.readUInt16LE(entry + 10);
  const local = archive.readUInt32LE(entry + 42);
  const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(from, from + archive.readUInt32LE(entry + 20));
  if (method === STORED && packed.length <= mostBytes) return packed;
  if (method !== DEFLATED || mostBytes <= 0) throw new Error("the archive is too large, or packed unusually");
  // Stops as soon as there is more than this, whatever the archive says about its size.
  return inflateRawSync(packed, { maxOutputLength: mostBytes });
}
