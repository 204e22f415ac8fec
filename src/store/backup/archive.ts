import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { Failure } from "../../protocol/failure.ts";
import { isObject, parseObject } from "../../protocol/json.ts";
import { checkFormat } from "../../protocol/stored.ts";
import { type Entry, entry } from "./entries.ts";

// An archive is gzipped lines of JSON: a header, the entries, and the SHA-256 of all lines before the last.

const FORMAT = 1;

/** What an archive says about itself in its first line. */
export interface ArchiveHeader {
  /** When the backup began. Nothing later is in it. */
  at: string;
  contents: ArchiveContents;
}

const archiveContents = z.looseObject({
  sessions: z.number(),
  accounts: z.number(),
  files: z.number(),
  /** When the oldest session was created, and when one was last used. */
  from: z.string().optional(),
  to: z.string().optional(),
  /** The days that the server kept things when the backup was made; 0 is forever. */
  keptDays: z.record(z.string(), z.number()),
});
export type ArchiveContents = z.infer<typeof archiveContents>;

/** Writes the entries to a file that only its owner can read. It appears when it is complete. */
export async function writeArchive(
  file: string,
  entries: AsyncIterable<Entry>,
  header: ArchiveHeader,
): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(
      Readable.from(linesOf(entries, header)),
      createGzip(),
      createWriteStream(part, { mode: 0o600, flush: true }),
    );
    await rename(part, file);
    if (process.platform === "win32") return; // It refuses to sync a folder.
    const directory = await open(dirname(file), "r");
    await directory.sync().finally(() => directory.close());
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
}

async function* linesOf(entries: AsyncIterable<Entry>, header: ArchiveHeader): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const line = (value: unknown) => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };
  yield line({ tackle: "archive", format: FORMAT, ...header });
  for await (const entry of entries) yield line(entry);
  yield `${JSON.stringify({ sha256: hash.digest("hex") })}\n`;
}

/** Reads what an archive says about itself. Throws INVALID_INPUT if it is none. */
export async function readHeader(file: string): Promise<ArchiveHeader> {
  for await (const line of splitLines(file)) {
    const header = parseObject(line) ?? {};
    checkHeader(file, header);
    const contents = archiveContents.safeParse(header.contents);
    if (!contents.success) throw damaged(file, contents.error);
    return { at: String(header.at), contents: contents.data };
  }
  throw damaged(file);
}

/** Reads the entries of an archive. Throws INVALID_INPUT if it is not one; damage is found at the end at the latest. */
export async function* readArchive(file: string): AsyncGenerator<Entry> {
  const hash = createHash("sha256");
  let [lines, complete] = [0, false];
  try {
    for await (const line of splitLines(file)) {
      if (complete) throw damaged(file);
      const value: unknown = JSON.parse(line);
      if (!isObject(value)) throw damaged(file);
      if (lines++ === 0) checkHeader(file, value);
      else if ("sha256" in value) {
        if (value.sha256 !== hash.digest("hex")) throw damaged(file);
        complete = true;
      } else yield entryOf(file, value);
      if (!complete) hash.update(`${line}\n`);
    }
  } catch (thrown) {
    throw thrown instanceof SyntaxError ? damaged(file, thrown) : thrown;
  }
  if (!complete) throw damaged(file);
}

/** Not readline, which ends lines at other characters too. */
async function* splitLines(file: string): AsyncGenerator<string> {
  const plain = createGunzip();
  // Its errors arrive where `plain` is read.
  pipeline(createReadStream(file), plain).catch(() => undefined);
  let parts: Buffer[] = [];
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString();
        parts = [];
        from = end + 1;
      }
      if (from < chunk.length) parts.push(chunk.subarray(from));
    }
  } catch (thrown) {
    throw unreadable(file, thrown);
  }
  if (parts.length > 0) throw damaged(file);
}

function unreadable(file: string, thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const code = "code" in thrown ? String(thrown.code) : "";
  const failure = (sentence: string) => new Failure("INVALID_INPUT", sentence, { cause: thrown });
  if (code === "ENOENT") return failure(`There is no file ${file}.`);
  if (code === "EISDIR") return failure(`${file} is a folder. Name the file that tackle backup wrote.`);
  if (code === "EACCES") return failure(`You may not read ${file}.`);
  if (!code.startsWith("Z_")) return thrown;
  return thrown.message === "incorrect header check" ? notAnArchive(file, thrown) : damaged(file, thrown);
}

function checkHeader(file: string, header: Record<string, unknown>): void {
  if (header.tackle !== "archive" || typeof header.format !== "number") throw notAnArchive(file);
  checkFormat(header.format, FORMAT, file);
}

function notAnArchive(file: string, cause?: unknown): Failure {
  return new Failure("INVALID_INPUT", `${file} is not an archive of tackle backup.`, { cause });
}

function entryOf(file: string, value: unknown): Entry {
  const read = entry.safeParse(value);
  if (!read.success) throw damaged(file, read.error);
  return read.data;
}

function damaged(file: string, cause?: unknown): Failure {
  const sentence = `${file} is damaged or incomplete. Nothing was changed; use another copy.`;
  return new Failure("INVALID_INPUT", sentence, { cause });
}
