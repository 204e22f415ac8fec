import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { byteSize } from "../protocol/byte-size.ts";
import { Failure } from "../protocol/failure.ts";
import { encodedTextType, HEAD_BYTES, officeType, sniffHead } from "../protocol/file-type.ts";
import { EncodingDetector } from "./encoding-detector.ts";
import { RowCounter } from "./row-counter.ts";

/** A complete file on this machine, before it is stored. */
export interface Spooled {
  path: string;
  size: number;
  /** Of its bytes, in hexadecimal. */
  sha256: string;
  mimeType: string;
  /** Of a CSV or TSV file. */
  rowCount?: number;
}

export interface SpoolOptions {
  directory: string;
  maxBytes: number;
  declaredType?: string;
  name?: string;
  /** Counts the rows of a table. */
  counted?: boolean;
  signal?: AbortSignal;
}

const TABLE_TYPE = /^text\/(?:csv|tab-separated-values)\b/i;
const TABLE_NAME = /\.(?:csv|tsv)$/i;

/** Writes a stream to disk up to the maximum, and detects its type. Leaves nothing behind if it throws. */
export async function spool(source: AsyncIterable<Uint8Array>, options: SpoolOptions): Promise<Spooled> {
  const { directory, maxBytes, signal } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${randomBytes(16).toString("hex")}.part`);
  const handle = await open(path, "wx", 0o600).catch((thrown: unknown) =>
    Promise.reject(diskFailure(thrown)),
  );
  const examined = new Examination(options);
  try {
    await writeAll(source, handle, examined, { maxBytes, signal });
    if (examined.size === 0) throw new Failure("INVALID_INPUT", "The file is empty.");
    return { path, ...examined.outcome() };
  } catch (thrown) {
    await rm(path, { force: true });
    throw thrown;
  } finally {
    await handle.close();
  }
}

async function writeAll(
  source: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  examined: Examination,
  { maxBytes, signal }: Pick<SpoolOptions, "maxBytes" | "signal">,
): Promise<void> {
  for await (const chunk of source) {
    signal?.throwIfAborted();
    examined.take(chunk);
    if (examined.size > maxBytes) throw tooLarge(maxBytes);
    await handle.writeFile(chunk).catch((thrown: unknown) => Promise.reject(diskFailure(thrown)));
  }
  await handle.sync().catch((thrown: unknown) => Promise.reject(diskFailure(thrown)));
}

/** Examines bytes while they are written. */
class Examination {
  size = 0;
  private readonly hash = createHash("sha256");
  private readonly encoding = new EncodingDetector();
  private head: Buffer = Buffer.alloc(0);
  private isText = true;
  private readonly options: SpoolOptions;
  private readonly rows: RowCounter | undefined;

  constructor(options: SpoolOptions) {
    this.options = options;
    const { counted, declaredType = "", name = "" } = options;
    const isTable = TABLE_TYPE.test(declaredType) || TABLE_NAME.test(name);
    if (counted && isTable) this.rows = new RowCounter();
  }

  take(chunk: Uint8Array): void {
    this.size += chunk.length;
    this.hash.update(chunk);
    if (this.head.length < HEAD_BYTES) this.head = Buffer.concat([this.head, chunk]).subarray(0, HEAD_BYTES);
    if (this.isText) this.isText = this.encoding.take(chunk);
    if (this.isText) this.rows?.take(chunk);
  }

  outcome(): Omit<Spooled, "path"> {
    const { declaredType, name } = this.options;
    const marked = sniffHead(this.head) ?? officeType(this.head, name);
    const encoding = this.isText ? this.encoding.outcome() : undefined;
    const mimeType =
      marked ?? (encoding ? encodedTextType(this.head, declaredType, encoding) : "application/octet-stream");
    const isCounted = marked === undefined && (encoding === "utf-8" || encoding === "windows-1252");
    const rowCount = isCounted ? this.rows?.count() : undefined;
    const facts = { size: this.size, sha256: this.hash.digest("hex"), mimeType };
    return rowCount === undefined ? facts : { ...facts, rowCount };
  }
}

/** Returns the failure for a file that is too large. */
export function tooLarge(maxBytes: number): Failure {
  return new Failure("TOO_LARGE", `The file is larger than the allowed ${byteSize(maxBytes)}.`);
}

/** Turns the error of a full disk into a failure. */
export function diskFailure(thrown: unknown): unknown {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  if (code !== "ENOSPC" && code !== "EDQUOT" && code !== "EFBIG") return thrown;
  return new Failure(
    "STORAGE_FULL",
    "The server's disk is full, so the file was not saved. Free some space, then try again.",
    { cause: thrown },
  );
}
