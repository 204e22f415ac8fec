import { openForRead } from "../../../contain/paths-open.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import type { Parameters } from "./parameters.ts";
import { notText, readBytes, textOf } from "./text.ts";

const MAX_BYTES = 1_048_576;
const DEFAULT_LINES = 2_000;
const ADVICE = "Read it in parts with offset and limit (lines), or search it.";

/** Reads a text file, or some of its lines. Reading lines also works for files that are too large to read whole. */
export async function read(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  if (args.offset !== undefined || args.limit !== undefined) return readLines(args, context);
  const { bytes } = await readBytes(context.roots, args.path, MAX_BYTES, ADVICE);
  const text = textOf(bytes);
  if (text === undefined) throw notText(args.path, bytes.length);
  return { output: text, data: { path: args.path, content: text, size: bytes.length } };
}

async function readLines(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const first = args.offset ?? 1;
  const wanted = args.limit ?? DEFAULT_LINES;
  const { handle, size } = await openForRead(context.roots, args.path);
  const collector = new LineCollector(first, wanted);
  try {
    const chunk = Buffer.alloc(65_536);
    for (let position = 0; !collector.full; ) {
      context.signal.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      collector.add(chunk.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
  const bytes = Buffer.concat(collector.chunks);
  const text = collector.cut ? textBeforeCut(bytes) : textOf(bytes);
  if (text === undefined) throw notText(args.path, size);
  const last = first + collector.lines - 1;
  const data = {
    path: args.path,
    content: text,
    size,
    firstLine: first,
    lastLine: last,
    more: collector.full,
  };
  if (collector.lines === 0) {
    return { output: `There is no line ${first}: the file has ${collector.seen} lines.`, data };
  }
  const cut = collector.cut ? " The last line is too long and was cut." : "";
  const more = collector.full
    ? `There is more: go on with offset ${last + 1}.`
    : "This is the end of the file.";
  return {
    output: `${text}${text.endsWith("\n") ? "" : "\n"}[Lines ${first} to ${last}.${cut} ${more}]`,
    data,
  };
}

/** Collects a range of whole lines from a stream of bytes, up to MAX_BYTES. */
class LineCollector {
  readonly chunks: Buffer[] = [];
  /** Number of collected lines. */
  lines = 0;
  /** Number of lines so far. */
  seen = 0;
  full = false;
  /** The last line is truncated. */
  cut = false;
  readonly #first: number;
  readonly #wanted: number;
  #bytes = 0;
  #inLine = false;

  constructor(first: number, wanted: number) {
    this.#first = first;
    this.#wanted = wanted;
  }

  add(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; ) {
      if (!this.#inLine) {
        if (this.lines === this.#wanted || this.#bytes >= MAX_BYTES) {
          this.full = true;
          return;
        }
        this.seen++;
        this.#inLine = true;
        if (this.seen >= this.#first) this.lines++;
      }
      const newline = bytes.indexOf(10, start);
      const end = newline === -1 ? bytes.length : newline + 1;
      if (this.lines > 0) this.#keep(bytes.subarray(start, end));
      this.#inLine = newline === -1;
      start = end;
    }
  }

  #keep(piece: Buffer): void {
    const room = Math.min(piece.length, MAX_BYTES - this.#bytes);
    if (room < piece.length) this.cut = true;
    if (room > 0) this.chunks.push(Buffer.from(piece.subarray(0, room)));
    this.#bytes += room;
  }
}

/** Decodes bytes that may end inside a character. */
function textBeforeCut(bytes: Buffer): string | undefined {
  for (let left = 0; left < 4; left++) {
    const text = textOf(bytes.subarray(0, bytes.length - left));
    if (text !== undefined) return text;
  }
  return undefined;
}
